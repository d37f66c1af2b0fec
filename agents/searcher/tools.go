package searcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sozai/agents"
	"sozai/agents/source"
	"sozai/domain"
)

// tools is the registry: the fast source's tools always, the competitor's only
// if there is one and the agent uses it.
func (s *session) tools() []agents.Tool {
	list := []agents.Tool{
		{
			ToolSpec: spec("search_fast", `Searches one platform, one page a call; all pages count against the run's limit. `+
				`"new" says how many candidates this run meets for the first time; what the agent has already is counted in "already_saved" and not listed. `+
				`The pages of a query come in order, and there is a next one only while "more" is true. `+
				`Example: {"query":"末日塔防 爆炸","page":2}. `+
				`Errors: [source_paused] the platform asks for a pause, use what is named instead; [source_away] it is not asked any more in this run; `+
				`[request_refused] or [effect_unknown] change the words; [cost_limit] or [no_pages_left] save what fits and finish.`,
				searchSchema(s.env.Fast.Platforms())),
			Execute: s.searchFast,
		},
		{
			ToolSpec: spec("analyze_video", `Looks at a candidate's video, which is fetched first if it lies elsewhere: shot rhythm, spoken hook, captions, highlight rating, one-line verdict. `+
				`Needed before it can be saved. Ask for several candidates in one round. Example: {"candidate":"tiktok:7301"}. `+
				`Errors: [no_media] an import without a file, save it as it is; [video_lost] take another candidate; [no_analyses_left] save what is analysed and finish.`,
				`{"type":"object","additionalProperties":false,"required":["candidate"],"properties":{
				"candidate":{"type":"string","description":"id from a search result"}}}`),
			Execute: s.analyzeVideo,
		},
		{
			ToolSpec: spec("save_materials", `Keeps candidates as materials. Each needs a reason. What is saved already, not analysed, or beyond the target is skipped with the cause. `+
				`Example: {"items":[{"candidate":"tiktok:7301","why":"对上「爆炸」：开场 2 秒 3 次切换，亮点高"}]}.`,
				`{"type":"object","additionalProperties":false,"required":["items"],"properties":{
				"items":{"type":"array","minItems":1,"maxItems":20,"items":{"type":"object","additionalProperties":false,"required":["candidate","why"],"properties":{
				"candidate":{"type":"string"},"why":{"type":"string","description":"which line of the search document it meets and what the analysis showed"}}}}}}`),
			Execute: s.saveMaterials,
		},
		{
			ToolSpec: spec("finish", `Ends the run. Always the last step. Example: {"found":7,"reason":"三个平台连续几页没有新的"}.`,
				`{"type":"object","additionalProperties":false,"required":["found","reason"],"properties":{
				"found":{"type":"integer","minimum":0,"description":"materials saved in this run"},
				"reason":{"type":"string","description":"one sentence: why stop here"}}}`),
			EndsRun: true,
			Execute: s.finish,
		},
	}
	if s.competes() {
		list = append(list, agents.Tool{
			ToolSpec: spec("search_competitor", fmt.Sprintf(`Submits a search of competitors' ads, at most %d a run; it takes minutes and costs money. Page through search_fast meanwhile. `+
				`The same words on the same day are one search: its results come again for free. Example: {"query":"末日塔防 买量素材"}. `+
				`Errors: [no_submissions_left], [source_paused] or [source_away] go on with search_fast; [cost_limit] save what fits and finish.`, domain.CompetitorSubmissions),
				`{"type":"object","additionalProperties":false,"required":["query"],"properties":{"query":{"type":"string"}}}`),
			Execute: s.searchCompetitor,
		}, agents.Tool{
			ToolSpec: spec("check_competitor", fmt.Sprintf(`Asks for the results of a submitted search. It gives what is new since the last time, some at a time while "more" is true. `+
				`Each search is waited for at most %.0f minutes. Example: {"task":"…"}. `+
				`Errors: [competitor_pending] nothing new yet: do something else first, a call that comes too early waits; [competitor_failed] go on with search_fast.`, domain.CompetitorWait.Minutes()),
				`{"type":"object","additionalProperties":false,"required":["task"],"properties":{"task":{"type":"string","description":"from search_competitor"}}}`),
			Execute: s.checkCompetitor,
		})
	}
	return list
}

// competes says whether this run may search the competitor source.
func (s *session) competes() bool { return s.env.Competitor != nil && s.task.uses(competitorSource) }

// searchSchema offers the platforms that are configured, in their order.
func searchSchema(platforms []string) string {
	return fmt.Sprintf(`{"type":"object","additionalProperties":false,"required":["query"],"properties":{
		"query":{"type":"string","description":"search words"},
		"platform":{"type":"string","enum":%s,"description":"where; local is the product's own catalogue, which costs nothing"},
		"page":{"type":"integer","minimum":1,"description":"default 1"}}}`, encode(platforms))
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

// errCost refuses what would be charged.
var errCost = domain.Rule(domain.TooMany, "cost_limit", "the run's cost limit is reached, nothing more may be charged; save what fits and finish")

// reasonOf is an error in the words of whoever made it for others to read.
func reasonOf(err error) string {
	var words []string
	var refusal *domain.Error
	if errors.As(err, &refusal) && refusal.Code != domain.Internal {
		words = append(words, refusal.Message)
	}
	var failed *source.Error
	if errors.As(err, &failed) {
		words = append(words, failed.Source+": "+failed.Message)
	}
	return strings.Join(words, "; ")
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
