package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sozai/domain"
)

// Assembler is the only way to build a Request. The prompt has three stretches:
// L0 (tools sorted by name, then the constitution) is the same for everybody, L1
// (gene and brief) the same for an agent until its gene moves, L2 is the
// transcript and only grows, except when it is folded. Nothing else may enter the
// prefix: no clock, no id of a run, nothing in map order; only so does the
// provider's prompt cache hold. Not safe for concurrent use.
type Assembler struct {
	system   []Segment
	tools    []ToolSpec
	messages []Message
	output   int

	folds  map[string]string // one line a tool result, by call id
	size   int               // estimate of the next request, uncorrected; 0 = to be made anew
	sent   int               // that of the last request
	marker int               // block index of the last request's rolling marker, -1 = none
	scale  float64           // tokens as counted by the provider / estimate
}

// Prompt is what an Assembler starts from.
type Prompt struct {
	Constitution string
	Tools        []ToolSpec
	Context      string
	Opening      []Message
	Output       int // max_tokens of each request
}

// markerSpan is how many blocks may lie between two markers: a provider looks
// only about 20 blocks back for an earlier cache entry.
const markerSpan = 15

// NewAssembler checks the prompt: tools with distinct names and objects as
// schemas, an opening whose roles alternate from User to User.
func NewAssembler(p Prompt) (*Assembler, error) {
	a := &Assembler{
		output: p.Output, scale: 1, marker: -1, folds: map[string]string{},
	}
	a.tools = slices.Clone(p.Tools)
	slices.SortFunc(a.tools, func(x, y ToolSpec) int { return strings.Compare(x.Name, y.Name) })
	for i, t := range a.tools {
		if i > 0 && a.tools[i-1].Name == t.Name {
			return nil, fmt.Errorf("two tools are called %q", t.Name)
		}
		schema, err := orderedObject(t.Schema)
		if err != nil {
			return nil, fmt.Errorf("schema of tool %s: %w", t.Name, err)
		}
		a.tools[i].Schema = schema
	}
	for _, text := range []string{p.Constitution, p.Context} {
		if text != "" {
			a.system = append(a.system, Segment{Text: text, Breakpoint: true})
		}
	}
	for i, m := range p.Opening {
		want := User
		if i%2 == 1 {
			want = Assistant
		}
		if m.Role != want {
			return nil, fmt.Errorf("opening message %d is of %s, not of %s", i+1, m.Role, want)
		}
		m.Blocks = withoutEmpty(m.Blocks)
		if len(m.Blocks) == 0 {
			return nil, fmt.Errorf("opening message %d is empty", i+1)
		}
		calls := a.openCalls()
		a.messages = append(a.messages, m)
		a.remember(calls, m.Blocks)
	}
	if len(a.messages)%2 == 0 {
		return nil, errors.New("the opening must end with a message of the user")
	}
	return a, nil
}

// orderedObject is a schema with its keys in order and without spaces, so that
// one that was built from a map has the same bytes every time.
func orderedObject(schema json.RawMessage) (json.RawMessage, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(schema, &object); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, errors.New("not a JSON object")
	}
	return json.RawMessage(canonical(schema)), nil
}

// withoutEmpty drops text blocks without text, which the Messages API refuses.
func withoutEmpty(blocks []Block) []Block {
	return slices.DeleteFunc(slices.Clone(blocks), func(b Block) bool {
		return b.Type == TextBlock && strings.TrimSpace(b.Text) == ""
	})
}

// Respond adds the model's answer. Its calls must be answered by Results next; an
// input that is not a JSON object is kept as quoted text, so that the request
// stays valid.
func (a *Assembler) Respond(blocks []Block) {
	blocks = withoutEmpty(blocks)
	if !slices.ContainsFunc(blocks, func(b Block) bool { return b.Type != Thinking }) {
		blocks = append(blocks, Block{Type: TextBlock, Text: "…"})
	}
	for i := range blocks {
		b := &blocks[i]
		b.Breakpoint = false
		if b.Type == ToolUse {
			b.Input = objectOr(b.Input)
		}
	}
	a.messages = append(a.messages, Message{Role: Assistant, Blocks: blocks})
	a.size = 0
}

func objectOr(input json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if len(input) == 0 {
		return json.RawMessage("{}")
	}
	if json.Unmarshal(input, &object) == nil && object != nil {
		return input
	}
	quoted, err := json.Marshal(map[string]string{"unparsed": string(input)})
	if err != nil {
		return json.RawMessage("{}")
	}
	return quoted
}

// ResultOf is a tool result for the transcript; Fold is the line that stands for
// it once it is folded away, "" for a generic one.
type ResultOf struct {
	Call    string
	Text    string
	IsError bool
	Fold    string
}

// Results answers the calls of the last response, in their order: a call without
// a result is answered as interrupted, a result without a call is dropped.
func (a *Assembler) Results(results []ResultOf) {
	byCall := make(map[string]ResultOf, len(results))
	for _, r := range results {
		byCall[r.Call] = r
	}
	var blocks []Block
	for _, call := range a.openCalls() {
		r, ok := byCall[call.ID]
		if !ok {
			r = ResultOf{Text: "interrupted: this call has no result; whether it took effect is not known", IsError: true}
		}
		if strings.TrimSpace(r.Text) == "" {
			r.Text = "(empty)"
		}
		a.folds[call.ID] = foldLine(call, r)
		blocks = append(blocks, Block{Type: ToolResult, ID: call.ID, Name: call.Name, Text: r.Text, IsError: r.IsError})
	}
	if len(blocks) > 0 {
		a.messages = append(a.messages, Message{Role: User, Blocks: blocks})
		a.size = 0
	}
}

// remember keeps the lines for results that an opening brings along.
func (a *Assembler) remember(calls, results []Block) {
	for _, r := range results {
		i := slices.IndexFunc(calls, func(c Block) bool { return r.Type == ToolResult && c.ID == r.ID })
		if i >= 0 {
			a.folds[r.ID] = foldLine(calls[i], ResultOf{Text: r.Text, IsError: r.IsError})
		}
	}
}

// openCalls are the calls of the last message that nobody has answered yet.
func (a *Assembler) openCalls() []Block {
	if len(a.messages) == 0 {
		return nil
	}
	var calls []Block
	if last := a.messages[len(a.messages)-1]; last.Role == Assistant {
		for _, b := range last.Blocks {
			if b.Type == ToolUse {
				calls = append(calls, b)
			}
		}
	}
	return calls
}

// Tell says something to the model: in the text of the newest tool result where
// there is one (a text after results teaches a model to stop), else as a message.
func (a *Assembler) Tell(text string) {
	if len(a.openCalls()) > 0 {
		a.Results(nil)
	}
	a.size = 0
	last := &a.messages[len(a.messages)-1]
	if last.Role == Assistant {
		a.messages = append(a.messages, Message{Role: User, Blocks: []Block{{Type: TextBlock, Text: text}}})
		return
	}
	b := &last.Blocks[len(last.Blocks)-1]
	b.Text += "\n\n" + text
}

// Transcript is a copy of the messages so far, without marks.
func (a *Assembler) Transcript() []Message {
	out := make([]Message, len(a.messages))
	for i, m := range a.messages {
		out[i] = Message{Role: m.Role, Blocks: slices.Clone(m.Blocks)}
	}
	return out
}

// Request builds the next round's input: open calls are answered as interrupted,
// and at most four breakpoints are set: the end of L0, the end of L1, the last
// block of the newest user message and, if that lies more than 15 blocks after
// the mark of the request before, that older one again.
func (a *Assembler) Request() (Request, error) {
	if len(a.openCalls()) > 0 {
		a.Results(nil)
	}
	if a.messages[len(a.messages)-1].Role != User {
		return Request{}, errors.New("the transcript ends with the model's own words: nothing to answer")
	}
	req := Request{System: slices.Clone(a.system), Tools: slices.Clone(a.tools), Messages: a.Transcript(), MaxTokens: a.output}
	last := 0
	for _, m := range req.Messages {
		last += len(m.Blocks)
	}
	last--
	mark(req.Messages, last)
	if a.marker >= 0 && last-a.marker > markerSpan {
		mark(req.Messages, a.marker)
	}
	a.marker, a.sent = last, a.estimate()
	return req, nil
}

func mark(messages []Message, index int) {
	for _, m := range messages {
		if index < len(m.Blocks) {
			m.Blocks[index].Breakpoint = true
			return
		}
		index -= len(m.Blocks)
	}
}

// Observe corrects the estimates by what the provider counted for the last request.
func (a *Assembler) Observe(u domain.Usage) {
	prompt := u.Input + u.CacheWrite + u.CacheRead
	if u.Known && prompt > 0 && a.sent > 0 {
		a.scale = min(max(float64(prompt)/float64(a.sent), 0.5), 3)
	}
}

// Tokens is the estimated size of the next request.
func (a *Assembler) Tokens() int { return int(float64(a.estimate()) * a.scale) }
