// Reads "go test -json" and prints what a person wants of it: a line a package,
// the whole output of whatever failed, and the totals. Exits 1 unless all passed.
import { createInterface } from "node:readline";

const output = new Map(); // package or package/test → its lines
const totals = { pass: 0, fail: 0, skip: 0 };
let broken = 0; // packages that failed without a failed test: build errors, panics, leaks
let packages = 0;
const failedTests = new Map(); // package → number

const said = (key, text) => output.set(key, (output.get(key) ?? "") + text);

for await (const line of createInterface({ input: process.stdin })) {
  let event;
  try {
    event = JSON.parse(line);
  } catch {
    console.log(line);
    continue;
  }
  const { Action, Package, Test, Elapsed = 0, Output = "" } = event;
  if (Action === "build-output") said(event.ImportPath, Output);
  else if (Action === "output") said(Test ? `${Package}/${Test}` : Package, Output);
  else if (Action in totals && Test) {
    totals[Action]++;
    const key = `${Package}/${Test}`;
    if (Action === "fail") {
      failedTests.set(Package, (failedTests.get(Package) ?? 0) + 1);
      console.log(`\n${output.get(key) ?? ""}`);
    }
    output.delete(key);
  } else if (Action in totals) {
    packages++;
    const failures = failedTests.get(Package) ?? 0;
    if (Action === "skip") continue; // no test files
    console.log(`${Action === "pass" ? "ok  " : "FAIL"}  ${Package}  ${Elapsed.toFixed(1)}s${failures ? `  ${failures} failed` : ""}`);
    if (Action !== "fail") continue;
    if (!failures) broken++;
    // A panic or a data race is said by the test that ran, and by no result.
    for (const [key, text] of output) {
      if (key === Package || key.startsWith(`${Package}/`) || key === event.FailedBuild) console.log(text);
    }
  }
}

const failed = totals.fail + broken;
const skipped = totals.skip ? `, ${totals.skip} skipped` : "";
console.log(`\n${totals.pass} passed, ${failed} failed${skipped}`);
if (failed > 0 || packages === 0) process.exitCode = 1;
