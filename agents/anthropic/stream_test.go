package anthropic

import (
	"strings"
	"testing"

	"sozai/agents"
)

// FuzzAssembly feeds events, a line each, as a gateway might send them.
func FuzzAssembly(f *testing.F) {
	f.Add(`{"type":"message_start","message":{"model":"m","usage":{"input_tokens":3,"output_tokens":1}}}
{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}
{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"look","input":{}}}
{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b"}}
{"type":"message_delta","delta":{"stop_reason":"tool_use","usage":{"output_tokens":7}}}
{"type":"message_stop"}`)
	f.Add(`{"type":"content_block_delta","index":-1,"delta":{"text":"x"}}`)
	f.Add(`{"type":"message_stop"}`)
	f.Add(`{"type":"message_delta","usage":{"output_tokens":-5,"input_tokens":null}}`)
	f.Fuzz(func(t *testing.T, lines string) {
		var a assembly
		var heard strings.Builder
		stopped := false
		for line := range strings.SplitSeq(lines, "\n") {
			if a.add(line, func(d agents.Delta) { heard.WriteString(d.Text) }) != nil {
				return
			}
			stopped = stopped || strings.Contains(line, "message_stop")
		}
		r := a.response(func() int { return 0 })
		if a.complete && !stopped {
			t.Fatal("complete without message_stop")
		}
		if u := r.Usage; min(u.Input, u.CacheRead, u.CacheWrite, u.Output) < 0 {
			t.Fatalf("negative usage %+v", u)
		}
		n := 0
		for _, b := range r.Blocks {
			if b.Type == agents.TextBlock {
				n += len(b.Text)
			}
		}
		if n != heard.Len() {
			t.Fatalf("%d bytes were streamed, the message has %d", heard.Len(), n)
		}
	})
}

func TestAssemblyRoutesInterleavedBlocks(t *testing.T) {
	t.Parallel()
	var a assembly
	for _, line := range []string{
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"look","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"hologram"}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"light_delta"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1}"}}`,
		`{"type":"brand_new_event"}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"input_tokens":9,"output_tokens":5}}`,
		`{"type":"message_delta","delta":{},"usage":{"input_tokens":0,"output_tokens":8}}`,
		`{"type":"message_stop"}`,
	} {
		if err := a.add(line, func(agents.Delta) {}); err != nil {
			t.Fatal(err)
		}
	}
	r := a.response(func() int { return 0 })
	if !a.complete || len(r.Blocks) != 2 || r.Blocks[0].Text != "hello" || string(r.Blocks[1].Input) != `{"a":1}` {
		t.Fatalf("assembled %+v", r)
	}
	if !r.Usage.Known || r.Usage.Input != 9 || r.Usage.Output != 8 || r.Stop != agents.StopToolUse {
		t.Fatalf("usage %+v, stop %s", r.Usage, r.Stop)
	}
}
