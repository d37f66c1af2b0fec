package gene

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"sozai/domain"
)

// The rules of cards:
//
//  1. A card is proposed on the current version, with a summary and a reason.
//  2. It holds the full text of the documents that change and no others; one
//     that changes nothing is refused.
//  3. Feedback is cited only for a document that the card changes.
//  4. A butler's card keeps what people wrote (person.go); a person's may not.
//  5. It expires 7 days after it was proposed.
//  6. Only a person applies or rejects.
//  7. Applying mints a version from the whole card or from some of its documents,
//     edited or not, and expires every other pending card, in one batch.
//  8. Applying settles the feedback cited for the documents that it changed;
//     rejecting and expiring settle none.
//  9. A card is closed once; whoever comes later is told how, when and by whom.
//  10. Age closes a card, whether or not the timer has come.
//  11. An edit on the way touches only documents that are applied.
var (
	ErrCardExists  = domain.Rule(domain.Exists, "card_exists", "the card was proposed already")
	ErrUnknownCard = domain.Rule(domain.NotFound, "card_unknown", "there is no such card")
	ErrCardClosed  = domain.Rule(domain.Conflict, "card_closed", "the card is closed")
	ErrDocument    = domain.Rule(domain.Invalid, "card_document", "the card does not change this document")
	ErrPersonLines = domain.Rule(domain.Conflict, "person_lines", "lines that a person wrote must be kept")
)

// Constraints names the third part of a gene beside its two documents.
const Constraints domain.Document = "constraints"

// Limits of one card.
const (
	MaxEvidence = 50
	MaxChips    = 10
)

// The states of a card.
const (
	StatePending  = "pending"
	StateApplied  = "applied"
	StateRejected = "rejected"
	StateExpired  = "expired"
)

// Card is a proposed version as the log knows it. Version is the one it became,
// or the one that moved its base.
type Card struct {
	ID    domain.ID
	State string // pending, applied, rejected, expired
	Proposed
	By         domain.Actor // who proposed it
	ProposedAt time.Time
	Seq        uint64
	ClosedBy   domain.Actor
	ClosedAt   time.Time
	Version    int
	Cause      Cause    // of an expired card
	Documents  []string // what was applied of it
	Edited     bool
	Settled    []domain.ID
	Rejection  string // the reason of a rejected card
	Chips      []string
}

// ApplyCard is a person's yes. Documents ("search", "steer", "constraints") are
// those wanted, none meaning all; Edit replaces their texts; Summary replaces the
// card's; Previous is the score of the version that ends by this.
type ApplyCard struct {
	Card      domain.ID
	Documents []string
	Edit      *Edit
	Summary   string
	Previous  *Score
}

// Propose puts a card in front of people. Expires is filled in, documents that
// are as they are already fall away.
func (s State) Propose(p Proposed, by domain.Actor, now time.Time) ([]domain.Decision, error) {
	if p.Card == "" {
		return nil, domain.Missing("card")
	}
	if _, known := s.Cards[p.Card]; known {
		return nil, ErrCardExists
	}
	if err := s.checkBase(p.BaseVersion); err != nil {
		return nil, err
	}
	if err := domain.CheckRequired("summary", p.Summary, domain.MaxFeedback); err != nil {
		return nil, err
	}
	if err := domain.CheckRequired("reason", p.Reason, domain.MaxMessageRunes); err != nil {
		return nil, err
	}
	if err := domain.CheckRefs(p.Evidence, MaxEvidence); err != nil {
		return nil, err
	}
	e := Edit{Search: p.Search, Steer: p.Steer, Constraints: p.Constraints}
	if err := e.check(); err != nil {
		return nil, err
	}
	if e = s.differing(e); e.empty() {
		return nil, ErrNothingChanged
	}
	p.Search, p.Steer, p.Constraints = e.Search, e.Steer, e.Constraints
	for _, cited := range p.Feedback {
		switch {
		case cited.Feedback == "":
			return nil, domain.Missing("feedback")
		case !slices.Contains(e.documents(), string(cited.Document)):
			return nil, ErrDocument.With(map[string]any{"document": cited.Document, "feedback": cited.Feedback},
				"feedback is cited for %q, which the card does not change", cited.Document)
		}
	}
	if !by.IsPerson() {
		if err := s.checkPersonLines(e); err != nil {
			return nil, err
		}
	}
	p.Expires = now.Add(domain.ProposalLifetime)
	return []domain.Decision{p}, nil
}

// Apply mints a version from a card.
func (s State) Apply(a ApplyCard, by domain.Actor, now time.Time) ([]domain.Decision, error) {
	c, err := s.pendingCard(a.Card, by, now)
	if err != nil {
		return nil, err
	}
	if err := s.checkBase(c.BaseVersion); err != nil {
		return nil, err
	}
	wanted, err := c.choose(a.Documents)
	if err != nil {
		return nil, err
	}
	edited := false
	if a.Edit != nil {
		over, err := wanted.over(*a.Edit)
		if err != nil {
			return nil, err
		}
		edited = !over.equal(wanted)
		wanted = over
	}
	wanted = s.differing(wanted)
	if wanted.empty() {
		return nil, ErrNothingChanged
	}
	next := s.with(wanted)
	next.Origin, next.Card, next.Summary = OriginCard, c.ID, cmp.Or(a.Summary, c.Summary)
	minted, err := s.mint(next, a.Previous, c.ID)
	if err != nil {
		return nil, err
	}
	applied := Applied{Card: c.ID, Version: s.Version + 1, Documents: wanted.documents(), Edited: edited}
	for _, cited := range c.Feedback {
		if slices.Contains(applied.Documents, string(cited.Document)) && !slices.Contains(applied.Settled, cited.Feedback) {
			applied.Settled = append(applied.Settled, cited.Feedback)
		}
	}
	return append([]domain.Decision{applied}, minted...), nil
}

// Reject closes a card without effect. Chips are the short reasons picked.
func (s State) Reject(card domain.ID, reason string, chips []string, by domain.Actor, now time.Time) ([]domain.Decision, error) {
	c, err := s.pendingCard(card, by, now)
	if err != nil {
		return nil, err
	}
	if err := domain.CheckText("reason", reason, domain.MaxFeedback); err != nil {
		return nil, err
	}
	if len(chips) > MaxChips {
		return nil, domain.ErrTooLong.With(nil, "%d chips, at most %d are allowed", len(chips), MaxChips)
	}
	for _, chip := range chips {
		if err := domain.CheckText("chip", chip, domain.MaxNameRunes); err != nil {
			return nil, err
		}
	}
	return []domain.Decision{Rejected{Card: c.ID, Reason: reason, Chips: chips}}, nil
}

// Expire closes a card whose age is over; before that, and when it is closed
// already, it does nothing.
func (s State) Expire(card domain.ID, now time.Time) ([]domain.Decision, error) {
	c, known := s.Cards[card]
	switch {
	case !known:
		return nil, ErrUnknownCard
	case c.State != StatePending || now.Before(c.Expires):
		return nil, nil
	}
	return []domain.Decision{Expired{Card: card, Cause: CauseAge}}, nil
}

// pendingCard is the card if by may still close it.
func (s State) pendingCard(id domain.ID, by domain.Actor, now time.Time) (*Card, error) {
	if err := domain.CheckPerson(by); err != nil {
		return nil, err
	}
	c, known := s.Cards[id]
	switch {
	case !known:
		return nil, ErrUnknownCard
	case c.State != StatePending:
		return nil, c.closed()
	case !now.Before(c.Expires):
		old := *c
		old.State, old.Cause, old.ClosedAt = StateExpired, CauseAge, c.Expires
		return nil, old.closed()
	}
	return c, nil
}

// pending lists the cards that wait, in log order.
func (s State) pending() []*Card {
	waiting := slices.DeleteFunc(slices.Collect(maps.Values(s.Cards)), func(c *Card) bool { return c.State != StatePending })
	slices.SortFunc(waiting, func(a, b *Card) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID)) })
	return waiting
}

func (c *Card) closed() error {
	details := map[string]any{
		"card": c.ID, "state": c.State, "by": c.ClosedBy, "at": domain.Stamp(c.ClosedAt), "version": c.Version, "cause": c.Cause,
	}
	if c.State == StateExpired {
		return ErrCardClosed.With(details, "the card expired at %s (%s)", domain.Stamp(c.ClosedAt), c.Cause)
	}
	return ErrCardClosed.With(details, "the card was %s by %s at %s", c.State, c.ClosedBy, domain.Stamp(c.ClosedAt))
}

// text is the card's full text of a document; nil if it leaves that alone.
func (c *Card) text(doc domain.Document) *string {
	if doc == domain.Search {
		return c.Search
	}
	return c.Steer
}

// choose takes the named documents of the card, all of them if none is named.
func (c *Card) choose(names []string) (Edit, error) {
	all := Edit{Search: c.Search, Steer: c.Steer, Constraints: c.Proposed.Constraints}
	if len(names) == 0 {
		return all, nil
	}
	var chosen Edit
	for _, name := range names {
		if !slices.Contains(all.documents(), name) {
			return Edit{}, ErrDocument.With(map[string]any{"document": name}, "the card does not change %q", name)
		}
		switch domain.Document(name) {
		case domain.Search:
			chosen.Search = all.Search
		case domain.Steer:
			chosen.Steer = all.Steer
		case Constraints:
			chosen.Constraints = all.Constraints
		}
	}
	return chosen, nil
}

// over lays an edit over e; it may touch only what e has.
func (e Edit) over(edit Edit) (Edit, error) {
	if err := edit.check(); err != nil {
		return Edit{}, err
	}
	for _, name := range edit.documents() {
		if !slices.Contains(e.documents(), name) {
			return Edit{}, ErrDocument.With(map[string]any{"document": name}, "%q is edited but not applied", name)
		}
	}
	if edit.Search != nil {
		text := clean(*edit.Search)
		e.Search = &text
	}
	if edit.Steer != nil {
		text := clean(*edit.Steer)
		e.Steer = &text
	}
	if edit.Constraints != nil {
		e.Constraints = edit.Constraints
	}
	return e, nil
}

// documents names the parts that are present, in a fixed order.
func (e Edit) documents() []string {
	var names []string
	if e.Search != nil {
		names = append(names, string(domain.Search))
	}
	if e.Steer != nil {
		names = append(names, string(domain.Steer))
	}
	if e.Constraints != nil {
		names = append(names, string(Constraints))
	}
	return names
}

// equal compares two edits that have the same parts.
func (e Edit) equal(o Edit) bool {
	same := func(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
	return same(e.Search, o.Search) && same(e.Steer, o.Steer) &&
		(e.Constraints == o.Constraints || e.Constraints != nil && o.Constraints != nil && *e.Constraints == *o.Constraints)
}

func (s State) checkPersonLines(e Edit) error {
	var broken []map[string]any
	for _, doc := range []domain.Document{domain.Search, domain.Steer} {
		text := e.Search
		if doc == domain.Steer {
			text = e.Steer
		}
		if text == nil {
			continue
		}
		for _, line := range CheckPersonLines(s.Lines(doc), *text) {
			broken = append(broken, map[string]any{"document": doc, "line": line.Text, "by": line.Author})
		}
	}
	if len(broken) > 0 {
		return ErrPersonLines.With(map[string]any{"lines": broken},
			"%d lines that a person wrote are removed, changed or turned around", len(broken))
	}
	return nil
}
