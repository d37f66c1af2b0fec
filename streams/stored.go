package streams

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"sozai/domain"
)

// Stored is an event as it stands in the log, undecoded: the envelope's headers
// and the body byte for byte, without the headers that only served the publish
// (message id, guards, batch). It is what an export carries from one log to
// another, so the same event is equal in both but for its sequence.
type Stored struct {
	Seq     uint64
	Subject string
	Header  map[string][]string
	Data    []byte
}

// transport reports a header of the publish itself.
func transport(name string) bool {
	return len(name) >= 5 && strings.EqualFold(name[:5], "Nats-")
}

// storedLine is one line of an exported log. Body is set if it survives JSON
// byte for byte, Data (base64) if not.
type storedLine struct {
	Seq     uint64              `json:"seq"`
	Subject string              `json:"subject"`
	Header  map[string][]string `json:"header"`
	Body    json.RawMessage     `json:"body,omitempty"`
	Data    []byte              `json:"data,omitempty"`
}

// MarshalJSON writes one line of an exported log. A body that is JSON in its
// compact form stays readable; any other is base64.
func (s Stored) MarshalJSON() ([]byte, error) {
	line := storedLine{Seq: s.Seq, Subject: s.Subject, Header: s.Header}
	if compact, err := json.Marshal(json.RawMessage(s.Data)); err == nil && len(s.Data) > 0 && bytes.Equal(compact, s.Data) {
		line.Body = s.Data
	} else {
		line.Data = s.Data
	}
	return json.Marshal(line)
}

// UnmarshalJSON reads a line that MarshalJSON wrote.
func (s *Stored) UnmarshalJSON(data []byte) error {
	var line storedLine
	if err := json.Unmarshal(data, &line); err != nil {
		return err
	}
	if len(line.Body) > 0 && len(line.Data) > 0 {
		return domain.Errorf(domain.Invalid, "stored event %d has two bodies", line.Seq)
	}
	*s = Stored{Seq: line.Seq, Subject: line.Subject, Header: line.Header, Data: line.Data}
	if len(line.Body) > 0 {
		s.Data = line.Body
	}
	return nil
}

// Check refuses what could never have stood in this log: a subject that is not
// an event's, a header of the transport. It does not look at the envelope or the
// body: an event that no program could read is carried over as it is, so that
// every log that was exported can be imported.
func (s Stored) Check() error {
	key, kind, ok := subjectOf(s.Subject)
	if !ok {
		return domain.Errorf(domain.Invalid, "subject %q is not an event's", s.Subject)
	}
	if err := checkKey(key); err != nil {
		return err
	}
	if !isKind(kind) {
		return domain.Errorf(domain.Invalid, "subject %q: there is no kind %q", s.Subject, kind)
	}
	for name, values := range s.Header {
		if transport(name) || len(values) != 1 || !plain(name) || !plain(values[0]) {
			return domain.Errorf(domain.Invalid, "header %q of an event in %s", name, s.Subject)
		}
	}
	return nil
}

// plain says that a text survives as a header.
func plain(s string) bool {
	return s != "" && s == strings.TrimSpace(s) && !strings.ContainsAny(s, "\r\n\x00")
}

func isKind(kind domain.Kind) bool {
	for _, k := range domain.Kinds() {
		if k == kind {
			return true
		}
	}
	return false
}

// ReadStored calls each with the stored events after sequence after up to and
// including upto (0: the present end), in order, in batches. A zero key means
// all agents. The slice is reused, what it holds is not.
func (l *Log) ReadStored(ctx context.Context, after, upto uint64, key domain.Key, each func([]Stored) error) error {
	return readRange(ctx, l, after, upto, filters(key, nil), storedEvent, each)
}

func storedEvent(subject string, header header, body []byte, seq uint64) Stored {
	kept := map[string][]string{}
	header.each(func(name, value string) {
		if !transport(name) {
			kept[name] = append(kept[name], value)
		}
	})
	return Stored{Seq: seq, Subject: subject, Header: kept, Data: body}
}

// SeqAt is the newest sequence recorded at or before t (0: none), by the times
// in the events, so that it holds for an imported log as well. Clocks of several
// processes differ by little, so the order of times is that of sequences but for
// neighbours, which are looked through.
func (l *Log) SeqAt(ctx context.Context, t time.Time) (uint64, error) {
	last, err := l.Last(ctx)
	if err != nil {
		return 0, err
	}
	// Invariant: the event at low is not later than t, the one at high is.
	low, high := uint64(0), last+1
	for high-low > 1 {
		middle := low + (high-low)/2
		at, err := l.timeOf(ctx, middle)
		if err != nil {
			return 0, err
		}
		if at.After(t) {
			high = middle
		} else {
			low = middle
		}
	}
	err = l.ReadStored(ctx, low, min(low+neighbours, last), domain.Key{}, func(events []Stored) error {
		for _, e := range events {
			if at, err := time.Parse(time.RFC3339Nano, first(e.Header, headerTime)); err == nil && !at.After(t) {
				low = e.Seq
			}
		}
		return nil
	})
	return low, err
}

// neighbours is how many later sequences SeqAt looks through.
const neighbours = 200

func (l *Log) timeOf(ctx context.Context, seq uint64) (time.Time, error) {
	msg, err := l.message(ctx, seq)
	if err != nil {
		return time.Time{}, fmt.Errorf("event %d: %w", seq, silence(err))
	}
	at, err := time.Parse(time.RFC3339Nano, first(msg.Header, headerTime))
	if err != nil {
		return msg.Time, nil // not one of ours; when the server took it in must do
	}
	return at, nil
}
