// Package chat owns what people say in an agent's room: their messages in log
// order and which of them a turn has yet to answer. What the butler says belongs
// to package turn. It may import only domain.
package chat

import (
	"slices"
	"strings"
	"time"

	"sozai/domain"
)

// The rules:
//
//  1. Only people say something, with words or at least one reference.
//  2. A message has at most 8,000 characters and 20 references.
//  3. Messages count in log order, whatever their ids or senders' clocks say.
//  4. People take back only their own messages, each once.
//  5. A message that a turn answers or has answered cannot be taken back.
//  6. What was taken back is not answered.
//  7. An id stands for one message; saying the same again is harmless.
//
// Facts carry no guard, so a message can be taken back in the moment in which a
// turn begins to cover it; the turn then answers it all the same.
var (
	ErrUnknown   = domain.Rule(domain.NotFound, "message_unknown", "there is no such message")
	ErrNotOwn    = domain.Rule(domain.Forbidden, "message_not_own", "only who said it may take it back")
	ErrTakenBack = domain.Rule(domain.Conflict, "message_taken_back", "the message was taken back already")
	ErrExists    = domain.Rule(domain.Exists, "message_exists", "another message has this id")
	ErrCovered   = domain.Rule(domain.Conflict, "message_covered", "the butler has taken the message up already")
)

// MaxRefs is how many objects one message may cite.
const MaxRefs = 20

// State is folded from the events of this kind.
type State struct {
	Messages []Message // in log order
	index    map[domain.ID]int
}

// Message is what one person said at once.
type Message struct {
	ID        domain.ID
	Seq       uint64
	At        time.Time
	Actor     domain.Actor
	Text      string
	Refs      []domain.Ref
	TakenBack bool
}

// After is what waits for an answer: every message behind the settled one that
// was not taken back, in log order. An empty or unknown id settles nothing.
func (s State) After(settled domain.ID) []Message {
	from := 0
	if i, known := s.index[settled]; known {
		from = i + 1
	}
	var waiting []Message
	for _, m := range s.Messages[from:] {
		if !m.TakenBack {
			waiting = append(waiting, m)
		}
	}
	return waiting
}

// Say checks a message and returns it as it is to be recorded.
func (s State) Say(m Said, by domain.Actor) (Said, error) {
	if err := domain.CheckPerson(by); err != nil {
		return Said{}, err
	}
	m.Text = strings.TrimSpace(m.Text)
	switch {
	case m.Message == "":
		return Said{}, domain.Missing("message")
	case m.Text == "" && len(m.Refs) == 0:
		return Said{}, domain.Missing("text")
	}
	if err := domain.CheckText("text", m.Text, domain.MaxMessageRunes); err != nil {
		return Said{}, err
	}
	if err := domain.CheckRefs(m.Refs, MaxRefs); err != nil {
		return Said{}, err
	}
	if i, known := s.index[m.Message]; known {
		if old := s.Messages[i]; old.Actor != by || old.Text != m.Text || !slices.Equal(old.Refs, m.Refs) {
			return Said{}, ErrExists
		}
	}
	return m, nil
}

// TakeBack checks a withdrawal. settled and running are the turn state's: the
// last answered message and those that a turn is answering now.
func (s State) TakeBack(message domain.ID, by domain.Actor, settled domain.ID, running []domain.ID) (TakenBack, error) {
	i, known := s.index[message]
	if !known {
		return TakenBack{}, ErrUnknown
	}
	last, answered := s.index[settled]
	switch {
	case s.Messages[i].Actor != by || !by.IsPerson():
		return TakenBack{}, ErrNotOwn
	case s.Messages[i].TakenBack:
		return TakenBack{}, ErrTakenBack
	case answered && i <= last, slices.Contains(running, message):
		return TakenBack{}, ErrCovered
	}
	return TakenBack{Message: message}, nil
}

// Evolve applies one recorded event. A message said twice counts once; taking
// back what is unknown or another's changes nothing, as facts carry no guard.
func Evolve(s State, r domain.Recorded) (State, error) {
	switch e := r.Event.(type) {
	case Said:
		if _, known := s.index[e.Message]; known {
			return s, nil
		}
		if s.index == nil {
			s.index = map[domain.ID]int{}
		}
		s.index[e.Message] = len(s.Messages)
		s.Messages = append(s.Messages, Message{
			ID: e.Message, Seq: r.Seq, At: r.Time, Actor: r.Actor, Text: e.Text, Refs: e.Refs,
		})
		return s, nil
	case TakenBack:
		if i, known := s.index[e.Message]; known && s.Messages[i].Actor == r.Actor {
			s.Messages[i].TakenBack = true
		}
		return s, nil
	}
	return s, domain.Errorf(domain.Internal, "chat: unknown event %T at %d", r.Event, r.Seq)
}
