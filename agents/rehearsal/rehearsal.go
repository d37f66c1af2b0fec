// Package rehearsal is the model that plays when no key is set: a deterministic,
// rule-based player of agents.Model. It streams, reads tool results, turns
// Chinese and English criticism into gene lines, proposes cards and orders,
// answers number questions from tool output and runs searches. The same request
// always gets the same response.
//
// It owns no state between requests: everything it knows stands in the
// transcript. It may import agents and domain only, and knows the trades by
// their tool names alone.
package rehearsal

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"sozai/agents"
	"sozai/domain"
)

// Name is what people are told is playing.
const Name = "rehearsal"

// Model is the rehearsal model. Safe for concurrent use.
type Model struct {
	pace time.Duration
}

var _ agents.Model = (*Model)(nil)

// New returns a model that waits pace between two streamed pieces; zero does
// not wait.
func New(pace time.Duration) *Model { return &Model{pace: pace} }

// Name says that this is a rehearsal.
func (m *Model) Name() string { return Name }

// move is what a player decides for one round: words, then calls.
type move struct {
	text  string
	calls []call
}

// call is one tool call to make.
type call struct {
	tool  string
	input any
}

// Stream plays one round. It returns the context's error when it is cancelled,
// and a ModelError of kind BadRequest for a request without a message.
func (m *Model) Stream(ctx context.Context, req agents.Request, emit func(agents.Delta)) (agents.Response, error) {
	if len(req.Messages) == 0 || req.Messages[len(req.Messages)-1].Role != agents.User {
		return agents.Response{}, &agents.ModelError{Kind: agents.BadRequest, Message: "the last message must be the user's"}
	}
	t := read(req)
	next := decide(t)
	seed := fingerprint(req)

	resp := agents.Response{Model: Name, Stop: agents.EndTurn}
	if next.text != "" {
		for _, piece := range pieces(next.text) {
			if err := m.wait(ctx); err != nil {
				return agents.Response{}, err
			}
			emit(agents.Delta{Text: piece})
		}
		resp.Blocks = append(resp.Blocks, agents.Block{Type: agents.TextBlock, Text: next.text})
	}
	for i, c := range next.calls {
		if err := m.wait(ctx); err != nil {
			return agents.Response{}, err
		}
		input, err := json.Marshal(c.input)
		if err != nil {
			return agents.Response{}, &agents.ModelError{Kind: agents.ServerError, Message: "tool input", Err: err}
		}
		id := callID(seed, i)
		emit(agents.Delta{Tool: c.tool, Call: id})
		resp.Blocks = append(resp.Blocks, agents.Block{Type: agents.ToolUse, ID: id, Name: c.tool, Input: input})
		resp.Stop = agents.StopToolUse
	}
	if err := ctx.Err(); err != nil {
		return agents.Response{}, err
	}
	resp.Usage = usage(req, resp)
	return resp, nil
}

func (m *Model) wait(ctx context.Context) error {
	if m.pace <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(m.pace)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// decide picks the player by the finishing tools that are offered.
func decide(t transcript) move {
	switch {
	case t.offers("write_board"):
		return playBoard(t)
	case t.offers("save_materials"):
		return playSearch(t)
	case t.offers("no_update"):
		return playDigest(t)
	case t.offers("propose_gene_card"):
		return playChat(t)
	}
	if evidence, ok := plainEvidence(t); ok {
		return playPlainDigest(t, evidence)
	}
	return playOther(t)
}

// pieces cuts text into what is streamed at once: about a word, or three
// Chinese characters. They add up to the text.
func pieces(text string) []string {
	var out []string
	start, n := 0, 0
	for i, r := range text {
		if n >= 3 && (isHan(r) || r == ' ' || n >= 8) || i-start > 0 && r == '\n' {
			out = append(out, text[start:i])
			start, n = i, 0
		}
		n++
	}
	return append(out, text[start:])
}

// fingerprint hashes everything of a request that a player may read, so that
// call ids are the same for the same request and differ between rounds.
func fingerprint(req agents.Request) []byte {
	h := sha256.New()
	part := func(s string) {
		h.Write([]byte(strconv.Itoa(len(s))))
		h.Write([]byte{':'})
		h.Write([]byte(s))
	}
	for _, s := range req.System {
		part(s.Text)
	}
	for _, s := range req.Tools {
		part(s.Name)
	}
	for _, m := range req.Messages {
		part(string(m.Role))
		for _, b := range m.Blocks {
			part(string(b.Type))
			part(b.Text)
			part(b.ID)
			part(b.Name)
			part(string(b.Input))
		}
	}
	return h.Sum(nil)
}

func callID(seed []byte, n int) string {
	h := sha256.Sum256(append(append([]byte{}, seed...), byte(n), byte(n>>8)))
	return "call_" + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h[:10])
}

// usage is an estimate: a token for each Chinese character, one for each four
// characters of anything else. As with a cached prompt, what an earlier round
// has sent counts as read from the cache. It costs nothing.
func usage(req agents.Request, resp agents.Response) domain.Usage {
	prefix := 0
	for _, s := range req.System {
		prefix += tokens(s.Text)
	}
	for _, s := range req.Tools {
		prefix += tokens(s.Name) + tokens(s.Description) + tokens(string(s.Schema))
	}
	u := domain.Usage{Known: true}
	for _, b := range resp.Blocks {
		u.Output += blockTokens(b)
	}
	last := len(req.Messages) - 1
	for i, m := range req.Messages {
		sum := 0
		for _, b := range m.Blocks {
			sum += blockTokens(b)
		}
		if i < last-1 {
			u.CacheRead += sum
		} else {
			u.Input += sum
		}
	}
	if last > 0 {
		u.CacheRead += prefix
	} else {
		u.CacheWrite = prefix
	}
	return u
}

func blockTokens(b agents.Block) int {
	return tokens(b.Text) + tokens(b.Name) + tokens(string(b.Input))
}

func tokens(s string) int {
	wide := 0
	for _, r := range s {
		if isHan(r) {
			wide++
		}
	}
	return wide + (utf8.RuneCountInString(s)-wide+3)/4
}
