package agents

import (
	"context"
	"encoding/json"
	"time"

	"sozai/domain"
)

// Model plays one round: it reads a request and answers with text and tool
// calls. Stream calls emit for every piece as it arrives, from one goroutine,
// and returns the whole response; after an error the response is not to be used.
// A response is only returned when the provider said that it is complete.
// Safe for concurrent use.
type Model interface {
	Name() string
	Stream(ctx context.Context, req Request, emit func(Delta)) (Response, error)
}

// Role is the speaker of a message.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Request is one round's input. Build it with an Assembler only: it places the
// cache breakpoints.
type Request struct {
	System    []Segment
	Tools     []ToolSpec
	Messages  []Message
	MaxTokens int
}

// Segment is a stretch of the system prompt. Breakpoint marks its end as a
// cache breakpoint.
type Segment struct {
	Text       string
	Breakpoint bool
}

// ToolSpec is a tool as the model sees it. Schema is a JSON Schema object.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// Message is one entry of the transcript. Roles alternate, the first is User.
type Message struct {
	Role   Role
	Blocks []Block
}

// BlockType says what a block is.
type BlockType string

// The block types.
const (
	TextBlock  BlockType = "text"
	ToolUse    BlockType = "tool_use"
	ToolResult BlockType = "tool_result"
	Thinking   BlockType = "thinking" // opaque; returned unchanged with its signature
)

// Block is a part of a message. ID is the tool call's id in ToolUse and ToolResult.
type Block struct {
	Type       BlockType
	Text       string
	ID         string
	Name       string
	Input      json.RawMessage
	IsError    bool
	Signature  string
	Breakpoint bool
}

// Delta is a streamed piece: text, or the start of a tool call, or neither: then
// it is only a sign of life (thinking, a piece of a tool's input, a keep-alive).
type Delta struct {
	Text string
	Tool string // name of the tool whose call begins
	Call string // its id
}

// StopReason is why the model stopped, in the Messages API's words.
type StopReason string

// The stop reasons.
const (
	EndTurn       StopReason = "end_turn"
	StopToolUse   StopReason = "tool_use"
	MaxTokens     StopReason = "max_tokens"
	StopSequence  StopReason = "stop_sequence"
	PauseTurn     StopReason = "pause_turn"
	Refusal       StopReason = "refusal"
	ContextWindow StopReason = "model_context_window_exceeded"
)

// Response is a complete round.
type Response struct {
	Model  string
	Blocks []Block
	Stop   StopReason
	Usage  domain.Usage
	Cost   domain.Money
}

// ErrorKind classifies what went wrong with a model request.
type ErrorKind string

// The kinds.
const (
	Overloaded  ErrorKind = "overloaded"
	RateLimited ErrorKind = "rate_limited"
	Spent       ErrorKind = "spent" // spending limit or credit: not to be retried
	Denied      ErrorKind = "denied"
	BadRequest  ErrorKind = "bad_request"
	TooLarge    ErrorKind = "too_large"
	Interrupted ErrorKind = "interrupted" // the stream ended before the message was complete
	Timeout     ErrorKind = "timeout"
	ServerError ErrorKind = "server_error"
)

// ModelError is what Stream returns for anything but a cancelled context.
// Retry says whether the same request may be sent again (if nothing was shown
// yet), RetryAfter how long to wait at least.
type ModelError struct {
	Kind       ErrorKind
	Message    string
	Retry      bool
	RetryAfter time.Duration
	Err        error
}

func (e *ModelError) Error() string { return string(e.Kind) + ": " + e.Message }
func (e *ModelError) Unwrap() error { return e.Err }
