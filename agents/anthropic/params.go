package anthropic

import (
	"encoding/json"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"sozai/agents"
)

// redacted in Block.Name marks thinking that came encrypted; Signature holds it.
const redacted = "redacted_thinking"

func (m *Model) params(r agents.Request) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{Model: sdk.Model(m.config.Model), MaxTokens: int64(r.MaxTokens)}
	for _, s := range r.System {
		p.System = append(p.System, sdk.TextBlockParam{Text: s.Text, CacheControl: cacheControl(s.Breakpoint)})
	}
	for _, t := range r.Tools {
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: &sdk.ToolParam{
			Name: t.Name, Description: sdk.String(t.Description),
			// As it is: the bytes of the prefix are the key of the prompt cache.
			InputSchema: param.Override[sdk.ToolInputSchemaParam](t.Schema),
		}})
	}
	for i, message := range r.Messages {
		out := sdk.MessageParam{Role: sdk.MessageParamRoleUser}
		if message.Role == agents.Assistant {
			out.Role = sdk.MessageParamRoleAssistant
		}
		for _, b := range message.Blocks {
			block, err := blockParam(b)
			if err != nil {
				return p, fmt.Errorf("message %d: %w", i, err)
			}
			out.Content = append(out.Content, block)
		}
		p.Messages = append(p.Messages, out)
	}
	switch m.config.Thinking {
	case "adaptive":
		// Without the summary the stream would stay silent while it thinks.
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
	case "disabled":
		p.Thinking.OfDisabled = &sdk.ThinkingConfigDisabledParam{}
	}
	return p, nil
}

func blockParam(b agents.Block) (sdk.ContentBlockParamUnion, error) {
	var u sdk.ContentBlockParamUnion
	mark := cacheControl(b.Breakpoint)
	switch b.Type {
	case agents.TextBlock:
		u.OfText = &sdk.TextBlockParam{Text: b.Text, CacheControl: mark}
	case agents.ToolUse:
		if !json.Valid(b.Input) {
			return u, fmt.Errorf("input of call %s is not JSON", b.ID)
		}
		u.OfToolUse = &sdk.ToolUseBlockParam{ID: b.ID, Name: b.Name, Input: b.Input, CacheControl: mark}
	case agents.ToolResult:
		u.OfToolResult = &sdk.ToolResultBlockParam{ToolUseID: b.ID, CacheControl: mark}
		if b.IsError {
			u.OfToolResult.IsError = sdk.Bool(true)
		}
		u.OfToolResult.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: b.Text}}}
	case agents.Thinking:
		if b.Name == redacted {
			u.OfRedactedThinking = &sdk.RedactedThinkingBlockParam{Data: b.Signature}
		} else {
			u.OfThinking = &sdk.ThinkingBlockParam{Thinking: b.Text, Signature: b.Signature}
		}
	default:
		return u, fmt.Errorf("unknown block type %q", b.Type)
	}
	return u, nil
}

func cacheControl(mark bool) sdk.CacheControlEphemeralParam {
	if !mark {
		return sdk.CacheControlEphemeralParam{}
	}
	return sdk.NewCacheControlEphemeralParam()
}
