package planner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/oklog/ulid/v2"

	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
)

// progressEvery is the least time between two run.progressed of a run.
const progressEvery = 2 * time.Second

// BoardID is the id of the board that a run makes: whichever attempt writes it,
// it is the same board.
func BoardID(run domain.ID) domain.ID {
	sum := sha256.Sum256([]byte("board\x00" + string(run)))
	var id ulid.ULID
	copy(id[:], sum[:])
	if of, err := ulid.ParseStrict(string(run)); err == nil {
		copy(id[:6], of[:6]) // the run's time, so that boards sort as they were asked for
	} else {
		id[0] &= 0x7f
	}
	return domain.ID(id.String())
}

// session is the memory of one attempt. What load works out does not change
// afterwards; what tools of a round change at the same time is guarded by mu.
type session struct {
	env  Env
	task Task
	zh   bool

	clips    []*clip // usable ones, best first
	byID     map[domain.ID]*clip
	unusable map[domain.ID]string // the agent's others, and why
	titles   map[domain.ID]string // of both
	must     []domain.ID          // clips that the request cites
	base     *projections.Board
	said     []remark // of the base board and its films, newest first
	kept     map[int]library.Panel
	change   []int
	notes    []string // for the closing summary, in people's words

	mu       sync.Mutex
	pages    int // of materials that were read
	analyses int
	progress time.Time
	unsure   bool // the board was sent to the log, which has not confirmed it
	made     *library.BoardCreated
	why      string // given with the board
}

func newSession(env Env, task Task) *session {
	return &session{
		env: env, task: task,
		zh:   chinese(cmp.Or(task.Request.What, task.Gene.Steer, task.Gene.Search, task.Brief, task.Name)),
		byID: map[domain.ID]*clip{}, unusable: map[domain.ID]string{}, titles: map[domain.ID]string{},
	}
}

// chinese says whether whoever wrote a text reads Chinese.
func chinese(text string) bool {
	return text == "" || strings.IndexFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0
}

func (s *session) say(zh, en string, args ...any) string {
	if s.zh {
		return fmt.Sprintf(zh, args...)
	}
	return fmt.Sprintf(en, args...)
}

// refusal says in people's words why the request cannot be carried out.
type refusal struct{ words string }

func (r *refusal) Error() string { return r.words }

func (s *session) refuse(zh, en string, args ...any) error {
	return &refusal{s.say(zh, en, args...)}
}

// errFenced ends an attempt that is not the live one any more.
var errFenced = domain.Rule(domain.Conflict, "stale_attempt", "this attempt is over; nothing was written")

// record appends facts as this attempt, if it is still the live one. A fact that
// slips through all the same is told by its attempt, and not applied.
func (s *session) record(ctx context.Context, part string, facts ...domain.Fact) error {
	err := s.env.Log.View(ctx, s.task.Key, func(st *streams.State) error {
		if r := st.Run.Runs[s.task.Run]; r == nil || r.Finished != nil || !r.Live || r.Attempt != s.task.Attempt {
			return errFenced
		}
		return nil
	})
	if err != nil {
		return err
	}
	cmd := streams.Command{ID: fmt.Sprintf("%s/%d/%s", s.task.Run, s.task.Attempt, part), Actor: s.env.Worker}
	_, err = s.env.Log.Record(ctx, s.task.Key, cmd, facts...)
	return err
}

// recorded looks for the run's board, whichever attempt wrote it.
func (s *session) recorded(ctx context.Context) (*library.BoardCreated, error) {
	b, err := s.env.Library.Board(ctx, s.task.Key, BoardID(s.task.Run))
	switch {
	case domain.CodeOf(err) == domain.NotFound:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("board of run %s: %w", s.task.Run, err)
	}
	return &library.BoardCreated{
		Board: b.Board, Run: b.Run, GeneVersion: b.GeneVersion, Base: b.Base, Title: b.Title, Panels: b.Panels,
	}, nil
}

// atEnd is recorded as of the log's present end.
func (s *session) atEnd(ctx context.Context) (*library.BoardCreated, error) {
	last, err := s.env.Log.Last(ctx)
	if err == nil {
		err = s.env.Library.Wait(ctx, last, projections.Library)
	}
	if err != nil {
		return nil, fmt.Errorf("library at the log's end: %w", err)
	}
	return s.recorded(ctx)
}

// lookBack finds out, at the end of an attempt, what became of a board that the
// log has not confirmed.
func (s *session) lookBack(ctx context.Context) {
	s.mu.Lock()
	unsure := s.unsure && s.made == nil
	s.mu.Unlock()
	if !unsure {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	made, err := s.atEnd(ctx)
	if err != nil {
		s.env.Errors.Warn("whether the board was written is not known", "run", s.task.Run, "err", err)
		return
	}
	s.mu.Lock()
	s.made = made
	s.mu.Unlock()
}

// report records progress, at most every two seconds unless it is the last. A
// report that cannot be written is only logged: it makes no row anywhere.
func (s *session) report(ctx context.Context, p step.Progressed, last bool) {
	s.mu.Lock()
	now := s.env.Now()
	if !last && !s.progress.IsZero() && now.Sub(s.progress) < progressEvery {
		s.mu.Unlock()
		return
	}
	s.progress = now
	s.mu.Unlock()
	p.Run, p.Attempt = s.task.Run, s.task.Attempt
	if err := s.record(ctx, fmt.Sprintf("progress-%d-%s", now.UnixMilli(), p.Unit), p); err != nil && ctx.Err() == nil {
		s.env.Errors.Error("progress not recorded", "run", s.task.Run, "err", err)
	}
}

// limit is how long the film may be: what the gene allows, and no more than can be
// rendered.
func (s *session) limit() float64 {
	if most := s.task.Gene.Constraints.MaxFilmSeconds; most > 0 {
		return min(float64(most), MaxBoardSeconds)
	}
	return MaxBoardSeconds
}

// numbers writes panel numbers for people: "2、5" or "2, 5".
func (s *session) numbers(panels []int) string {
	texts := make([]string, len(panels))
	for i, n := range slices.Sorted(slices.Values(panels)) {
		texts[i] = fmt.Sprint(n)
	}
	return strings.Join(texts, s.say("、", ", "))
}
