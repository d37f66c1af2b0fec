package rehearsal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"sync"
	"testing"

	"sozai/agents"
	"sozai/agents/rehearsal"
	"sozai/domain"
)

const (
	materialA = "01J9ZZZZZZ0000000000000001"
	filmB     = "01J9ZZZZZZ0000000000000002"
	boardC    = "01J9ZZZZZZ0000000000000003"
)

// office plays the butler's tools over a small state of its own, with the rules
// that matter here: evidence first, base version, one card a turn.
type office struct {
	t *testing.T

	mu       sync.Mutex
	room     string // the history before what is to be answered
	version  int
	search   string
	steer    string
	waiting  []map[string]any
	perf     string
	refuse   map[string]string // tool → refusal, once
	viewed   map[string]bool
	calls    []string
	recorded []map[string]any
	cards    []map[string]any
	orders   []map[string]any
	ended    map[string]any
}

func newOffice(t *testing.T) *office {
	return &office{
		t: t, version: 1, search: "末日塔防\n要有丧尸", steer: "竖屏\n前 3 秒出现敌人",
		refuse: map[string]string{}, viewed: map[string]bool{},
		perf: `{"versions":[],"baseline":0}`,
	}
}

func (o *office) tools(digest bool) []agents.Tool {
	names := "read_gene view_object analyze_video read_performance read_behavior read_feedback "
	if digest {
		names += "propose_update no_update"
	} else {
		names += "record_feedback propose_gene_card order_search propose_order"
	}
	var out []agents.Tool
	for _, name := range strings.Fields(names) {
		out = append(out, agents.Tool{
			ToolSpec: tool(name), EndsRun: name == "propose_update" || name == "no_update",
			Execute: func(_ context.Context, c agents.Call) (agents.Output, error) { return o.call(name, c) },
		})
	}
	return out
}

func (o *office) call(name string, c agents.Call) (agents.Output, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, name)
	var in map[string]any
	if err := json.Unmarshal(c.Input, &in); err != nil {
		o.t.Errorf("%s: %v", name, err)
	}
	if why := o.refuse[name]; why != "" {
		delete(o.refuse, name)
		if why == "base_moved" {
			o.version, o.search = o.version+1, o.search+"\n要有城墙"
			why = "the gene has moved to V2 [base_moved]"
		}
		return agents.Output{}, domain.Errorf(domain.Conflict, "%s", why)
	}
	out := agents.Output{}
	put := func(v any) { raw, _ := json.Marshal(v); out.Text = string(raw) }
	switch name {
	case "read_gene":
		put(map[string]any{"version": o.version, "search": doc(o.search), "steer": doc(o.steer), "constraints": map[string]any{}, "versions": []any{}})
	case "view_object":
		id := in["id"].(string)
		if strings.HasSuffix(id, "9") {
			return out, domain.Errorf(domain.NotFound, "there is no such object in this agent")
		}
		o.viewed[id] = true
		put(map[string]any{"type": in["type"], "id": id, "title": "一条素材", "analyzed": true,
			"digest": map[string]any{"shot_rhythm": "平均 4 秒一镜", "spoken_hook": "无", "highlight": "medium", "verdict": "节奏平"}, "boards": 2, "films": 1})
	case "read_feedback":
		put(map[string]any{"unsettled": append([]map[string]any{}, o.waiting...), "run_outcomes": []any{}})
	case "read_performance":
		out.Text = o.perf
	case "read_behavior":
		put(map[string]any{"rows": []any{}, "viewed": 3, "ignored": 1, "downloaded": 0})
	case "record_feedback":
		id := fmt.Sprintf("F%d", len(o.recorded)+1)
		object := in["object"].(map[string]any)
		if object["type"] != "whole" && !o.viewed[object["id"].(string)] {
			return out, domain.Errorf(domain.Conflict, "view_object it first")
		}
		in["feedback"] = id
		o.recorded = append(o.recorded, in)
		put(map[string]any{"feedback": id})
		out.Receipt = agents.Receipt{Kind: "feedback", ID: id}
	case "propose_gene_card", "propose_update":
		o.cards = append(o.cards, in)
		put(map[string]any{"card": fmt.Sprintf("C%d", len(o.cards)), "base_version": o.version, "would_be": o.version + 1})
		out.Receipt = agents.Receipt{Kind: "card", ID: fmt.Sprintf("C%d", len(o.cards))}
	case "order_search", "propose_order":
		o.orders = append(o.orders, in)
		put(map[string]any{"order": fmt.Sprintf("O%d", len(o.orders)), "state": "pending"})
		out.Receipt = agents.Receipt{Kind: "order", ID: fmt.Sprintf("O%d", len(o.orders))}
	case "no_update":
		o.ended = in
		put(map[string]any{})
	}
	return out, nil
}

func doc(text string) map[string]any {
	var lines []any
	for i, l := range strings.Split(text, "\n") {
		lines = append(lines, map[string]any{"n": i + 1, "text": l, "by": "Lin", "role": "person"})
	}
	return map[string]any{"text": text, "lines": lines}
}

// says plays a turn; what the people say is written as the butler writes it.
func (o *office) says(messages ...string) agents.Result {
	o.t.Helper()
	loop := agents.Loop{Model: rehearsal.New(0), Tools: o.tools(false)}
	r, err := loop.Run(o.t.Context(), agents.Task{
		Turn: "01J9ZZZZZZ00000000000000TT", Attempt: 1, Constitution: "管家", Context: "gene",
		Opening: []agents.Message{{Role: agents.User, Blocks: []agents.Block{{Type: agents.TextBlock, Text: o.room +
			"<unanswered>\n" + strings.Join(messages, "\n") + "\n</unanswered>\n请回答 <unanswered> 里的每一条消息。"}}}},
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return r
}

func said(name, text string, refs ...string) string {
	cites := ""
	if len(refs) > 0 {
		cites = fmt.Sprintf(" cites=%q", strings.Join(refs, "; "))
	}
	return fmt.Sprintf("<person name=%q at=\"2026-01-02 03:04\"%s>%s</person>", name, cites, html.EscapeString(text))
}

func (o *office) digest() agents.Result {
	o.t.Helper()
	loop := agents.Loop{Model: rehearsal.New(0), Tools: o.tools(true)}
	r, err := loop.Run(o.t.Context(), agents.Task{
		Run: "01J9ZZZZZZ00000000000000RR", Attempt: 1, Constitution: "管家", Context: "gene",
		Opening: []agents.Message{{Role: agents.User, Blocks: []agents.Block{{Type: agents.TextBlock, Text: "消化"}}}},
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return r
}
