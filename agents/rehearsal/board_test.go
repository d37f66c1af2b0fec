package rehearsal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"sozai/agents"
	"sozai/agents/rehearsal"
	"sozai/domain"
	"sozai/domain/run"
)

// desk is a planner's tools over canned materials.
type desk struct {
	refuse func(material string) bool // panels with this material are refused
	boards [][]string                 // the materials of each board that was written
}

func (d *desk) tools() []agents.Tool {
	answer := func(name, text string) agents.Tool {
		return agents.Tool{ToolSpec: tool(name), Execute: func(context.Context, agents.Call) (agents.Output, error) {
			return agents.Output{Text: text}, nil
		}}
	}
	return []agents.Tool{
		answer("read_materials", `{"page":1,"pages":1,"items":[
			{"material":"A","title":"爆炸","seconds":9,"highlight":"high"},{"material":"B","title":"塔防","seconds":9,"highlight":"medium"}]}`),
		answer("view_material", `{"seconds":9,"scenes":[{"from":0,"to":4},{"from":4,"to":9}]}`),
		answer("read_board", `{}`),
		{ToolSpec: tool("write_board"), EndsRun: true, Execute: func(_ context.Context, call agents.Call) (agents.Output, error) {
			var in struct{ Panels []struct{ Material string } }
			if err := json.Unmarshal(call.Input, &in); err != nil {
				return agents.Output{}, err
			}
			var used []string
			faults := ""
			for i, p := range in.Panels {
				if used = append(used, p.Material); d.refuse(p.Material) {
					faults += fmt.Sprintf("\n- panel %d: %s cannot be used", i+1, p.Material)
				}
			}
			if d.boards = append(d.boards, used); faults != "" {
				return agents.Output{}, domain.Errorf(domain.Invalid, "nothing was written:%s", faults)
			}
			return agents.Output{Text: "{}"}, nil
		}},
	}
}

func (d *desk) plan(t *testing.T) agents.Result {
	t.Helper()
	loop := agents.Loop{Model: rehearsal.New(0), Tools: d.tools()}
	result, err := loop.Run(t.Context(), agents.Task{
		Run: "r", Attempt: 1, Constitution: "You are a test.", Context: "<creative_rules>\n竖屏\n</creative_rules>",
		Opening: []agents.Message{{Role: agents.User, Blocks: []agents.Block{{Type: agents.TextBlock, Text: "<task>\n{\"what\":\"爆炸\",\"max_seconds\":9}\n</task>"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestBoardDoesWithoutWhatIsRefused(t *testing.T) {
	t.Parallel()
	d := &desk{refuse: func(material string) bool { return material == "A" }}
	if r := d.plan(t); r.Reason != run.ReasonFinished || len(d.boards) != 2 {
		t.Fatalf("it ended by %s after %v", r.Reason, d.boards)
	}
	for _, material := range d.boards[1] {
		if material != "B" {
			t.Fatalf("the second board uses %v", d.boards[1])
		}
	}
}

func TestBoardThatIsAlwaysRefusedIsGivenUp(t *testing.T) {
	t.Parallel()
	d := &desk{refuse: func(string) bool { return true }}
	if r := d.plan(t); r.Reason != run.ReasonStuck || len(d.boards) == 0 || len(d.boards) > 3 {
		t.Fatalf("it ended by %s after %d boards", r.Reason, len(d.boards))
	}
}
