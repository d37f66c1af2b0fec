package butler

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestClaimCorpus measures the claim gate on labelled sentences: at least 98 % of
// the claims without evidence are withheld, at most 1 % of the rest is.
func TestClaimCorpus(t *testing.T) {
	t.Parallel()
	names := regexp.MustCompile(`小王|李雷|Anna|Ben`)
	var held, holdable, lost, passable int
	for _, row := range corpus(t, "testdata/claims.tsv") {
		e := evidence{receipts: map[string]int{}, logged: logged{version: 3}}
		for _, kind := range strings.Split(row.evidence, ",") {
			switch kind {
			case "-":
			case "view":
				e.viewed = true
			case "read":
				e.read = true
			default:
				e.receipts[kind]++
			}
		}
		got := false
		done, rest := splitSentences(row.sentence)
		for _, sentence := range append(done, rest) {
			got = got || e.unbacked(sentence, names)
		}
		switch {
		case row.hold && got:
			held++
			holdable++
		case row.hold:
			holdable++
			t.Logf("released: %s (with %s) %v", row.sentence, row.evidence, claimsIn(row.sentence, names))
		case got:
			lost++
			passable++
			t.Logf("withheld: %s (with %s) %v", row.sentence, row.evidence, claimsIn(row.sentence, names))
		default:
			passable++
		}
	}
	t.Logf("withheld %d of %d false claims, %d of %d true sentences", held, holdable, lost, passable)
	if holdable+passable < 200 {
		t.Fatalf("the corpus has only %d sentences", holdable+passable)
	}
	if held*100 < holdable*98 {
		t.Errorf("only %d of %d false claims withheld", held, holdable)
	}
	if lost*100 > passable {
		t.Errorf("%d of %d true sentences withheld", lost, passable)
	}
}

type corpusRow struct {
	evidence, sentence string
	hold               bool
}

func corpus(t *testing.T, file string) []corpusRow {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []corpusRow
	for i, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 || f[2] != "hold" && f[2] != "pass" {
			t.Fatalf("%s:%d: not language, evidence, verdict, sentence: %q", file, i+1, line)
		}
		rows = append(rows, corpusRow{evidence: f[1], hold: f[2] == "hold", sentence: f[3]})
	}
	return rows
}
