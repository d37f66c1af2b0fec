//go:build !faults

package fault_test

import (
	"testing"

	"sozai/streams/fault"
)

// In this build a marked step is a step like any other.
func TestPointDoesNothing(t *testing.T) {
	t.Setenv(fault.Variable, "run.saved:1")
	fault.Point("run.saved")
	if n := testing.AllocsPerRun(100, func() { fault.Point("run.saved") }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}
