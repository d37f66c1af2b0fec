package rehearsal

import (
	"encoding/json"
	"regexp"
	"strings"
)

// seen is one result that a plain digest is shown, a line of <evidence>.
type seen struct {
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

var evidenceBlock = regexp.MustCompile(`(?s)^<evidence>\n(.*?)\n</evidence>`)

// plainEvidence reads the results of a digest that is asked once, without tools;
// false if this is none.
func plainEvidence(t transcript) ([]done, bool) {
	m := evidenceBlock.FindStringSubmatch(strings.Join(t.asked, "\n"))
	if m == nil || len(t.order) > 0 {
		return nil, false
	}
	var out []done
	for _, line := range strings.Split(m[1], "\n") {
		var s seen
		if json.Unmarshal([]byte(line), &s) == nil && s.Tool != "" {
			out = append(out, done{tool: s.Tool, input: s.Input, output: string(s.Output), round: 1})
		}
	}
	return out, true
}

// playPlainDigest decides as the digest does, and writes the finishing call down
// instead of making it.
func playPlainDigest(t transcript, evidence []done) move {
	t.calls, t.rounds, t.hints = evidence, 1, "Start nothing new"
	for _, c := range playDigest(t).calls {
		answer, err := json.Marshal(map[string]any{c.tool: c.input})
		if err == nil {
			return move{text: string(answer)}
		}
	}
	return move{text: "{}"}
}
