package searcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sozai/agents"
	"sozai/agents/source"
	"sozai/domain"
)

// tools is the registry: the fast source's tools always, the competitor's only
// if there is one.
func (s *session) tools() []agents.Tool {
	list := []agents.Tool{
		{
			ToolSpec: spec("search_fast", "Searches the fast source, one page a call. Pages count against the run's limit.",
				`{"type":"object","additionalProperties":false,"required":["query"],"properties":{
				"query":{"type":"string","description":"search words, e.g. 末日塔防 爆炸"},
				"platform":{"type":"string","description":"only this platform, e.g. tiktok"},
				"page":{"type":"integer","minimum":1,"description":"default 1"}}}`),
			Execute: s.searchFast,
		},
		{
			ToolSpec: spec("analyze_video", "Analyses a candidate's video: shot rhythm, spoken hook, captions, highlight rating, one-line verdict. Needed before it can be saved, unless it has no media.",
				`{"type":"object","additionalProperties":false,"required":["candidate"],"properties":{
				"candidate":{"type":"string","description":"id from a search result"}}}`),
			Execute: s.analyzeVideo,
		},
		{
			ToolSpec: spec("save_materials", "Keeps candidates as materials. Each needs a reason. What is saved already, not analysed, or beyond the target is skipped with the cause.",
				`{"type":"object","additionalProperties":false,"required":["items"],"properties":{
				"items":{"type":"array","minItems":1,"maxItems":20,"items":{"type":"object","additionalProperties":false,"required":["candidate","why"],"properties":{
				"candidate":{"type":"string"},"why":{"type":"string","description":"which line of the search document it meets and what the analysis showed"}}}}}}`),
			Execute: s.saveMaterials,
		},
		{
			ToolSpec: spec("finish", "Ends the run. Always the last step.",
				`{"type":"object","additionalProperties":false,"required":["found","reason"],"properties":{
				"found":{"type":"integer","minimum":0,"description":"materials saved in this run"},
				"reason":{"type":"string","description":"one sentence: why stop here"}}}`),
			EndsRun: true,
			Execute: s.finish,
		},
	}
	if s.env.Competitor != nil {
		list = append(list, agents.Tool{
			ToolSpec: spec("search_competitor", "Submits a search of competitors' ads; it takes minutes. Use the wait to page through the fast source.",
				`{"type":"object","additionalProperties":false,"required":["query"],"properties":{"query":{"type":"string"}}}`),
			Execute: s.searchCompetitor,
		}, agents.Tool{
			ToolSpec: spec("check_competitor", "Asks for the result of a submitted competitor search.",
				`{"type":"object","additionalProperties":false,"required":["task"],"properties":{"task":{"type":"string"}}}`),
			Execute: s.checkCompetitor,
		})
	}
	return list
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

// refusal turns a source's error into what the loop waits for and the model reads.
func refusal(err error) error {
	var e *source.Error
	if errors.As(err, &e) {
		return &agents.ToolError{Message: fmt.Sprintf("the source %s is %s: %s", e.Source, e.Kind, e.Message), RetryAfter: e.RetryAfter, Err: err}
	}
	return err
}

func (s *session) finish(_ context.Context, call agents.Call) (agents.Output, error) {
	in, err := input[struct {
		Found  int    `json:"found"`
		Reason string `json:"reason"`
	}](call)
	if err != nil {
		return agents.Output{}, err
	}
	if in.Reason = clip(in.Reason, 300); in.Reason == "" {
		return agents.Output{}, domain.Errorf(domain.Invalid, "reason is empty: say in one sentence why the search stops here")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reason = in.Reason
	out := struct {
		Found  int    `json:"found"`
		Reason string `json:"reason"`
	}{len(s.own), in.Reason} // the count is ours, whatever the model says
	return agents.Output{Text: string(encode(out)), Receipt: agents.Receipt{Kind: "finish", ID: string(s.task.Run)}}, nil
}
