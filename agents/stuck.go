package agents

import (
	"bytes"
	"encoding/json"
	"slices"
)

// patience is how often the same thing may happen before it counts as stuck.
const patience = 3

// watch notices a run that makes no progress: a tool that gives the same result
// to the same call, or the same error, in three rounds is closed for the run.
type watch struct {
	same      map[[2]string]int // call → result, rounds in which it came
	errors    map[string]streak // by tool
	closed    map[string]string // tool → why
	fruitless int               // rounds running in which every call was refused
}

type streak struct {
	text   string
	rounds int
}

func newWatch() watch {
	return watch{same: map[[2]string]int{}, errors: map[string]streak{}, closed: map[string]string{}}
}

// forget drops what results were seen: after a fold the model may ask again.
func (w *watch) forget() { clear(w.same) }

// observe counts a round and tells the model in a call's text when its tool closes.
func (w *watch) observe(round []ending) {
	refused := 0
	again := map[[2]string]bool{}
	failed := map[string]string{}
	worked := map[string]bool{}
	for _, e := range round {
		switch {
		case e.refused:
			refused++
		case e.outcome == OutcomeOK:
			worked[e.call.Name] = true
			again[[2]string{e.call.Name + " " + canonical(e.call.Input), e.text}] = true
		case e.outcome == OutcomeError:
			failed[e.call.Name] = e.text
		}
	}
	if w.fruitless++; refused < len(round) {
		w.fruitless = 0
	}
	for key := range again {
		w.same[key]++
	}
	for tool := range worked {
		delete(w.errors, tool)
	}
	for tool, text := range failed {
		s := w.errors[tool]
		if s.text != text {
			s = streak{text: text}
		}
		if s.rounds++; !worked[tool] {
			w.errors[tool] = s
		}
	}
	for i, e := range round {
		why := ""
		switch {
		case e.outcome == OutcomeOK && w.same[[2]string{e.call.Name + " " + canonical(e.call.Input), e.text}] >= patience:
			why = "the same call gave the same result three times"
		case e.outcome == OutcomeError && w.errors[e.call.Name].rounds >= patience:
			why = "it failed three times in the same way"
		}
		if why == "" || e.refused {
			continue
		}
		w.closed[e.call.Name] = why
		round[i].text += "\n\n[loop] " + e.call.Name + " is closed for the rest of this run: " + why + ". Use something else, or end and say so."
	}
}

// hopeless says that nothing can come of this run any more: only refused calls
// for three rounds, or no finishing tool left to end it with.
func (w *watch) hopeless(finish []string) bool {
	open := slices.ContainsFunc(finish, func(name string) bool { return w.closed[name] == "" })
	return w.fruitless >= patience || len(finish) > 0 && !open
}

// canonical is the JSON without regard to spaces and the order of keys.
func canonical(input json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(input)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return string(input)
	}
	return string(b)
}
