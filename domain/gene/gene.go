// Package gene owns an agent's creative gene: its numbered versions with the
// author of every line (line.go), the rule that protects what people wrote
// (person.go), and the cards that propose a next version (card.go). Versions and
// cards share one guard. It may import only domain.
package gene

import (
	"strings"

	"sozai/domain"
)

// The rules of versions (those of cards stand in card.go, of lines in person.go):
//
//  1. Versions count from 1; the first is created with the agent, once.
//  2. A version is minted on the current one only; a stale base is refused.
//  3. Only a person edits or rolls back.
//  4. A version that changes nothing is refused.
//  5. A rollback mints a new version with the texts, constraints and line
//     authors of an older one.
//  6. Minting a version expires every pending card, in the same batch.
//  7. Both documents have at most 20,000 characters and 1,000 lines.
//  8. The score written into a version is that of the version before it.
//  9. Constraints are a film length of 0 (no limit) to 600 seconds and a known
//     aspect, or none.
var (
	ErrExists         = domain.Rule(domain.Exists, "gene_exists", "the agent has a gene already")
	ErrNoGene         = domain.Rule(domain.NotFound, "gene_unknown", "the agent has no gene yet")
	ErrNoVersion      = domain.Rule(domain.NotFound, "version_unknown", "there is no such version")
	ErrBaseMoved      = domain.Rule(domain.Conflict, "base_moved", "the gene has moved on")
	ErrNothingChanged = domain.Rule(domain.Conflict, "nothing_changed", "nothing would change")
	ErrConstraints    = domain.Rule(domain.Invalid, "gene_constraints", "the constraints cannot be right")
	ErrLines          = domain.Rule(domain.Invalid, "gene_lines", "the document has too many lines")
	ErrScore          = domain.Rule(domain.Invalid, "gene_score", "the score is of another version")
)

const (
	maxLines   = 1_000
	maxSeconds = 600
)

// State is folded from the events of this kind.
type State struct {
	Version     int // 0 while there is none
	Search      string
	Steer       string
	Constraints domain.Constraints
	Versions    []Minted // version n at index n-1
	Cards       map[domain.ID]*Card
	authored    []authored // as Versions
}

// authored is who wrote each line of a version.
type authored struct{ search, steer []Line }

// Edit is what a person changes; absent parts stay as they are.
type Edit struct {
	Search      *string
	Steer       *string
	Constraints *domain.Constraints
}

// Lines is the current document with the author of each line, without its blank
// lines.
func (s State) Lines(doc domain.Document) []Line {
	return s.LinesAt(s.Version, doc)
}

// LinesAt is Lines of an older version; nil if there is no such version.
func (s State) LinesAt(version int, doc domain.Document) []Line {
	if version < 1 || version > len(s.authored) {
		return nil
	}
	if doc == domain.Search {
		return s.authored[version-1].search
	}
	return s.authored[version-1].steer
}

// Create mints the first version.
func (s State) Create(search, steer string, c domain.Constraints) ([]domain.Decision, error) {
	if s.Version > 0 {
		return nil, ErrExists
	}
	e := Edit{Search: &search, Steer: &steer, Constraints: &c}
	if err := e.check(); err != nil {
		return nil, err
	}
	return []domain.Decision{Minted{
		Version: 1, Search: clean(search), Steer: clean(steer), Constraints: c, Origin: OriginCreated,
	}}, nil
}

// Edit mints what a person wrote over version base.
func (s State) Edit(base int, e Edit, summary string, previous *Score, by domain.Actor) ([]domain.Decision, error) {
	if err := domain.CheckPerson(by); err != nil {
		return nil, err
	}
	if err := s.checkBase(base); err != nil {
		return nil, err
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	e = s.differing(e)
	if e.empty() {
		return nil, ErrNothingChanged
	}
	next := s.with(e)
	next.Origin, next.Summary = OriginEdit, summary
	return s.mint(next, previous, "")
}

// Rollback mints an older version again, over version base.
func (s State) Rollback(base, to int, previous *Score, by domain.Actor) ([]domain.Decision, error) {
	if err := domain.CheckPerson(by); err != nil {
		return nil, err
	}
	if err := s.checkBase(base); err != nil {
		return nil, err
	}
	if to < 1 || to > s.Version {
		return nil, ErrNoVersion.With(map[string]any{"version": s.Version}, "there is no version %d", to)
	}
	old := s.Versions[to-1]
	e := s.differing(Edit{Search: &old.Search, Steer: &old.Steer, Constraints: &old.Constraints})
	if e.empty() {
		return nil, ErrNothingChanged
	}
	next := s.with(e)
	next.Origin, next.RolledBackTo = OriginRollback, to
	return s.mint(next, previous, "")
}

// mint completes and checks a next version and expires the pending cards but
// the applied one.
func (s State) mint(next Minted, previous *Score, applied domain.ID) ([]domain.Decision, error) {
	if err := domain.CheckText("summary", next.Summary, domain.MaxFeedback); err != nil {
		return nil, err
	}
	if previous != nil && previous.Version != s.Version {
		return nil, ErrScore.With(map[string]any{"version": s.Version},
			"a score of version %d does not stand for version %d", previous.Version, s.Version)
	}
	next.Version, next.BaseVersion, next.Previous = s.Version+1, s.Version, previous
	events := []domain.Decision{next}
	for _, c := range s.pending() {
		if c.ID != applied {
			events = append(events, Expired{Card: c.ID, Cause: CauseBaseMoved, MovedTo: next.Version})
		}
	}
	return events, nil
}

func (s State) checkBase(base int) error {
	switch {
	case s.Version == 0:
		return ErrNoGene
	case base != s.Version:
		return ErrBaseMoved.With(map[string]any{"version": s.Version, "base": base},
			"the gene is at version %d, this was made on version %d", s.Version, base)
	}
	return nil
}

// with is the current version with e over it.
func (s State) with(e Edit) Minted {
	m := Minted{Search: s.Search, Steer: s.Steer, Constraints: s.Constraints}
	if e.Search != nil {
		m.Search = *e.Search
	}
	if e.Steer != nil {
		m.Steer = *e.Steer
	}
	if e.Constraints != nil {
		m.Constraints = *e.Constraints
	}
	return m
}

// differing keeps of e, cleaned, what is not as it is already.
func (s State) differing(e Edit) Edit {
	var d Edit
	if e.Search != nil && clean(*e.Search) != s.Search {
		text := clean(*e.Search)
		d.Search = &text
	}
	if e.Steer != nil && clean(*e.Steer) != s.Steer {
		text := clean(*e.Steer)
		d.Steer = &text
	}
	if e.Constraints != nil && *e.Constraints != s.Constraints {
		c := *e.Constraints
		d.Constraints = &c
	}
	return d
}

func (e Edit) empty() bool { return e == Edit{} }

func (e Edit) check() error {
	for doc, text := range map[domain.Document]*string{domain.Search: e.Search, domain.Steer: e.Steer} {
		if text == nil {
			continue
		}
		if err := domain.CheckText(string(doc), *text, domain.MaxDocRunes); err != nil {
			return err
		}
		if n := len(split(*text)); n > maxLines {
			return ErrLines.With(map[string]any{"document": doc, "lines": n},
				"the %s document has %d lines, at most %d are allowed", doc, n, maxLines)
		}
	}
	c := e.Constraints
	if c == nil {
		return nil
	}
	if c.MaxFilmSeconds < 0 || c.MaxFilmSeconds > maxSeconds {
		return ErrConstraints.With(nil, "a film of at most %d seconds cannot be", c.MaxFilmSeconds)
	}
	switch c.Aspect {
	case "", "9:16", "4:5", "1:1", "16:9":
		return nil
	}
	return ErrConstraints.With(nil, "%q is none of the aspects 9:16, 4:5, 1:1, 16:9", c.Aspect)
}

// clean is a document as it is stored: \n between lines, no spaces behind them,
// no blank lines around it.
func clean(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = trimRight(lines[i])
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// Evolve applies one recorded event.
func Evolve(s State, r domain.Recorded) (State, error) {
	switch e := r.Event.(type) {
	case Minted:
		if e.Version != s.Version+1 {
			return s, domain.Errorf(domain.Internal, "gene: version %d at %d follows version %d", e.Version, r.Seq, s.Version)
		}
		lines, err := s.author(e, r.Actor)
		if err != nil {
			return s, err
		}
		s.authored = append(s.authored, lines)
		s.Versions = append(s.Versions, e)
		s.Version, s.Search, s.Steer, s.Constraints = e.Version, e.Search, e.Steer, e.Constraints
		return s, nil
	case Proposed:
		if _, known := s.Cards[e.Card]; known {
			return s, domain.Errorf(domain.Internal, "gene: card %s is proposed again at %d", e.Card, r.Seq)
		}
		if s.Cards == nil {
			s.Cards = map[domain.ID]*Card{}
		}
		s.Cards[e.Card] = &Card{
			ID: e.Card, State: StatePending, Proposed: e, By: r.Actor, ProposedAt: r.Time, Seq: r.Seq,
		}
		return s, nil
	case Applied:
		return s, s.close(e.Card, r, func(c *Card) {
			c.State, c.Version, c.Documents, c.Edited, c.Settled = StateApplied, e.Version, e.Documents, e.Edited, e.Settled
		})
	case Rejected:
		return s, s.close(e.Card, r, func(c *Card) {
			c.State, c.Rejection, c.Chips = StateRejected, e.Reason, e.Chips
		})
	case Expired:
		return s, s.close(e.Card, r, func(c *Card) {
			c.State, c.Cause, c.Version = StateExpired, e.Cause, e.MovedTo
		})
	}
	return s, domain.Errorf(domain.Internal, "gene: unknown event %T at %d", r.Event, r.Seq)
}

func (s State) close(id domain.ID, r domain.Recorded, change func(*Card)) error {
	c, known := s.Cards[id]
	if !known || c.State != StatePending {
		return domain.Errorf(domain.Internal, "gene: %T at %d does not fit the history of card %s", r.Event, r.Seq, id)
	}
	c.ClosedBy, c.ClosedAt = r.Actor, r.Time
	change(c)
	return nil
}

// author tells who wrote each line of the version that by minted.
func (s State) author(m Minted, by domain.Actor) (authored, error) {
	var card *Card
	switch m.Origin {
	case OriginRollback:
		if m.RolledBackTo < 1 || m.RolledBackTo > len(s.authored) {
			return authored{}, domain.Errorf(domain.Internal, "gene: version %d rolls back to %d", m.Version, m.RolledBackTo)
		}
		return s.authored[m.RolledBackTo-1], nil
	case OriginCard:
		if card = s.Cards[m.Card]; card == nil {
			return authored{}, domain.Errorf(domain.Internal, "gene: version %d is of the unknown card %s", m.Version, m.Card)
		}
	}
	document := func(doc domain.Document, was, text string) []Line {
		prev := s.Lines(doc)
		if text == was {
			return prev
		}
		if card == nil || card.text(doc) == nil {
			return attribute(prev, text, by)
		}
		proposed := card.text(doc)
		lines := attribute(prev, *proposed, card.By)
		if text == *proposed {
			return lines
		}
		return attribute(alsoFrom(prev, lines), text, by)
	}
	return authored{
		search: document(domain.Search, s.Search, m.Search),
		steer:  document(domain.Steer, s.Steer, m.Steer),
	}, nil
}
