package agentstest

import (
	"fmt"

	"sozai/agents"
	"sozai/domain"
)

// script lists the events of a message in the order of the API.
func (s *AnthropicServer) script(n int, model string, scene Scene, u domain.Usage) []sse {
	r := scene.Reply
	if r.Model != "" {
		model = r.Model
	}
	var out []sse
	add := func(kind string, fields map[string]any) {
		fields["type"] = kind
		out = append(out, newSSE(kind, fields))
	}
	start := map[string]any{"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil}
	atStart, atEnd := vendorUsage(u)
	switch {
	case r.NoUsage:
		atStart, atEnd = nil, nil
	case r.Says != nil:
		atStart, atEnd = r.Says(u)
	}
	if atStart != nil {
		start["usage"] = atStart
	}
	add("message_start", map[string]any{"message": start})
	index := 0
	block := func(begin map[string]any, deltas ...map[string]any) {
		add("content_block_start", map[string]any{"index": index, "content_block": begin})
		for _, d := range deltas {
			add("content_block_delta", map[string]any{"index": index, "delta": d})
		}
		add("content_block_stop", map[string]any{"index": index})
		index++
	}
	if r.Thinking != "" {
		var deltas []map[string]any
		for _, part := range parts(r.Thinking, 6) {
			deltas = append(deltas, map[string]any{"type": "thinking_delta", "thinking": part})
		}
		deltas = append(deltas, map[string]any{"type": "signature_delta", "signature": "sig-" + fmt.Sprint(len(r.Thinking))})
		block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, deltas...)
	}
	if r.Redacted != "" {
		block(map[string]any{"type": "redacted_thinking", "data": r.Redacted})
	}
	if r.Text != "" {
		var deltas []map[string]any
		for _, part := range parts(r.Text, 4) {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": part})
		}
		block(map[string]any{"type": "text", "text": ""}, deltas...)
	}
	for i, c := range r.Calls {
		input := r.input(i)
		deltas := []map[string]any{{"type": "input_json_delta", "partial_json": ""}}
		for _, part := range parts(input, 5) {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": part})
		}
		id := c.ID
		if id == "" {
			id = fmt.Sprintf("toolu_%d_%d", n, i)
		}
		block(map[string]any{"type": "tool_use", "id": id, "name": c.Tool, "input": map[string]any{}}, deltas...)
	}
	stop := r.Stop
	if stop == "" {
		stop = "end_turn"
		if len(r.Calls) > 0 {
			stop = "tool_use"
		}
	}
	delta := map[string]any{"stop_reason": stop, "stop_sequence": nil}
	fields := map[string]any{"delta": delta}
	switch {
	case atEnd == nil:
	case s.contract.Zen:
		delta["usage"] = atEnd
	default:
		fields["usage"] = atEnd
	}
	add("message_delta", fields)
	add("message_stop", map[string]any{})
	if !s.contract.Zen {
		return out
	}
	return append([]sse{": ZENMUX PROCESSING\n\n"}, out...)
}

// vendorUsage are the usage objects of message_start and message_delta.
func vendorUsage(u domain.Usage) (start, end map[string]any) {
	return map[string]any{
		"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead,
		"cache_creation": map[string]any{"ephemeral_5m_input_tokens": u.CacheWrite, "ephemeral_1h_input_tokens": 0},
		"output_tokens":  1,
	}, map[string]any{"output_tokens": u.Output}
}

// input is the text of a call's input.
func (r Reply) input(i int) string {
	if r.RawInput != "" && i == len(r.Calls)-1 {
		return r.RawInput
	}
	return inputText(r.Calls[i].Input)
}

func outputTokens(r Reply) int {
	n := 1 + agents.EstimateTokens(r.Text) + agents.EstimateTokens(r.Thinking)
	for i := range r.Calls {
		n += agents.EstimateTokens(r.input(i))
	}
	return n
}
