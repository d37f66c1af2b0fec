package streams

import (
	"context"
	"hash/maphash"
	"slices"

	"sozai/domain"
)

// FoldProblem is an event at which an agent's history does not fold. What comes
// after it in that agent is not looked at.
type FoldProblem struct {
	Key   domain.Key
	Seq   uint64
	Event domain.ID
	Type  string
	Err   error
}

// foldAtOnce is how many agents FoldAll holds in memory; of more it makes
// several passes over the log.
const foldAtOnce = 20_000

// FoldAll folds every agent from the log alone, whatever is cached, and returns
// what does not fold, in log order. progress is called now and then with how far
// it is, over all passes.
func (l *Log) FoldAll(ctx context.Context, progress func(seq, last uint64)) ([]FoldProblem, error) {
	info, err := l.info(ctx)
	if err != nil {
		return nil, err
	}
	// An agent has a subject of kind agent, and others.
	passes := 1 + info.State.NumSubjects/(2*foldAtOnce)
	last := info.State.LastSeq
	seed := maphash.MakeSeed()
	var problems []FoldProblem
	for pass := range passes {
		states := map[domain.Key]*State{}
		decode := func(subject string, header header, body []byte, seq uint64) domain.Recorded {
			r := domain.Recorded{Meta: domain.Meta{Seq: seq}}
			if passes > 1 && maphash.String(seed, agentPart(subject))%passes != pass {
				return r
			}
			return l.codec.decodeOrPoison(subject, header, body, seq)
		}
		err := readRange(ctx, l, 0, last, nil, decode, func(events []domain.Recorded) error {
			for _, r := range events {
				if _, counts := place(r.Kind); r.Event == nil || !counts {
					continue
				}
				s, known := states[r.Key]
				if known && s == nil {
					continue // failed before
				}
				if !known {
					s = &State{}
					states[r.Key] = s
				}
				if err := s.fold(r); err != nil {
					states[r.Key] = nil
					problems = append(problems, FoldProblem{Key: r.Key, Seq: r.Seq, Event: r.ID, Type: r.Type, Err: err})
				}
			}
			if progress != nil {
				done := uint64(pass)*last + events[len(events)-1].Seq //nolint:gosec // pass is small
				progress(done/passes, last)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(problems, func(a, b FoldProblem) int { return int(a.Seq) - int(b.Seq) }) //nolint:gosec // sequences are far below overflow
	return problems, nil
}

// agentPart is a subject without its kind.
func agentPart(subject string) string {
	for i := len(subject) - 1; i >= 0; i-- {
		if subject[i] == '.' {
			return subject[:i]
		}
	}
	return subject
}
