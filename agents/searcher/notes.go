package searcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"sozai/agents/effect"
	"sozai/agents/source"
	"sozai/domain"
)

// Remembered is a fast source with the ledger in which its runs keep count, so
// that the caps of a search hold over all attempts of its run.
type Remembered struct {
	source.Source
	Ledger effect.Ledger
}

// note says what a run has used up of its caps. It is written before that is
// done: an attempt that dies in between has used it up.
type note struct {
	Page  string    `json:"page,omitempty"`  // of the fast source, or
	Query string    `json:"query,omitempty"` // of a competitor search
	Task  string    `json:"task,omitempty"`  // that came of it, in a second note
	At    time.Time `json:"at,omitzero"`
	Back  bool      `json:"back,omitempty"` // it was refused, so it does not count
}

// notebook keeps the notes of a run in the ledger, numbered from 1. Safe for
// concurrent use.
type notebook struct {
	ledger effect.Ledger
	who    source.Who

	mu   sync.Mutex
	last int // number of the newest note
}

var errNoNote = fmt.Errorf("there is no such note: %w", effect.ErrNotDone)

// earlier reads the notes that the run has so far.
func (b *notebook) earlier(ctx context.Context) ([]note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var notes []note
	for {
		d, _, err := b.once(ctx, b.last+1, func(context.Context) (effect.Done, error) { return effect.Done{}, errNoNote })
		if errors.Is(err, errNoNote) {
			return notes, nil
		}
		var n note
		if err == nil {
			err = json.Unmarshal(d.Answer, &n)
		}
		if err != nil {
			return nil, fmt.Errorf("what run %s has used: %w", b.who.Run, err)
		}
		notes = append(notes, n)
		b.last++
	}
}

// add writes a note, after those that an older attempt may still have written.
func (b *notebook) add(ctx context.Context, n note) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		_, again, err := b.once(ctx, b.last+1, func(context.Context) (effect.Done, error) {
			kept, err := json.Marshal(n)
			return effect.Done{Answer: kept}, err
		})
		if err != nil {
			return fmt.Errorf("note what run %s uses: %w", b.who.Run, err)
		}
		if b.last++; !again {
			return nil
		}
	}
}

func (b *notebook) once(ctx context.Context, number int, do func(context.Context) (effect.Done, error)) (effect.Done, bool, error) {
	return b.ledger.Once(ctx, effect.Call{
		Key: "search/used/" + b.who.Product + "/" + string(b.who.Run) + "/" + strconv.Itoa(number), Kind: "search",
		Product: b.who.Product, Agent: b.who.Agent, Run: b.who.Run, Attempt: b.who.Attempt,
	}, do)
}

// recall takes up what earlier attempts of the run have used.
func (s *session) recall(notes []note) {
	for _, n := range notes {
		is := func(sub *submission) bool { return sub.query == n.Query }
		switch sub := s.submission(is); {
		case n.Page != "" && n.Back:
			s.pages--
			delete(s.had, n.Page)
		case n.Page != "":
			s.pages++
			s.had[n.Page] = true
		case n.Back:
			s.drop(n.Query)
		case sub != nil:
			sub.task, sub.at = n.Task, n.At
		default:
			s.submitted = append(s.submitted, &submission{query: n.Query, task: n.Task, at: n.At, shown: map[string]bool{}})
		}
	}
}

// takePage counts a page before it is asked for, so that neither parallel calls
// nor attempts can pass the limit together. What an earlier attempt has asked for
// is not counted again.
func (s *session) takePage(ctx context.Context, page string) (counted bool, err error) {
	s.mu.Lock()
	switch {
	case s.had[page]:
		delete(s.had, page)
		s.mu.Unlock()
		return false, nil
	case s.pages >= domain.FastSourcePages:
		s.mu.Unlock()
		return false, errNoPages
	}
	s.pages++
	s.mu.Unlock()
	if err := s.notes.add(ctx, note{Page: page}); err != nil {
		s.mu.Lock()
		s.pages--
		s.mu.Unlock()
		return false, err
	}
	return true, nil
}

// givePage gives a page back that was not answered. What was broken off may have
// been, and stays counted.
func (s *session) givePage(ctx context.Context, page string, counted bool) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	if counted {
		s.pages--
	} else {
		s.had[page] = true
	}
	s.mu.Unlock()
	if counted {
		s.noteBack(ctx, note{Page: page, Back: true})
	}
}

// noteBack writes that something does not count. Should that fail, it counts in
// the run's next attempt.
func (s *session) noteBack(ctx context.Context, n note) {
	if err := s.notes.add(ctx, n); err != nil && ctx.Err() == nil {
		s.env.Errors.Warn("a refused search stays counted", "run", s.task.Run, "err", err)
	}
}
