package rehearsal

import (
	"encoding/json"
	"strings"
)

// The notices name the rehearsal to people, once a room.
const (
	noticeZH = "（演练模型在回答：没有配置模型密钥，我按固定规则工作。）"
	noticeEN = "(A rehearsal model is answering: no model key is set, so I follow fixed rules.) "
)

// playOther plays a task that no trade of this product set: it calls the tool
// that the words name, or the only one, once, and then tells what came of it.
func playOther(t transcript) move {
	text := strings.Join(t.asked, "\n")
	zh := chinese(text)
	if len(t.calls) == 0 {
		for _, name := range t.order {
			if len(t.order) == 1 || strings.Contains(text, name) {
				return move{calls: []call{{name, sample(t.tools[name].Schema)}}}
			}
		}
		return move{text: phrase{noticeZH, noticeEN}.in(zh) + phrase{"收到。", "Understood."}.in(zh)}
	}
	last := t.calls[len(t.calls)-1]
	if last.failed {
		return move{text: phrase{"工具没有成功：", "The tool did not succeed: "}.in(zh) + firstSentence(last.output)}
	}
	return move{text: phrase{"工具返回：", "The tool returned: "}.in(zh) + clip(strings.TrimSpace(last.output), 200)}
}

// sample is an input with a value for every required property.
func sample(schema json.RawMessage) map[string]any {
	var s struct {
		Properties map[string]struct {
			Type string `json:"type"`
			Enum []any  `json:"enum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	in := map[string]any{}
	if json.Unmarshal(schema, &s) != nil {
		return in
	}
	for _, name := range s.Required {
		p := s.Properties[name]
		switch {
		case len(p.Enum) > 0:
			in[name] = p.Enum[0]
		case p.Type == "integer" || p.Type == "number":
			in[name] = 1
		case p.Type == "boolean":
			in[name] = true
		case p.Type == "array":
			in[name] = []any{}
		case p.Type == "object":
			in[name] = map[string]any{}
		default:
			in[name] = "rehearsal"
		}
	}
	return in
}
