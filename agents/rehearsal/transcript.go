package rehearsal

import (
	"encoding/json"
	"strings"
	"unicode"

	"sozai/agents"
)

// transcript is a request as a player sees it.
type transcript struct {
	tools  map[string]agents.ToolSpec
	order  []string // tool names as offered
	system string
	asked  []string // texts of user messages before the first call of this run, oldest first
	spoken bool     // the room's history holds an answer of the butler
	said   string   // what this run has said so far
	calls  []done   // calls of this run, in order, each with its result
	hints  string   // texts of the newest results and of words the loop added to them
	rounds int      // assistant messages of this run
}

// done is a call and what came of it.
type done struct {
	tool   string
	input  json.RawMessage
	output string
	failed bool
	round  int // from 1
}

// read takes a request apart. Everything before the last user text that no
// tool call precedes is history of the room.
func read(req agents.Request) transcript {
	t := transcript{tools: map[string]agents.ToolSpec{}}
	for _, s := range req.Tools {
		t.tools[s.Name] = s
		t.order = append(t.order, s.Name)
	}
	var sys []string
	for _, s := range req.System {
		sys = append(sys, s.Text)
	}
	t.system = strings.Join(sys, "\n")
	t.spoken = len(req.Messages) > 0 && strings.Contains(allText(req.Messages[0]), "<butler")

	byID := map[string]int{}
	for _, m := range req.Messages {
		if m.Role == agents.Assistant {
			t.rounds++
			for _, b := range m.Blocks {
				switch b.Type {
				case agents.TextBlock:
					t.said += b.Text + "\n"
				case agents.ToolUse:
					byID[b.ID] = len(t.calls)
					t.calls = append(t.calls, done{tool: b.Name, input: b.Input, round: t.rounds})
				}
			}
			continue
		}
		var texts, results []string
		for _, b := range m.Blocks {
			switch b.Type {
			case agents.TextBlock:
				texts = append(texts, b.Text)
			case agents.ToolResult:
				results = append(results, b.Text)
				if i, ok := byID[b.ID]; ok {
					t.calls[i].output, t.calls[i].failed = b.Text, b.IsError
				}
			}
		}
		told := strings.Join(texts, "\n")
		switch {
		case strings.HasPrefix(told, "[loop]") || strings.HasPrefix(told, "[gate]"):
			t.hints = told // the machinery speaks, not a person
		case len(results) > 0:
			t.hints = strings.Join(append(results, texts...), "\n")
		case len(texts) > 0 && len(t.calls) == 0 && t.rounds == 0:
			t.asked = append(t.asked, texts...)
		case len(texts) > 0 && lastFinished(t):
			// A later message of people: what was answered before it is history.
			t.asked = texts
			t.calls, t.said, t.hints, t.rounds = nil, "", "", 0
			byID = map[string]int{}
		default:
			t.hints = told
		}
	}
	return t
}

func allText(m agents.Message) string {
	var b strings.Builder
	for _, block := range m.Blocks {
		b.WriteString(block.Text)
	}
	return b.String()
}

// lastFinished says whether the newest assistant message called no tool, so
// that the text that follows opens a new exchange.
func lastFinished(t transcript) bool {
	return len(t.calls) == 0 || t.calls[len(t.calls)-1].round < t.rounds
}

func (t transcript) offers(tool string) bool { _, ok := t.tools[tool]; return ok }

// of lists the calls of one tool.
func (t transcript) of(tool string) []done {
	var out []done
	for _, d := range t.calls {
		if d.tool == tool {
			out = append(out, d)
		}
	}
	return out
}

// result decodes the newest successful output of a tool; false if there is none.
func (t transcript) result(tool string, into any) bool {
	for i := len(t.calls) - 1; i >= 0; i-- {
		d := t.calls[i]
		if d.tool == tool && !d.failed && decode(d.output, into) {
			return true
		}
	}
	return false
}

// tried says whether a tool was called, and how often it was refused.
func (t transcript) tried(tool string) (calls, refusals int) {
	for _, d := range t.calls {
		if d.tool == tool {
			calls++
			if d.failed {
				refusals++
			}
		}
	}
	return calls, refusals
}

// decode reads the first JSON object of a text; words of the loop may follow it.
func decode(text string, into any) bool {
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return false
	}
	return json.NewDecoder(strings.NewReader(text[at:])).Decode(into) == nil
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// chinese says whether a text is to be answered in Chinese.
func chinese(text string) bool {
	han, latin := 0, 0
	for _, r := range text {
		switch {
		case isHan(r):
			han++
		case r < 128 && unicode.IsLetter(r):
			latin++
		}
	}
	return han > 0 && han*3 >= latin
}
