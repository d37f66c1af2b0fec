package streams_test

import (
	"os/exec"
	"strings"
	"testing"
)

// An unguarded append to a guarded kind is impossible by type.
func TestUnguardedDecisionDoesNotCompile(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "build", "./testdata/unguarded").CombinedOutput()
	if err == nil {
		t.Fatal("a decision was appended as a fact, and it compiled")
	}
	if !strings.Contains(string(out), "does not implement domain.Fact") {
		t.Fatalf("it does not compile, but for another reason:\n%s", out)
	}
}
