package postgres

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// ctype is the character classification of a new cluster: text search and
// lower() must know Chinese characters; collation stays bytewise.
const ctype = "C.UTF-8"

// childAttr keeps the terminal's Ctrl-C away from the server, which must
// outlive the sessions that are being drained, and ends it with this process.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
}

// fdPath names an open folder by its descriptor, or is empty where the system
// has no such names.
func fdPath(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// isServer says whether pid is, by its name, a server process. It guards
// against a number that went to another program.
func isServer(pid int) bool {
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return err == nil && strings.TrimSpace(string(comm)) == "postgres"
}
