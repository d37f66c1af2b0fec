package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const (
	// patience is how often the same thing may happen before it counts as stuck.
	patience = 3
	// inputPatience is how many rounds running a tool may refuse inputs, each
	// another one, for the same reason: the model is still trying.
	inputPatience = 2 * patience
)

// watch notices a run that makes no progress. It closes a tool for the run when
// the same call had the same result, or the same error, in three rounds (whatever
// lies between them, so that two calls that take turns are noticed too), when the
// tool failed in the same way in three rounds running, or when it refused one
// input after another in six. Calls of one round count once.
type watch struct {
	same      map[[2]string]int // call and what came of it → rounds in which it came
	failures  map[string]streak // by tool
	closed    map[string]string // tool → why
	fruitless int               // rounds running in which every call was refused
}

type streak struct {
	gist   string
	ill    bool
	rounds int
}

func newWatch() watch {
	return watch{same: map[[2]string]int{}, failures: map[string]streak{}, closed: map[string]string{}}
}

// forget drops what results were seen: after a fold the model may ask again.
func (w *watch) forget() { clear(w.same) }

// observe counts a round and tells the model in a call's text when its tool closes.
func (w *watch) observe(round []ending) {
	refused := 0
	again := map[[2]string]bool{}
	failed := map[string]ending{}
	worked := map[string]bool{}
	for _, e := range round {
		switch {
		case e.refused:
			refused++
			continue
		case e.outcome == OutcomeOK:
			worked[e.call.Name] = true
		case e.outcome == OutcomeError:
			failed[e.call.Name] = e
		default:
			continue
		}
		again[e.key()] = true
	}
	if w.fruitless++; refused < len(round) {
		w.fruitless = 0
	}
	for key := range again {
		w.same[key]++
	}
	for tool := range worked {
		delete(w.failures, tool)
	}
	for tool, e := range failed {
		if worked[tool] {
			continue
		}
		s := w.failures[tool]
		if s.gist != e.gist || s.ill != e.ill {
			s = streak{gist: e.gist, ill: e.ill}
		}
		s.rounds++
		w.failures[tool] = s
	}
	for i, e := range round {
		if e.refused || e.outcome == OutcomeInterrupted {
			continue
		}
		if why := w.stuck(e); why != "" {
			w.closed[e.call.Name] = why
			round[i].text += "\n\n[loop] " + e.call.Name + " is closed for the rest of this run: " + why + ". Use something else, or end and say so."
		}
	}
}

// stuck says why a call's tool is to be closed, "" if it is not.
func (w *watch) stuck(e ending) string {
	if w.same[e.key()] >= patience {
		return fmt.Sprintf("the same call gave the same result %d times", patience)
	}
	if e.outcome != OutcomeError {
		return ""
	}
	switch s := w.failures[e.call.Name]; {
	case s.gist != e.gist:
	case s.ill && s.rounds >= patience:
		return fmt.Sprintf("it failed %d times in the same way", patience)
	case s.rounds >= inputPatience:
		return fmt.Sprintf("it refused %d calls for the same reason", inputPatience)
	}
	return ""
}

// key is a call and what came of it.
func (e ending) key() [2]string {
	return [2]string{e.call.Name + " " + canonical(e.call.Input), e.outcome + " " + e.gist}
}

// hopeless says that nothing can come of this run any more: only refused calls
// for three rounds, or no finishing tool left to end it with.
func (w *watch) hopeless(finish []string) bool {
	open := slices.ContainsFunc(finish, func(name string) bool { return w.closed[name] == "" })
	return w.fruitless >= patience || len(finish) > 0 && !open
}

// canonical is the JSON without regard to spaces and the order of keys; what is
// no JSON stays as it is.
func canonical(input json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return string(input)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the model reads it
	if e.Encode(v) != nil {
		return string(input)
	}
	return strings.TrimSpace(b.String())
}
