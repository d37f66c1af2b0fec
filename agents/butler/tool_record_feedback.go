package butler

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/feedback"
)

type recordedOutput struct {
	Feedback domain.ID       `json:"feedback"`
	Object   domain.Ref      `json:"object"`
	By       string          `json:"by"`
	Document domain.Document `json:"document,omitempty"`
	State    string          `json:"state"`
}

func (s *shift) recordFeedback() agents.Tool {
	return agents.Tool{
		ToolSpec: spec(toolRecordFeedback, "Writes down what a person in the room thinks of a material, board (or one panel), film (or a stretch), "+
			"or the whole, in that person's own words and name. It stays unsettled until a card that cites it is applied. "+
			`Example: {"object":{"type":"material","id":"01J…"},"verdict":"dislike","words":"爆炸感不够"}`, schemaRecordFeedback),
		Execute: func(ctx context.Context, call agents.Call) (agents.Output, error) {
			in, err := input[struct {
				Object   refInput         `json:"object"`
				Verdict  feedback.Verdict `json:"verdict"`
				Words    string           `json:"words"`
				Document domain.Document  `json:"document"`
			}](call)
			if err != nil {
				return agents.Output{}, err
			}
			ref, err := in.Object.ref()
			if err != nil {
				return agents.Output{}, err
			}
			about := refWords(ref)
			if unseen := s.unseen([]domain.Ref{ref}); len(unseen) > 0 {
				return agents.Output{Object: about}, errUnseen(unseen)
			}
			words := strings.TrimSpace(in.Words)
			speaker, err := s.speakerOf(words)
			if err != nil {
				return agents.Output{Object: about}, err
			}
			given := feedback.Given{
				Feedback: s.derive(fmt.Sprintf("feedback %s %s %s", speaker.message, cite(ref), in.Verdict)),
				Object:   ref, Verdict: in.Verdict, Words: words, OnBehalf: speaker.by, Turn: s.turn, Document: in.Document,
			}
			if err := given.Check(s.actor()); err != nil {
				return agents.Output{Object: about}, err
			}
			if !s.recorded(given) {
				if err := s.record(ctx, call.ID, given); err != nil {
					s.forget(given.Feedback)
					return agents.Output{Object: about}, err
				}
			}
			name := s.name(speaker.by)
			out, err := object(recordedOutput{
				Feedback: given.Feedback, Object: ref, By: name, Document: given.SpeaksTo(), State: "unsettled",
			}, about, fmt.Sprintf("recorded feedback %s of %s on %s", given.Feedback, name, about))
			out.Receipt = agents.Receipt{Kind: receiptFeedback, ID: string(given.Feedback)}
			return out, err
		},
	}
}

// speakerOf finds whose words they are: those of a message that waits, else of
// an earlier one, the newest first. Without words, only a turn with one speaker
// says whose verdict it is.
func (s *shift) speakerOf(words string) (said, error) {
	if words == "" {
		var only said
		for _, m := range s.people {
			if !m.open {
				continue
			}
			if only.by != "" && only.by != m.by {
				return said{}, (&domain.Error{Code: domain.Invalid, Reason: "whose_words"}).With(nil,
					"several people are asking: give the words, so that it is clear whose feedback this is")
			}
			only = m
		}
		if only.by == "" {
			return said{}, (&domain.Error{Code: domain.Invalid, Reason: "whose_words"}).With(nil, "nobody in this turn said that")
		}
		return only, nil
	}
	want := squeezed(words)
	var found *said
	for _, m := range slices.Backward(s.people) {
		if !strings.Contains(squeezed(m.text), want) {
			continue
		}
		if m.open {
			return m, nil
		}
		if found == nil {
			found = &m
		}
	}
	if found == nil {
		return said{}, (&domain.Error{Code: domain.Invalid, Reason: "not_their_words"}).With(nil,
			"these are nobody's words in this room; copy what the person wrote, without changing or adding anything")
	}
	return *found, nil
}

// recorded marks feedback as citable and says whether it was written down before:
// by this attempt, or by an earlier one.
func (s *shift) recorded(g feedback.Given) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, again := s.known[g.Feedback]
	s.known[g.Feedback] = citable{object: g.Object, strong: g.Strong()}
	return again
}

func (s *shift) forget(id domain.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, id)
}
