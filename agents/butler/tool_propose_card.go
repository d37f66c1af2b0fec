package butler

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/gene"
	"sozai/streams"
)

// cardInput is a card as the model proposes it. Absent parts stay as they are.
type cardInput struct {
	Search         *string    `json:"search"`
	Steer          *string    `json:"steer"`
	MaxFilmSeconds *int       `json:"max_film_seconds"`
	Aspect         *string    `json:"aspect"`
	Summary        string     `json:"summary"`
	Reason         string     `json:"reason"`
	Evidence       []refInput `json:"evidence"`
	Feedback       []struct {
		ID       string          `json:"id"`
		Document domain.Document `json:"document"`
	} `json:"feedback"`
}

type cardOutput struct {
	Card        domain.ID `json:"card"`
	State       string    `json:"state"`
	BaseVersion int       `json:"base_version"`
	WouldBe     int       `json:"would_be"`
	Note        string    `json:"note,omitempty"`
}

const cardRules = "Present documents are full new texts, absent ones stay as they are; change only what needs it. " +
	"Every line of role person must stay, whole; words may be added to it. " +
	"Cite the feedback it uses, each for a document that the card changes, and the objects that were viewed. " +
	"Nothing changes until a person applies it. "

func (s *shift) proposeGeneCard() agents.Tool {
	return agents.Tool{
		ToolSpec: spec(toolProposeGeneCard, "Proposes a new gene version as a card, one a turn. "+cardRules+
			`Example: {"steer":"前三秒必须有爆炸\n不要花哨转场","summary":"收紧转场","reason":"小王说转场太花","evidence":[{"type":"film","id":"01J…"}],"feedback":[{"id":"01J…","document":"steer"}]}`, schemaCard),
		Execute: s.propose,
	}
}

func (s *shift) proposeUpdate() agents.Tool {
	return agents.Tool{
		ToolSpec: spec(toolProposeUpdate, "Ends the digest with a card that proposes a new gene version. "+cardRules+
			"At least one piece of feedback with words must be cited: clicks alone change nothing. "+
			`Example: {"search":"…","summary":"…","reason":"…","evidence":[],"feedback":[{"id":"01J…","document":"search"}]}`, schemaCard),
		EndsRun: true,
		Execute: s.propose,
	}
}

func (s *shift) noUpdate() agents.Tool {
	return agents.Tool{
		ToolSpec: spec(toolNoUpdate, "Ends the digest without a card and says why. "+
			`Example: {"reason":"只有 3 次点赞，没有文字，证据不足"}`, schemaNoUpdate),
		EndsRun: true,
		Execute: func(_ context.Context, call agents.Call) (agents.Output, error) {
			in, err := input[struct {
				Reason string `json:"reason"`
			}](call)
			if err != nil {
				return agents.Output{}, err
			}
			if err := domain.CheckRequired("reason", in.Reason, domain.MaxFeedback); err != nil {
				return agents.Output{}, err
			}
			out, err := object(map[string]string{"ended": "no_update"}, domain.Clip(in.Reason, 80), "ended without a card")
			out.Receipt = agents.Receipt{Kind: receiptFinish, ID: toolNoUpdate}
			return out, err
		},
	}
}

// propose puts a card in front of people, under all rules that a butler has.
func (s *shift) propose(ctx context.Context, call agents.Call) (agents.Output, error) {
	in, err := input[cardInput](call)
	if err != nil {
		return agents.Output{}, err
	}
	refused := agents.Output{Object: domain.Clip(in.Summary, 80)}
	p, err := s.draft(ctx, in)
	if err != nil {
		return refused, err
	}
	var there *gene.Card // of an earlier attempt
	result, err := s.decide(ctx, call.ID, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		there = nil
		if c := st.Gene.Cards[p.Card]; c != nil {
			if err := s.mine(c); err != nil {
				return nil, err
			}
			old := *c
			there = &old
			return nil, nil
		}
		if in.MaxFilmSeconds != nil || in.Aspect != nil {
			c := st.Gene.Constraints
			if in.MaxFilmSeconds != nil {
				c.MaxFilmSeconds = *in.MaxFilmSeconds
			}
			if in.Aspect != nil {
				c.Aspect = *in.Aspect
			}
			p.Constraints = &c
		}
		if err := s.borrowedLines(st.Gene, p); err != nil {
			return nil, err
		}
		events, err := st.Gene.Propose(p, s.actor(), now)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if made, ok := e.(gene.Proposed); ok {
				if same := sameCard(st.Gene, made); same != nil {
					return nil, (&domain.Error{Code: domain.Conflict, Reason: "same_card_pending"}).With(
						map[string]any{"card": same.ID}, "card %s proposes the same and waits for an answer; point to it instead", same.ID)
				}
			}
		}
		return events, nil
	})
	if err != nil {
		return refused, err
	}
	made := cardOutput{Card: p.Card, State: gene.StatePending, BaseVersion: p.BaseVersion, WouldBe: p.BaseVersion + 1}
	if there != nil {
		made = cardOutput{
			Card: there.ID, State: there.State, BaseVersion: there.BaseVersion, WouldBe: there.BaseVersion + 1,
			Note: "an earlier attempt of this turn proposed it; it was not proposed again",
		}
	} else if len(result.Events) == 0 {
		return refused, domain.Errorf(domain.Internal, "the card of %s was not recorded", s.id())
	}
	s.own(made.Card)
	out, err := object(made, refused.Object, fmt.Sprintf("proposed card %s: %s", made.Card, in.Summary))
	out.Receipt = agents.Receipt{Kind: receiptCard, ID: string(made.Card)}
	return out, err
}

// mine refuses a second card of the same attempt; a card of an earlier attempt is
// taken up, once.
func (s *shift) mine(c *gene.Card) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.card != c.ID {
		return nil
	}
	return (&domain.Error{Code: domain.Conflict, Reason: "one_card"}).With(map[string]any{"card": c.ID},
		"this turn has proposed card %s already; one card a turn", c.ID)
}

func (s *shift) own(card domain.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.card = card
}

// draft checks what does not depend on the gene: form, evidence and citations.
func (s *shift) draft(ctx context.Context, in cardInput) (gene.Proposed, error) {
	p := gene.Proposed{
		Card: s.derive("card"), Search: in.Search, Steer: in.Steer,
		Summary: in.Summary, Reason: in.Reason, Turn: s.turn, Run: s.run,
	}
	s.mu.Lock()
	p.BaseVersion = s.base
	s.mu.Unlock()
	var err error
	if p.Evidence, err = refsOf(in.Evidence); err != nil {
		return p, err
	}
	cited := make([]citable, 0, len(in.Feedback))
	for _, f := range in.Feedback {
		id, err := domain.ParseID(f.ID)
		if err != nil {
			return p, domain.Errorf(domain.Invalid, "%q is no id of feedback; copy it from read_feedback or record_feedback", f.ID)
		}
		what, err := s.citation(ctx, id)
		if err != nil {
			return p, err
		}
		cited = append(cited, what)
		p.Feedback = append(p.Feedback, gene.Citation{Feedback: id, Document: f.Document})
	}
	objects := slices.Clone(p.Evidence)
	strong := false
	for _, c := range cited {
		objects = append(objects, c.object)
		strong = strong || c.strong
	}
	if unseen := s.unseen(objects); len(unseen) > 0 {
		return p, errUnseen(unseen)
	}
	if s.run != "" && !strong {
		return p, (&domain.Error{Code: domain.Conflict, Reason: "no_words"}).With(nil,
			"an unattended card must cite feedback with words: clicks and text from outside change nothing; end with no_update")
	}
	return p, nil
}

// citation finds feedback that may be cited: unsettled, and this agent's.
func (s *shift) citation(ctx context.Context, id domain.ID) (citable, error) {
	look := func() (citable, bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		c, ok := s.known[id]
		return c, ok
	}
	if c, ok := look(); ok {
		return c, nil
	}
	if _, err := s.unsettled(ctx); err != nil {
		return citable{}, err
	}
	if c, ok := look(); ok {
		return c, nil
	}
	return citable{}, (&domain.Error{Code: domain.NotFound, Reason: "feedback_unknown"}).With(nil,
		"this agent has no unsettled feedback %s; read_feedback lists what can be cited", id)
}

// sameCard finds a pending card with the same effect.
func sameCard(g gene.State, p gene.Proposed) *gene.Card {
	same := func(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
	for _, c := range pendingCards(g) {
		k := c.Proposed.Constraints
		if same(c.Search, p.Search) && same(c.Steer, p.Steer) &&
			(k == p.Constraints || k != nil && p.Constraints != nil && *k == *p.Constraints) {
			return c
		}
	}
	return nil
}

// pendingCards lists the cards that wait, oldest first.
func pendingCards(g gene.State) []*gene.Card {
	var out []*gene.Card
	for _, c := range g.Cards {
		if c.State == gene.StatePending {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b *gene.Card) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}
