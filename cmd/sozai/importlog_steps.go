package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/handlers/work"
	"sozai/streams"
)

// archiveSummary is what a file that was found whole holds.
type archiveSummary struct {
	header archiveHeader
	footer archiveFooter
	agents map[domain.Key]int // events of each
	bytes  int64
}

// inspect reads a whole file without touching anything, and refuses it if any of
// its events could not be read by this program.
func inspect(p *process, file *os.File) (sum archiveSummary, err error) {
	info, err := file.Stat()
	if err != nil {
		return sum, err
	}
	sum.bytes, sum.agents = info.Size(), map[domain.Key]int{}
	codec := streams.NewCodec()
	unknown := map[string]int{} // types that this program does not know
	var bad []string            // the first other problems
	nbad, n := 0, uint64(0)
	progress := p.meter()
	defer progress.end()
	sum.header, sum.footer, err = readArchive(file, func(line int, e streams.Stored) error {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		n++
		progress.events("checking", n, 0)
		err := e.Check()
		var r domain.Recorded
		if err == nil {
			r, err = codec.Decode(e.Subject, e.Header, e.Data, e.Seq)
		}
		if err == nil {
			sum.agents[r.Key]++
			return nil
		}
		if r.Type != "" && !slices.ContainsFunc(streams.Catalogue(), func(k streams.Registered) bool { return k.Type == r.Type }) {
			unknown[r.Type]++
			return nil
		}
		if nbad++; len(bad) < 5 {
			bad = append(bad, fmt.Sprintf("line %d: %v", line, err))
		}
		return nil
	})
	if err != nil {
		return sum, err
	}
	var problems []error
	if len(unknown) > 0 {
		var names []string
		for name, count := range unknown {
			names = append(names, fmt.Sprintf("%s (%d)", name, count))
		}
		slices.Sort(names)
		problems = append(problems, fmt.Errorf("it has event types that this version does not know: %s; import it with the version that wrote it (%s) or a newer one",
			strings.Join(names, ", "), sum.header.Program))
	}
	if nbad > 0 {
		problems = append(problems, fmt.Errorf("%s cannot be read:\n  %s", plural(nbad, "event"), strings.Join(bad, "\n  ")))
	}
	return sum, errors.Join(problems...)
}

// bringIn appends the events of a file that was found whole.
func bringIn(p *process, n *node, file *os.File, sum archiveSummary) (int, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	progress := p.meter()
	defer progress.end()
	got, err := n.log.Import(p.ctx, archived(file), func(done int) {
		progress.events("importing", uint64(done), uint64(sum.footer.Count))
	})
	if err == nil && got != sum.footer.Count {
		err = fmt.Errorf("the file was changed while it was imported: %d of %s", got, plural(sum.footer.Count, "event"))
	}
	return got, err
}

// archived yields the events of a file; its last error says why it ended early.
func archived(file io.Reader) iter.Seq2[streams.Stored, error] {
	return func(yield func(streams.Stored, error) bool) {
		_, _, err := readArchive(file, func(_ int, e streams.Stored) error {
			if !yield(e, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(streams.Stored{}, err)
		}
	}
}

// closeAtOnce is how many agents are closed at the same time, so that the log
// gathers their events.
const closeAtOnce = 64

// closeHistory ends, agent by agent, what was open, and notes where the agent
// came from.
func closeHistory(p *process, n *node, sum archiveSummary, report *importReport) error {
	cmd := streams.Command{ID: "imported/" + sum.footer.SHA256[:16], Actor: domain.System("import")}
	progress := p.meter()
	defer progress.end()
	var mu sync.Mutex
	done := 0
	group, ctx := errgroup.WithContext(p.ctx)
	group.SetLimit(closeAtOnce)
	for key, events := range sum.agents {
		group.Go(func() error {
			from := agent.Imported{From: sum.header.origin(), Events: events, Digest: "sha256:" + sum.footer.SHA256}
			result, err := n.log.Decide(ctx, key, cmd, func(s *streams.State, _ time.Time) ([]domain.Decision, error) {
				return work.CloseImported(s, from, n.log.NewID)
			})
			mu.Lock()
			defer mu.Unlock()
			if errors.Is(err, agent.ErrUnknown) {
				report.Strays++
				return nil
			}
			if err != nil {
				return fmt.Errorf("close agent %s: %w", key.Agent, err)
			}
			for _, r := range result.Events {
				switch r.Event.(type) {
				case run.Finished:
					report.Runs++
				case turn.Finished:
					report.Turns++
				case agent.ScheduleSet:
					report.Schedules++
				}
			}
			done++
			progress.say(func() string { return fmt.Sprintf("closing  %d of %s", done, plural(len(sum.agents), "agent")) })
			return nil
		})
	}
	return group.Wait()
}
