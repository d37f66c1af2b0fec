package anthropic

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"sozai/domain"
)

// count is a counter as it came: nil if it is missing, null, or no number that can
// be one. Gateways write numbers as floats and strings too.
type count struct{ n *int }

// maxCount is more than any context holds; a counter above it is a mistake.
const maxCount = 100_000_000

// UnmarshalJSON never fails: a strange counter must not break the answer.
func (c *count) UnmarshalJSON(data []byte) error {
	c.n = nil
	text := strings.Trim(string(bytes.TrimSpace(data)), `"`)
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && v >= 0 && v <= maxCount && v == math.Trunc(v) {
		n := int(v)
		c.n = &n
	}
	return nil
}

// counts is a usage object in any of the dialects that gateways speak. The
// vendor's input is what was neither read nor written, others' includes both.
type counts struct {
	Input    count `json:"input_tokens"`
	Write    count `json:"cache_creation_input_tokens"`
	Read     count `json:"cache_read_input_tokens"`
	Output   count `json:"output_tokens"`
	Creation struct {
		FiveMinutes count `json:"ephemeral_5m_input_tokens"`
		OneHour     count `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`

	// As Bedrock names them.
	InputB  count `json:"inputTokens"`
	WriteB  count `json:"cacheWriteInputTokens"`
	ReadB   count `json:"cacheReadInputTokens"`
	OutputB count `json:"outputTokens"`

	// As OpenAI names them, and those who imitate it.
	Prompt        count  `json:"prompt_tokens"`
	Completion    count  `json:"completion_tokens"`
	PromptDetails cached `json:"prompt_tokens_details"`
	InputDetails  cached `json:"input_tokens_details"`
	Hit           count  `json:"prompt_cache_hit_tokens"`
}

type cached struct {
	Read  count `json:"cached_tokens"`
	Write count `json:"cache_write_tokens"`
}

// UnmarshalJSON takes anything for which there is no object as nothing said.
func (c *counts) UnmarshalJSON(data []byte) error {
	type plain counts // without this method
	var p plain
	if json.Unmarshal(data, &p) == nil {
		*c = counts(p)
	}
	return nil
}

// prompt is what a usage object says of the prompt; nil = not said.
type prompt struct{ input, write, read *int }

func (p prompt) cached() int { return value(p.write) + value(p.read) }
func (p prompt) total() int  { return value(p.input) + p.cached() }

func value(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func first(all ...count) *int {
	for _, c := range all {
		if c.n != nil {
			return c.n
		}
	}
	return nil
}

func (c counts) prompt() prompt {
	p := prompt{
		input: first(c.Input, c.InputB),
		write: first(c.Write, c.WriteB),
		read:  first(c.Read, c.ReadB),
	}
	if p.write == nil && (c.Creation.FiveMinutes.n != nil || c.Creation.OneHour.n != nil) {
		n := value(c.Creation.FiveMinutes.n) + value(c.Creation.OneHour.n)
		p.write = &n
	}
	details := c.InputDetails
	if p.input == nil {
		p.input, details = c.Prompt.n, c.PromptDetails
	}
	if p.input == nil || p.read != nil {
		return p
	}
	// The dialects in which the input includes what was read and written.
	p.read = first(details.Read, c.Hit)
	if p.write == nil {
		p.write = details.Write.n
		rest := max(*p.input-value(p.read)-value(p.write), 0)
		p.input = &rest
	}
	return p
}

func (c counts) output() *int { return first(c.Output, c.OutputB, c.Completion) }

// tally keeps what the events of a message say of its usage.
type tally struct {
	prompt prompt
	output *int // nil until the answer was counted at its end
}

// start takes the counters of message_start, where the output is a first guess.
func (t *tally) start(c counts) { t.take(c.prompt()) }

func (t *tally) end(c counts) {
	t.take(c.prompt())
	if n := c.output(); n != nil && *n >= value(t.output) {
		t.output = n
	}
}

// take believes what is said last, as a whole, if it speaks of cached tokens; a
// gateway may begin with a guess at the whole prompt, and end with zeros in place
// of what it has said before.
func (t *tally) take(p prompt) {
	switch {
	case p.input == nil:
	case t.prompt.input == nil || p.cached() > 0:
		t.prompt = p
	case t.prompt.cached() == 0:
		if *p.input < *t.prompt.input {
			p.input = t.prompt.input
		}
		t.prompt = p
	}
}

// usage is known if prompt and answer were counted. sent estimates the prompt;
// where a cache counter is missing and the others hold far less than was sent,
// what was cached is kept from us, and the rest must not be taken for the whole.
func (t *tally) usage(sent func() int, said bool) domain.Usage {
	const small = 512 // no provider caches less
	p := t.prompt
	silent := p.write == nil || p.read == nil
	switch {
	case p.input == nil || p.total() == 0, t.output == nil, *t.output == 0 && said:
	case silent && p.total()+small < sent()/2:
	default:
		return domain.Usage{Known: true, Input: *p.input, CacheWrite: value(p.write), CacheRead: value(p.read), Output: *t.output}
	}
	return domain.Usage{}
}

// counters says whether the cache was spoken of at all.
func (t *tally) counters() bool { return t.prompt.write != nil || t.prompt.read != nil }
