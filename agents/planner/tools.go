package planner

import (
	"context"
	"encoding/json"
	"strings"

	"sozai/agents"
	"sozai/domain"
)

// tools is the registry; write_board ends the run.
func (s *session) tools() []agents.Tool {
	return []agents.Tool{
		{
			ToolSpec: spec("read_materials", "Lists the usable videos of this agent, best first, ten a page: length, highlight rating, one-line verdict, "+
				`people's reactions, and on how many boards each stands. Example: {"page":1,"text":"爆炸"}`,
				`{"type":"object","additionalProperties":false,"properties":{
				"page":{"type":"integer","minimum":1,"description":"default 1"},
				"text":{"type":"string","description":"only those with this word in title, tags or digest"}}}`),
			Execute: s.readMaterials,
		},
		{
			ToolSpec: spec("view_material", "Looks at one video: the whole digest, the times of its cuts, the stretches between them, and what people wrote about it. "+
				`Needed before a stretch of it is chosen. Example: {"material":"01J…"}`,
				`{"type":"object","additionalProperties":false,"required":["material"],"properties":{
				"material":{"type":"string","description":"id from read_materials"}}}`),
			Execute: s.viewMaterial,
		},
		{
			ToolSpec: spec("read_board", "Reads the base board: every panel with what people said of it, whether it must be kept, and whether it is to change. Takes no input.",
				`{"type":"object","additionalProperties":false,"properties":{}}`),
			Execute: s.readBoard,
		},
		{
			ToolSpec: spec("write_board", "Writes the board and ends the run. Panels stand in their order and are numbered by it. A panel of the base board stays as it was with {\"keep\":true} in its place. "+
				"Refused with the panel numbers named if the limits, a clip's length or what must be kept are not obeyed; then write it again. "+
				`Example: {"title":"一炮清场","why":"…","panels":[{"caption":"守不住了？","seconds":2,"material":"01J…","from":0,"to":2}]}`,
				`{"type":"object","additionalProperties":false,"required":["title","panels","why"],"properties":{
				"title":{"type":"string","description":"at most 80 characters"},
				"why":{"type":"string","description":"one or two sentences: why this order, which rules, which panels changed"},
				"panels":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"object","additionalProperties":false,"properties":{
				"keep":{"type":"boolean","description":"as in the base board; nothing else is needed then"},
				"number":{"type":"integer"},
				"caption":{"type":"string","description":"what stands on the picture, at most 80 characters; may be empty"},
				"seconds":{"type":"number","description":"how long the panel lasts, at least 0.5"},
				"material":{"type":"string","description":"id from read_materials"},
				"from":{"type":"number","description":"second of the clip at which the stretch begins"},
				"to":{"type":"number","description":"second of the clip at which it ends"}}}}}}`),
			EndsRun: true,
			Execute: s.writeBoard,
		},
	}
}

func spec(name, description, schema string) agents.ToolSpec {
	return agents.ToolSpec{Name: name, Description: description, Schema: json.RawMessage(schema)}
}

// input decodes a call's input into a T; what does not fit is refused in words
// that the model can act on.
func input[T any](call agents.Call) (T, error) {
	var in T
	if err := json.Unmarshal(call.Input, &in); err != nil {
		return in, domain.Errorf(domain.Invalid, "the input does not match the schema: %s", err)
	}
	return in, nil
}

// readBoard shows the base board with what people said of its panels.
func (s *session) readBoard(_ context.Context, _ agents.Call) (agents.Output, error) {
	if s.base == nil {
		return agents.Output{}, domain.Rule(domain.NotFound, "no_base", "this run starts from no board; write a new one from the materials")
	}
	type reaction struct {
		Verdict string `json:"verdict,omitempty"`
		Words   string `json:"words,omitempty"`
		Film    bool   `json:"on_a_film,omitempty"`
	}
	type panel struct {
		Number    int        `json:"number"`
		Caption   string     `json:"caption"`
		Seconds   float64    `json:"seconds"`
		Material  domain.ID  `json:"material,omitempty"`
		From      float64    `json:"from"`
		To        float64    `json:"to"`
		Title     string     `json:"title,omitempty"`
		Clip      float64    `json:"clip_seconds,omitempty"`
		Keep      bool       `json:"must_keep,omitempty"`
		Change    bool       `json:"to_change,omitempty"`
		Reactions []reaction `json:"feedback,omitempty"`
	}
	out := struct {
		Title   string     `json:"title"`
		Seconds float64    `json:"seconds"`
		Panels  []panel    `json:"panels"`
		Whole   []reaction `json:"feedback_on_the_whole,omitempty"`
		Quoted  []string   `json:"quoted_fields"`
	}{Title: line(s.base.Title, 80), Panels: []panel{}, Quoted: []string{"title", "panels.caption", "panels.title"}}
	for _, p := range s.base.Panels {
		v := panel{Number: p.Number, Caption: p.Caption, Seconds: p.Seconds, Material: p.Material, From: p.From, To: p.To}
		if c := s.byID[p.Material]; c != nil {
			v.Title, v.Clip = line(c.Title, 40), floor(c.Seconds)
		}
		_, v.Keep = s.kept[p.Number]
		for _, n := range s.change {
			v.Change = v.Change || n == p.Number
		}
		out.Panels = append(out.Panels, v)
		out.Seconds += p.Seconds
	}
	out.Seconds = round(out.Seconds)
	for _, r := range s.said {
		said := reaction{string(r.Verdict), line(r.Words, 200), r.OfFilm}
		if len(r.Panels) == 0 {
			out.Whole = append(out.Whole, said)
		}
		for _, n := range r.Panels {
			if n >= 1 && n <= len(out.Panels) {
				v := &out.Panels[n-1]
				v.Reactions = append(v.Reactions, said)
			}
		}
	}
	return agents.Output{
		Text: encode(out), Object: line(s.base.Title, 60),
		Fold: "read_board: " + line(s.base.Title, 40) + ", " + strings.TrimSpace(s.numbers(s.change)) + " to change",
	}, nil
}
