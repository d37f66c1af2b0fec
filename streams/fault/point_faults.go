//go:build faults

package fault

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
)

// step is what the environment asked for; the zero value kills nobody.
type step struct {
	name   string
	pass   int64
	passed atomic.Int64
}

//nolint:gochecknoglobals // a process is armed once, before anything of it runs
var armed = arm(os.Getenv(Variable)) //nolint:forbidigo // a build for tests; the normal one reads nothing

func arm(spec string) *step {
	if spec == "" {
		return &step{}
	}
	name, pass, err := Parse(spec)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sozai:", err)
		os.Exit(2)
	}
	return &step{name: name, pass: pass}
}

// Point marks a step and, at the armed pass of it, ends the process at once: no
// deferred call, no goroutine and no buffer of it runs or is written any more.
func Point(name string) {
	if name != armed.name || armed.passed.Add(1) != armed.pass {
		return
	}
	fmt.Fprintf(os.Stderr, "fault: killed at %s:%d\n", name, armed.pass)
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
	select {}
}
