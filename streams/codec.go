package streams

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/behavior"
	"sozai/domain/chat"
	"sozai/domain/feedback"
	"sozai/domain/gene"
	"sozai/domain/library"
	"sozai/domain/notice"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/domain/turn"
)

// Header names of the envelope: CloudEvents 1.0 in binary mode, exact lower case.
const (
	headerSpec      = "ce-specversion"
	headerID        = "ce-id"
	headerType      = "ce-type"
	headerVersion   = "ce-dataversion" // version of the body's shape, from 1
	headerSource    = "ce-source"
	headerTime      = "ce-time"
	headerActor     = "ce-actor"
	headerCommand   = "ce-command"
	headerCausation = "ce-causation"
	headerTrace     = "traceparent"
)

// Registered is one event type of the catalogue.
type Registered struct {
	Type    string
	Version int
	Kind    domain.Kind
	Guarded bool
	Zero    domain.Event
}

// A versioned event has a body whose shape has changed since its type was first
// released; the others are of version 1. What changes a shape also adds to upcasts.
type versioned interface{ EventVersion() int }

func versionOf(e domain.Event) int {
	if v, ok := e.(versioned); ok {
		return v.EventVersion()
	}
	return 1
}

// Catalogue lists every event type, kind by kind. Its order is that of docs/events.md.
func Catalogue() []Registered {
	var all []Registered
	for _, events := range [][]domain.Event{
		agent.Events(), gene.Events(), run.Events(), turn.Events(), chat.Events(),
		feedback.Events(), behavior.Events(), library.Events(), step.Events(), notice.Events(),
	} {
		for _, e := range events {
			kind, guarded := kindOf(e)
			all = append(all, Registered{Type: e.EventType(), Version: versionOf(e), Kind: kind, Guarded: guarded, Zero: e})
		}
	}
	return all
}

func kindOf(e domain.Event) (kind domain.Kind, guarded bool) {
	switch v := e.(type) {
	case domain.Decision:
		return v.Decision(), true
	case domain.Fact:
		return v.Fact(), false
	}
	return "", false
}

// Codec packs events into messages and back. It is the only place that knows
// the envelope. Safe for concurrent use.
type Codec struct {
	types map[string]coded
}

// coded is a type with what packing it needs.
type coded struct {
	Registered
	version string
	// scratch holds pointers to zero bodies, to decode into: what an event is
	// handed out as is a copy.
	scratch *sync.Pool
	older   []upcast // older[i] lifts version i+1 to i+2
}

// decode makes the event of a body.
func (c coded) decode(body []byte) (domain.Event, error) {
	into := c.scratch.Get()
	value := reflect.ValueOf(into).Elem()
	defer func() {
		value.SetZero()
		c.scratch.Put(into)
	}()
	if err := unmarshal(body, into); err != nil {
		return nil, err
	}
	event, ok := value.Interface().(domain.Event)
	if !ok {
		return nil, errors.New("not an event")
	}
	return event, nil
}

// NewCodec knows every type of the catalogue.
func NewCodec() *Codec { return newCodec(Catalogue(), upcasts()) }

// newCodec panics on a type of version n without the n-1 steps that lead to it:
// the program could not read its own past.
func newCodec(types []Registered, steps map[shape]upcast) *Codec {
	c := &Codec{types: map[string]coded{}}
	for _, r := range types {
		body := reflect.TypeOf(r.Zero)
		t := coded{
			Registered: r, version: strconv.Itoa(r.Version),
			scratch: &sync.Pool{New: func() any { return reflect.New(body).Interface() }},
		}
		for v := 1; v < r.Version; v++ {
			step, ok := steps[shape{Type: r.Type, Version: v}]
			if !ok {
				panic(fmt.Sprintf("no upcast of %s from version %d", r.Type, v))
			}
			t.older = append(t.older, step)
		}
		c.types[r.Type] = t
	}
	return c
}

// Encode makes the message of an event. Its message id is the command and the
// event's index in it, so that a repeated publish is recognised.
func (c *Codec) Encode(r domain.Recorded, index int) (*nats.Msg, error) {
	known, ok := c.types[r.Event.EventType()]
	if !ok {
		return nil, fmt.Errorf("encode event: unknown type %q", r.Event.EventType())
	}
	body, err := json.Marshal(r.Event)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", known.Type, err)
	}
	msg := &nats.Msg{Subject: eventSubject(r.Key, known.Kind), Data: body, Header: nats.Header{
		headerSpec:     {"1.0"},
		headerID:       {string(r.ID)},
		headerType:     {known.Type},
		headerVersion:  {known.version},
		headerSource:   {"/products/" + r.Product + "/agents/" + string(r.Agent)},
		headerTime:     {r.Time.UTC().Format(time.RFC3339Nano)},
		headerActor:    {string(r.Actor)},
		headerCommand:  {r.Command},
		nats.MsgIdHdr:  {string(r.Agent) + "/" + r.Command + "/" + string(known.Kind) + "/" + strconv.Itoa(index)},
		"Content-Type": {"application/json"},
	}}
	if r.Causation != "" {
		msg.Header[headerCausation] = []string{string(r.Causation)}
	}
	return msg, nil
}

// Decode reads a message back, lifting a body of an older version to today's
// shape; Meta keeps the version that stands in the log. It fails on an unknown
// type or version, a body that does not fit it, or a subject of another kind;
// Meta is filled as far as it could be read even then.
func (c *Codec) Decode(subject string, headers nats.Header, body []byte, seq uint64) (domain.Recorded, error) {
	return c.decode(subject, header{parsed: headers}, body, seq)
}

func (c *Codec) decode(subject string, header header, body []byte, seq uint64) (domain.Recorded, error) {
	r := domain.Recorded{Meta: domain.Meta{Seq: seq}}
	key, kind, ok := subjectOf(subject)
	if !ok {
		return r, fmt.Errorf("event %d: subject %q is not an event's", seq, subject)
	}
	r.Key, r.Kind = key, kind
	e := header.envelope()
	r.ID, r.Type, r.Actor = domain.ID(e.id), e.typ, domain.Actor(e.actor)
	r.Command, r.Causation = e.command, domain.ID(e.causation)
	var err error
	if r.Time, err = time.Parse(time.RFC3339Nano, e.time); err != nil {
		return r, fmt.Errorf("event %d: time: %w", seq, err)
	}
	if r.Version, err = strconv.Atoi(e.version); err != nil {
		return r, fmt.Errorf("event %d: version: %w", seq, err)
	}
	known, ok := c.types[r.Type]
	switch {
	case !ok:
		return r, fmt.Errorf("event %d: unknown type %q", seq, r.Type)
	case known.Kind != r.Kind:
		return r, fmt.Errorf("event %d: type %q does not belong to kind %q", seq, r.Type, r.Kind)
	case r.Version < 1 || r.Version > known.Version:
		return r, fmt.Errorf("event %d: %s version %d is newer than this program knows (%d)", seq, r.Type, r.Version, known.Version)
	}
	for v := r.Version; v < known.Version; v++ {
		if body, err = known.older[v-1](body); err != nil {
			return r, fmt.Errorf("event %d: lift %s from version %d: %w", seq, r.Type, v, err)
		}
	}
	event, err := known.decode(body)
	if err != nil {
		return r, fmt.Errorf("event %d: body of %s: %w", seq, r.Type, err)
	}
	r.Event = event
	return r, nil
}

// subjectOf parses evt.<product>.<agent>.<kind>.
func subjectOf(subject string) (key domain.Key, kind domain.Kind, ok bool) {
	rest, ok := strings.CutPrefix(subject, "evt.")
	product, rest, found := strings.Cut(rest, ".")
	agent, last, more := strings.Cut(rest, ".")
	if !ok || !found || !more || strings.Contains(last, ".") {
		return key, "", false
	}
	return domain.Key{Product: product, Agent: domain.ID(agent)}, domain.Kind(last), true
}

// first reads a header without canonicalising its name.
func first(h nats.Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// Poison stands in for the body of an event that could not be decoded, so that
// readers can stop, or park it, with its cause.
type Poison struct {
	Err error
	Raw []byte
}

// EventType of a poison event is not a wire name.
func (Poison) EventType() string { return "poison" }

func (c *Codec) decodeOrPoison(subject string, header header, body []byte, seq uint64) domain.Recorded {
	r, err := c.decode(subject, header, body, seq)
	if err != nil {
		r.Event = Poison{Err: err, Raw: append([]byte(nil), body...)}
	}
	return r
}
