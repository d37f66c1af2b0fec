package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sozai/domain"
	"sozai/streams"
)

// eventPrinter writes events as a table whose columns are fixed from the start,
// or as JSON lines.
type eventPrinter struct {
	w       *bufio.Writer
	json    bool
	width   int // of the terminal; 0: no limit
	names   map[domain.Key]string
	started bool
}

// learn keeps the agents' names up to date while following.
func (o *eventPrinter) learn(r domain.Recorded) {
	if o.names != nil {
		learnName(o.names, r)
	}
}

// eventLine is an event as --json prints it.
type eventLine struct {
	Seq       uint64          `json:"seq"`
	ID        domain.ID       `json:"id"`
	Type      string          `json:"type"`
	Version   int             `json:"version"`
	Time      time.Time       `json:"time"`
	Actor     domain.Actor    `json:"actor"`
	Product   string          `json:"product"`
	Agent     domain.ID       `json:"agent"`
	Kind      domain.Kind     `json:"kind"`
	Command   string          `json:"command"`
	Causation domain.ID       `json:"causation,omitempty"`
	Data      json.RawMessage `json:"data"`
	Error     string          `json:"error,omitempty"` // why the event cannot be decoded
}

func lineOf(r domain.Recorded) (eventLine, error) {
	line := eventLine{
		Seq: r.Seq, ID: r.ID, Type: r.Type, Version: r.Version, Time: r.Time, Actor: r.Actor, Product: r.Product,
		Agent: r.Agent, Kind: r.Kind, Command: r.Command, Causation: r.Causation,
	}
	var err error
	if poison, ok := r.Event.(streams.Poison); ok {
		line.Error = poison.Err.Error()
		if line.Data = poison.Raw; !json.Valid(poison.Raw) {
			line.Data, err = json.Marshal(string(poison.Raw))
		}
		return line, err
	}
	line.Data, err = json.Marshal(r.Event)
	return line, err
}

func (o *eventPrinter) print(r domain.Recorded) error {
	line, err := lineOf(r)
	if err != nil {
		return err
	}
	first := !o.started
	o.started = true
	if o.json {
		enc := json.NewEncoder(o.w)
		enc.SetEscapeHTML(false)
		return enc.Encode(line)
	}
	if first {
		o.row("SEQ", "TIME", "AGENT", "TYPE", "ACTOR", "DATA")
	}
	name := o.names[r.Key]
	if name == "" {
		name = "…" + tail(string(r.Agent))
	}
	data := brief(line.Data, o.width > 0)
	if line.Error != "" {
		data = "CANNOT BE READ: " + line.Error + "  " + data
	}
	o.row(fmt.Sprint(r.Seq), r.Time.Local().Format("2006-01-02 15:04:05"), fit(name, 14), r.Type, actorName(r.Actor), data)
	return nil
}

func (o *eventPrinter) row(cells ...string) {
	eventColumns := [...]int{7, 19, 14, 21, 24} // the last column takes the rest
	var line strings.Builder
	for i, cell := range cells {
		pad := 0
		if i < len(eventColumns) {
			pad = max(eventColumns[i]-columns(cell), 0)
		}
		if i == 0 { // a number: to the right
			line.WriteString(strings.Repeat(" ", pad) + cell + "  ")
			continue
		}
		line.WriteString(cell)
		if i < len(cells)-1 {
			line.WriteString(strings.Repeat(" ", pad+2))
		}
	}
	text := line.String()
	if o.width > 0 {
		text = fit(text, o.width)
	}
	_, _ = o.w.WriteString(strings.TrimRight(text, " ") + "\n")
}

// actorName is an actor whose id is cut to its end, which tells it from others.
func actorName(a domain.Actor) string {
	id := string(a.ID())
	if _, err := domain.ParseID(id); err == nil {
		id = "…" + tail(id)
	}
	return fit(a.Role()+":"+id, 24)
}

func tail(id string) string { return id[max(0, len(id)-6):] }

// fit cuts a text to a number of terminal columns.
func fit(text string, n int) string {
	if columns(text) <= n {
		return text
	}
	runes := []rune(text)
	for columns(string(runes)) > n-1 {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// brief is a JSON object on one line as people skim it: key=value, long values
// cut, nested ones counted. With short, of an id only its end is shown, which
// tells it from others.
func brief(data []byte, short bool) string {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return oneLine(string(data), 120)
	}
	var parts []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			break
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			break
		}
		parts = append(parts, fmt.Sprintf("%v=%s", key, briefValue(raw, short)))
	}
	return strings.Join(parts, " ")
}

func briefValue(raw json.RawMessage, short bool) string {
	switch raw[0] {
	case '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return string(raw)
		}
		if _, err := domain.ParseID(text); err == nil && short {
			return "…" + tail(text)
		}
		cut := oneLine(text, 40)
		if strings.ContainsAny(cut, " =") || cut == "" {
			return "“" + cut + "”"
		}
		return cut
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return string(raw)
		}
		if len(list) == 1 {
			return "[" + briefValue(list[0], short) + "]"
		}
		return fmt.Sprintf("[%d]", len(list))
	case '{':
		return "{" + oneLine(brief(raw, short), 60) + "}"
	}
	return string(raw)
}

// sortedKeys lists agents by product and id.
func sortedKeys[V any](m map[domain.Key]V) []domain.Key {
	keys := make([]domain.Key, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b domain.Key) int {
		return strings.Compare(a.Product+"."+string(a.Agent), b.Product+"."+string(b.Agent))
	})
	return keys
}
