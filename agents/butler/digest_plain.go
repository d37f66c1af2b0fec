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

// howToRepeat tells what an answer was refused for.
const howToRepeat = "[digest] 没有收下：%s。再答最后一次：照同样的格式只输出一个 JSON 对象，改好提案，或写 no_update 说明为什么不提。"

// seenLine is one result that a plain digest is shown.
type seenLine struct {
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

// plainRounds is room for an answer and one after a refusal, each with the retry of
// a request that failed, and none near enough to the cap to be told of it.
const plainRounds = 6

// plainDigest asks the model once. All that the reading tools tell stands in the
// question; the answer takes the way of the two finishing tools, with the same
// checks. What they refuse is told to the model, which may answer once more; a
// card that is refused again is no card, and the refusal is the reason.
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

	var answer strings.Builder // as far as it was not refused
	var d decision
	loop := s.loop(nil, nil)
	loop.Gate = nil // nothing of it is shown to anybody
	loop.Caps.Rounds = plainRounds
	loop.Emit = func(e agents.Event) {
		if e.Type == agents.EventText {
			answer.WriteString(e.Text)
		}
	}
	loop.Objection = func() string {
		if d = s.carryOut(ctx, answer.String()); d.refusal() == nil {
			return ""
		}
		answer.Reset()
		return fmt.Sprintf(howToRepeat, inFull(d.refusal()))
	}
	result, err := loop.Run(ctx, task)
	if err != nil || result.Reason != run.ReasonFinished {
		return result, err
	}
	if d.refusal() != nil {
		d = s.carryOut(ctx, answer.String())
	}
	return d.end(ctx, result)
}

// decision is what came of an answer: the finishing call that it asked for.
type decision struct {
	tool  string // "" = it is not in the form that was asked for
	input json.RawMessage
	out   agents.Output
	err   error // of the tool
}

// carryOut makes the call that an answer asks for.
func (s *shift) carryOut(ctx context.Context, answer string) (d decision) {
	var ok bool
	if d.tool, d.input, ok = plainAnswer(answer); !ok {
		return decision{}
	}
	do := s.proposeUpdate()
	if d.tool == toolNoUpdate {
		do = s.noUpdate()
	}
	d.out, d.err = do.Execute(ctx, agents.Call{ID: "plain", Round: 1, Input: d.input})
	return d
}

// refusal is what the tool holds against the call, nil if it is something else
// that went wrong, or nothing.
func (d decision) refusal() *domain.Error {
	var refused *domain.Error
	if errors.Is(d.err, errFenced) || !errors.As(d.err, &refused) || refused.Code == domain.Internal {
		return nil
	}
	return refused
}

// inFull is a refusal for the model: what it is about included.
func inFull(refused *domain.Error) string {
	if len(refused.Details) > 0 {
		if details, err := json.Marshal(refused.Details); err == nil {
			return refused.Message + " " + string(details)
		}
	}
	return refused.Message
}

// forPeople is a refusal for the row that closes the run, with the lines that it
// is about if it is about lines.
func forPeople(refused *domain.Error) string {
	zh := "提案两次都不合规则，没有提卡"
	if lines, ok := refused.Details["lines"].([]map[string]any); ok {
		zh += "：人写的行不能删改"
		for _, l := range lines {
			zh += fmt.Sprintf("「%s」", l["line"])
		}
	}
	return zh + " · the proposal was refused twice, so there is no card: " + refused.Message
}

// end ends the digest with what came of its last answer. A card that was refused
// is none, and the refusal is the reason.
func (d decision) end(ctx context.Context, result agents.Result) (agents.Result, error) {
	switch refused := d.refusal(); {
	case d.err == nil && d.tool != "":
	case ctx.Err() != nil || errors.Is(d.err, errFenced):
		result.Reason = run.ReasonCancelled
		return result, nil
	case d.tool == "", refused != nil && d.tool == toolNoUpdate:
		result.Reason = run.ReasonModel
		return result, nil
	case refused != nil:
		reason, err := json.Marshal(map[string]string{"reason": forPeople(refused)})
		if err != nil {
			return result, err
		}
		d.tool, d.input = toolNoUpdate, reason
	default:
		result.Reason = run.ReasonInternal
		return result, d.err
	}
	result.Final = &agents.FinalCall{ID: "plain", Tool: d.tool, Input: d.input, Output: d.out}
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
