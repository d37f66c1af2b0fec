package agentstest

import (
	"time"

	"sozai/agents"
	"sozai/domain"
)

// Scene is what an AnthropicServer does with one request. The zero Scene answers
// with an empty turn.
type Scene struct {
	// Status other than 0 and 200 answers with an error of that Type.
	Status     int
	Type       string
	RetryAfter string
	SpendLimit bool // marks the error as an enforced spending limit

	Reply Reply

	Pings     bool   // a ping between all events
	Split     int    // bytes a TCP write; 0 = an event a write
	CutAfter  int    // ends the body after so many events; 0 = never
	Abort     bool   // with CutAfter: breaks the connection instead
	FailAfter int    // sends an error event of FailWith after so many events
	FailWith  string // its type
	HangAfter int    // sends only keep-alives from there on, until the client leaves
	Silent    bool   // with HangAfter: not even keep-alives
}

// Reply is the message of a Scene.
type Reply struct {
	Thinking string // with a signature
	Redacted string // encrypted thinking
	Text     string
	Calls    []Call
	RawInput string // instead of the last call's input: sent as it is
	Stop     string // "" = tool_use with calls, else end_turn
	Model    string // that answers; "" = the one that was asked for
	NoUsage  bool   // no counters at all

	// Says turns the usage into the objects of message_start and message_delta, as
	// a gateway might; nil = the vendor's. A nil object is left out.
	Says func(u domain.Usage) (start, end map[string]any)
}

// Contract is what a server does beside what the API documents.
type Contract struct {
	// Play is asked for a scene a request.
	Play func(agents.Request) Scene
	// Zen speaks as the ZenMux gateway does.
	Zen bool
	// Unmarked drops every cache_control, as some gateways do.
	Unmarked bool
	// Now is the clock of the prompt cache; nil = time.Now.
	Now func() time.Time
	// Minimum is the shortest prefix that a model caches; nil = MinimumTokens.
	Minimum func(model string) int
}
