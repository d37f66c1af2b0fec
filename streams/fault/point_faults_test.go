//go:build faults

package fault_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"sozai/streams/fault"
)

// The armed pass ends the process by SIGKILL; passes before it and other steps
// do not, and a misspelt name is refused at the start.
func TestPointKills(t *testing.T) {
	if os.Getenv("FAULT_CHILD") != "" {
		for range 2 {
			fault.Point("run.saved")
			fault.Point("run.started")
		}
		fault.Point("run.saved")
		t.Skip("it lived")
	}
	for spec, want := range map[string]string{
		"run.saved:3": "killed at run.saved:3", "run.saved:4": "it lived", "": "it lived", "run.save:1": "no step is called",
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPointKills$", "-test.v") //nolint:gosec // this very test
		cmd.Env = append(os.Environ(), "FAULT_CHILD=1", fault.Variable+"="+spec)
		out, err := cmd.CombinedOutput()
		status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !strings.Contains(string(out), want) || strings.HasPrefix(want, "killed") != (status.Signaled() && status.Signal() == syscall.SIGKILL) {
			t.Errorf("%q: %v\n%s", spec, err, out)
		}
	}
}
