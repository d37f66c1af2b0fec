// Package fault names the steps at which the fault suite kills a process. In a
// normal build Point does nothing and is inlined away; with the build tag
// "faults" it ends the process by SIGKILL at the armed pass of the armed step.
//
// It may import nothing of Sozai.
package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Variable names the environment variable that arms one step of a process
// built with the tag: "<name>:<n>", the n-th pass of that step ends it.
const Variable = "SOZAI_FAULT"

// Names are the steps, each called somewhere in the program.
var Names = []string{
	"append.before", // the events are packed, nothing is sent
	"append.after",  // the log has acknowledged, the caller is not told

	"apply.locked",    // the control row is locked
	"apply.rows",      // the rows are sent, not committed
	"apply.committed", // rows and position are committed
	"build.chunk",     // a chunk of a new generation is committed
	"flip.before",     // the new generation is complete, the old one serves
	"flip.after",      // the new generation serves, the old one still exists

	"offer.before",   // an event asks for work, none is queued
	"offer.after",    // work is queued, the dispatcher has not acknowledged
	"job.taken",      // a worker holds a job, nothing is started
	"run.started",    // the attempt is in the log
	"run.saved",      // a product is in the log
	"run.finishing",  // the work is done, its end is not in the log
	"run.finished",   // the end is in the log, the job is not acknowledged
	"turn.started",   // the attempt is in the log
	"turn.round",     // a model round is in the log
	"turn.finishing", // the answer is complete, its end is not in the log
	"turn.finished",  // the end is in the log, the job is not acknowledged
	"timer.due",      // a timer has fired, nothing is done about it
	"handed.over",    // a shutting-down worker gave its job back

	"command.before", // a command is understood, nothing is appended
	"command.after",  // its events are in the log, the answer is not sent
}

// Parse reads "<name>:<n>", the value of Variable. A name that no step has is
// refused, so that a misspelt one does not pass as a round without a fault.
func Parse(spec string) (name string, pass int64, err error) {
	name, count, found := strings.Cut(spec, ":")
	if !found {
		return "", 0, fmt.Errorf("%s=%q: want <name>:<n>", Variable, spec)
	}
	if !slices.Contains(Names, name) {
		return "", 0, fmt.Errorf("%s=%q: no step is called %q; there are %s", Variable, spec, name, strings.Join(Names, ", "))
	}
	pass, err = strconv.ParseInt(count, 10, 64)
	if err != nil || pass < 1 {
		return "", 0, fmt.Errorf("%s=%q: %q is not a count from 1", Variable, spec, count)
	}
	return name, pass, nil
}
