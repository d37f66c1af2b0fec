package butler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/run"
)

// maxPlainViews is how many objects of waiting feedback a plain digest is shown.
const maxPlainViews = 8

// howToAnswer asks for the one answer of a plain digest.
const howToAnswer = `：<evidence> 里是你的读取工具已经查到的全部结果，每行一个；这一次没有工具可用，只回答一次。
只输出一个 JSON 对象，不要别的话：
要提卡就写 {"propose_update":{…}}，字段与规则同工具 propose_update：search、steer 是完整的新全文，不改的不写；summary、reason、evidence、feedback 必填；evidence 只能列 view_object 看过的对象，feedback 至少有一条带文字的。
不提卡就写 {"no_update":{"reason":"为什么"}}。`

// seenLine is one result that a plain digest is shown.
type seenLine struct {
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

// plainDigest asks the model once. All that the reading tools tell stands in the
// question; the answer takes the way of the two finishing tools, with the same
// checks. A card that they refuse is no card, and the refusal is the reason.
func (s *shift) plainDigest(ctx context.Context, task agents.Task) (agents.Result, error) {
	failed := agents.Result{Reason: run.ReasonInternal, Usage: domain.Usage{Known: true}}
	evidence, err := s.gather(ctx)
	if err != nil {
		if ctx.Err() != nil {
			failed.Reason, err = run.ReasonCancelled, nil
		}
		return failed, err
	}
	text := &task.Opening[0].Blocks[0].Text
	*text = "<evidence>\n" + evidence + "\n</evidence>\n" + *text + howToAnswer

	loop := s.loop(nil, nil)
	loop.Gate = nil      // nothing of it is shown to anybody
	loop.Caps.Rounds = 2 // the second is the retry of a request that failed
	result, err := loop.Run(ctx, task)
	if err != nil || result.Reason != run.ReasonFinished {
		return result, err
	}
	return s.decided(ctx, result)
}

// decided carries out the answer.
func (s *shift) decided(ctx context.Context, result agents.Result) (agents.Result, error) {
	tool, in, ok := plainAnswer(result.Text())
	if !ok {
		result.Reason = run.ReasonModel
		return result, nil
	}
	do := s.proposeUpdate()
	if tool == toolNoUpdate {
		do = s.noUpdate()
	}
	out, err := do.Execute(ctx, agents.Call{ID: "plain", Round: result.Rounds, Input: in})
	var refused *domain.Error
	switch {
	case err == nil:
	case ctx.Err() != nil || errors.Is(err, errFenced):
		result.Reason = run.ReasonCancelled
		return result, nil
	case errors.As(err, &refused) && refused.Code != domain.Internal:
		tool = toolNoUpdate
		in, err = json.Marshal(map[string]string{"reason": fmt.Sprintf("提案不合规则，没有提卡 · the proposal was refused: %s", refused.Message)})
		if err != nil {
			return result, err
		}
	default:
		result.Reason = run.ReasonInternal
		return result, err
	}
	result.Final = &agents.FinalCall{ID: "plain", Tool: tool, Input: in, Output: out}
	return result, nil
}

// plainAnswer reads the one object of an answer; words around it are let pass.
func plainAnswer(text string) (tool string, in json.RawMessage, ok bool) {
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return "", nil, false
	}
	var answer map[string]json.RawMessage
	if json.NewDecoder(strings.NewReader(text[at:])).Decode(&answer) != nil || len(answer) != 1 {
		return "", nil, false
	}
	for _, name := range []string{toolProposeUpdate, toolNoUpdate} {
		if raw, is := answer[name]; is {
			return name, raw, true
		}
	}
	return "", nil, false
}

// gather calls the reading tools, and looks at what feedback with words is about.
func (s *shift) gather(ctx context.Context) (string, error) {
	var lines []string
	read := func(t agents.Tool, in any) (agents.Output, error) {
		raw, err := json.Marshal(in)
		if err != nil {
			return agents.Output{}, err
		}
		out, err := t.Execute(ctx, agents.Call{ID: "plain", Round: 1, Input: raw})
		if err != nil {
			return out, err
		}
		line, err := json.Marshal(seenLine{Tool: t.Name, Input: raw, Output: json.RawMessage(out.Text)})
		lines = append(lines, string(line))
		return out, err
	}
	var waiting feedbackOutput
	for _, t := range []agents.Tool{s.readGene(), s.readFeedback(), s.readPerformance(), s.readBehavior()} {
		out, err := read(t, struct{}{})
		if err != nil {
			return "", fmt.Errorf("read for a plain digest: %w", err)
		}
		if t.Name == toolReadFeedback {
			if err := json.Unmarshal([]byte(out.Text), &waiting); err != nil {
				return "", fmt.Errorf("read for a plain digest: %w", err)
			}
		}
	}
	looked := map[domain.Ref]bool{}
	for _, u := range waiting.Unsettled {
		object := bare(u.Object)
		if !u.Strong || object.ID == "" || looked[object] || len(looked) >= maxPlainViews {
			continue
		}
		looked[object] = true
		_, err := read(s.viewObject(), map[string]string{"type": string(object.Type), "id": string(object.ID)})
		if err != nil && domain.CodeOf(err) != domain.NotFound { // what is gone is not judged
			return "", fmt.Errorf("look for a plain digest: %w", err)
		}
	}
	return strings.Join(lines, "\n"), nil
}
