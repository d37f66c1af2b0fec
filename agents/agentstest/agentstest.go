// Package agentstest holds what model loops are tested with: a scripted Model, the
// rules of a valid request, a prompt cache in memory, the conformance suite that
// every Model must pass, and a server that speaks the Messages API over the wire.
//
// Only tests and the bench may import it. It may import agents and domain.
package agentstest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"sozai/agents"
)

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// CheckRequest says what the Messages API would refuse in a request: roles that
// do not alternate from user to user, calls without their results in the next
// message or results without a call, text before results, more than four
// breakpoints, empty texts, tools that are not sorted.
func CheckRequest(r agents.Request) error {
	if r.MaxTokens < 1 {
		return fmt.Errorf("max_tokens is %d", r.MaxTokens)
	}
	marks := 0
	for i, s := range r.System {
		if strings.TrimSpace(s.Text) == "" {
			return fmt.Errorf("system segment %d is empty", i)
		}
		if s.Breakpoint {
			marks++
		}
	}
	for i, t := range r.Tools {
		if !toolName.MatchString(t.Name) {
			return fmt.Errorf("bad tool name %q", t.Name)
		}
		if i > 0 && r.Tools[i-1].Name >= t.Name {
			return fmt.Errorf("tools are not sorted: %s, %s", r.Tools[i-1].Name, t.Name)
		}
		var schema struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(t.Schema, &schema); err != nil || schema.Type != "object" {
			return fmt.Errorf("schema of %s is not of type object: %s", t.Name, t.Schema)
		}
	}
	if len(r.Messages)%2 == 0 {
		return fmt.Errorf("%d messages: the last is not the user's", len(r.Messages))
	}
	open := map[string]bool{}
	seen := map[string]bool{}
	for i, m := range r.Messages {
		if want := []agents.Role{agents.User, agents.Assistant}[i%2]; m.Role != want {
			return fmt.Errorf("message %d is of %s, want %s", i, m.Role, want)
		}
		n, err := checkMessage(m, open, seen)
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		marks += n
	}
	if len(open) > 0 {
		return fmt.Errorf("calls without results: %v", open)
	}
	if marks > 4 {
		return fmt.Errorf("%d breakpoints, at most 4 are allowed", marks)
	}
	return nil
}

// checkMessage checks one message against the calls that are open, closes those
// that it answers and opens those that it makes; it returns its breakpoints.
func checkMessage(m agents.Message, open, seen map[string]bool) (marks int, err error) {
	if len(m.Blocks) == 0 {
		return 0, fmt.Errorf("no blocks")
	}
	text := false
	for _, b := range m.Blocks {
		if b.Breakpoint {
			marks++
		}
		switch b.Type {
		case agents.TextBlock:
			text = true
			if strings.TrimSpace(b.Text) == "" {
				return 0, fmt.Errorf("empty text")
			}
		case agents.ToolUse:
			if m.Role != agents.Assistant || b.ID == "" || seen[b.ID] {
				return 0, fmt.Errorf("call %q of %s is out of place or doubled", b.ID, m.Role)
			}
			var object map[string]any
			if json.Unmarshal(b.Input, &object) != nil {
				return 0, fmt.Errorf("input of call %s is not an object: %s", b.ID, b.Input)
			}
			open[b.ID], seen[b.ID] = true, true
		case agents.ToolResult:
			if m.Role != agents.User || !open[b.ID] || text {
				return 0, fmt.Errorf("result %q is out of place", b.ID)
			}
			delete(open, b.ID)
		case agents.Thinking:
			if m.Role != agents.Assistant || b.Breakpoint {
				return 0, fmt.Errorf("thinking is out of place")
			}
		default:
			return 0, fmt.Errorf("unknown block type %q", b.Type)
		}
	}
	if m.Role == agents.User && len(open) > 0 {
		return 0, fmt.Errorf("calls without results: %v", open)
	}
	return marks, nil
}

var (
	clockText = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d{1,2}:\d\d:\d\d\b|\b1[5-9]\d{8}(\d{3})?\b`)
	idText    = regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
)

// CheckPrefix fails on a clock, a ULID or a UUID in the tools or the system prompt:
// each would make the prefix new in every run, and its cache worthless.
func CheckPrefix(r agents.Request) error {
	texts := make([]string, 0, len(r.System)+len(r.Tools))
	for _, s := range r.System {
		texts = append(texts, s.Text)
	}
	for _, t := range r.Tools {
		texts = append(texts, t.Name+" "+t.Description+" "+string(t.Schema))
	}
	for _, text := range texts {
		if found := clockText.FindString(text); found != "" {
			return fmt.Errorf("a clock in the prefix: %s", found)
		}
		if found := idText.FindString(text); found != "" {
			return fmt.Errorf("an id in the prefix: %s", found)
		}
	}
	return nil
}
