package rehearsal_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/rehearsal"
)

func request(t *testing.T, text string, tools ...agents.ToolSpec) agents.Request {
	t.Helper()
	a, err := agents.NewAssembler(agents.Prompt{
		Constitution: "You are a test.", Tools: tools, Context: "gene", Output: 1000,
		Opening: []agents.Message{{Role: agents.User, Blocks: []agents.Block{{Type: agents.TextBlock, Text: text}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	req, err := a.Request()
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func tool(name string) agents.ToolSpec {
	return agents.ToolSpec{Name: name, Description: name, Schema: json.RawMessage(`{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}`)}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	agentstest.Conformance(t, agentstest.Subject{
		New:  func(*testing.T) agents.Model { return rehearsal.New(0) },
		Talk: request(t, "Hello, who are you? Say something."),
		Act:  request(t, "What is the weather in Paris?", tool("get_weather")),
	})
	t.Run("as the butler", func(t *testing.T) {
		t.Parallel()
		agentstest.Conformance(t, agentstest.Subject{
			New:  func(*testing.T) agents.Model { return rehearsal.New(0) },
			Talk: request(t, "<person name=\"Lin\">你好，你是谁？</person>", butlerTools()...),
			Act:  request(t, "<person name=\"Lin\">爆炸感不够</person>", butlerTools()...),
		})
	})
}

func butlerTools() []agents.ToolSpec {
	var out []agents.ToolSpec
	for _, name := range strings.Fields("read_gene view_object analyze_video read_performance read_behavior read_feedback record_feedback propose_gene_card order_search propose_order") {
		out = append(out, tool(name))
	}
	return out
}

func TestSameRequestSameResponse(t *testing.T) {
	t.Parallel()
	m := rehearsal.New(0)
	req := request(t, "<person name=\"Lin\">爆炸感不够，节奏也慢</person>", butlerTools()...)
	first, err := m.Stream(t.Context(), req, func(agents.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	second, err := rehearsal.New(time.Microsecond).Stream(t.Context(), req, func(agents.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Fatal(diff)
	}
	other, err := m.Stream(t.Context(), request(t, "<person name=\"Lin\">爆炸感不够</person>", butlerTools()...), func(agents.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	if first.Blocks[1].ID == other.Blocks[1].ID {
		t.Fatal("another request got the same call id")
	}
}

// A stop that comes while the model waits between two pieces ends it at once.
func TestPaceCanBeStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := rehearsal.New(time.Hour).Stream(ctx, request(t, "hello"), func(agents.Delta) {})
		ended <- err
	}()
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it went on waiting")
	}
}

func TestRefusesARequestWithoutAQuestion(t *testing.T) {
	t.Parallel()
	_, err := rehearsal.New(0).Stream(t.Context(), agents.Request{}, func(agents.Delta) {})
	var m *agents.ModelError
	if !errors.As(err, &m) || m.Kind != agents.BadRequest {
		t.Fatalf("got %v", err)
	}
}
