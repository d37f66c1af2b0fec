package planner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/step"
)

// errBoard refuses a board; the message lists what is wrong with it.
var errBoard = domain.Rule(domain.Invalid, "board_refused", "the board cannot be written like that")

// panelInput is a panel as the model writes it.
type panelInput struct {
	Keep     bool      `json:"keep"`
	Number   int       `json:"number"`
	Caption  string    `json:"caption"`
	Seconds  float64   `json:"seconds"`
	Material domain.ID `json:"material"`
	From     float64   `json:"from"`
	To       float64   `json:"to"`
}

// writeBoard checks the board and records it, once a run. A board that the log
// took without telling so is found again instead of written over.
func (s *session) writeBoard(ctx context.Context, call agents.Call) (agents.Output, error) {
	in, err := input[struct {
		Title  string       `json:"title"`
		Why    string       `json:"why"`
		Panels []panelInput `json:"panels"`
	}](call)
	if err != nil {
		return agents.Output{}, err
	}
	out := agents.Output{Object: line(in.Title, 60)}
	panels, faults := s.panels(in.Panels)
	faults = append(faults, Check(in.Title, panels, s.rules())...)
	if len(faults) > 0 {
		return out, refused(faults)
	}
	board := library.BoardCreated{
		Board: BoardID(s.task.Run), Run: s.task.Run, Attempt: s.task.Attempt, GeneVersion: s.task.Gene.Version,
		Title: strings.Join(strings.Fields(in.Title), " "), Panels: panels,
	}
	if s.base != nil {
		board.Base = s.base.Board
	}
	if err := board.Check(); err != nil {
		return out, err
	}
	made, err := s.write(ctx, board)
	if domain.CodeOf(err) == domain.Unavailable {
		return out, &agents.ToolError{Message: "the log or the library cannot be reached; write the board again", RetryAfter: time.Second, Err: err}
	}
	if err != nil {
		return out, fmt.Errorf("write the board of run %s: %w", s.task.Run, err)
	}
	s.mu.Lock()
	s.made, s.why = made, line(in.Why, 300)
	s.mu.Unlock()
	s.report(ctx, step.Progressed{Done: len(made.Panels), Target: len(made.Panels), Unit: "panels"}, true)
	out.Object = line(made.Title, 60)
	out.Text = encode(struct {
		Board   domain.ID `json:"board"`
		Panels  int       `json:"panels"`
		Seconds float64   `json:"seconds"`
	}{made.Board, len(made.Panels), lasts(made.Panels)})
	out.Receipt = agents.Receipt{Kind: "board", ID: string(made.Board)}
	return out, nil
}

// write records the board and returns the one that stands in the log.
func (s *session) write(ctx context.Context, board library.BoardCreated) (*library.BoardCreated, error) {
	s.mu.Lock()
	unsure := s.unsure
	s.unsure = true
	s.mu.Unlock()
	if unsure {
		if made, err := s.atEnd(ctx); err != nil || made != nil {
			return made, err
		}
	}
	if err := s.record(ctx, "board", board); err != nil {
		return nil, err
	}
	return &board, nil
}

// rules are what this run's board must obey.
func (s *session) rules() Rules {
	clips := make(map[domain.ID]Clip, len(s.byID))
	for id, c := range s.byID {
		clips[id] = c.Clip
	}
	return Rules{
		MaxSeconds: s.limit(), Clips: clips, Unusable: s.unusable, Must: s.must, Kept: s.kept,
	}
}

// panels reads what the model wrote: numbers by order, seconds to a millisecond,
// captions on one line. A panel that is to be kept, or says the same as a kept
// one, is the base board's own.
func (s *session) panels(in []panelInput) ([]library.Panel, []Fault) {
	var faults []Fault
	out := make([]library.Panel, len(in))
	for i, p := range in {
		n := i + 1
		if p.Keep {
			if s.base == nil || n > len(s.base.Panels) {
				faults = append(faults, Fault{n, "there is no panel of a base board to keep here"})
			} else {
				out[i] = s.base.Panels[i]
				continue
			}
		}
		if p.Number == 0 {
			p.Number = n
		}
		out[i] = library.Panel{
			Number: p.Number, Caption: strings.Join(strings.Fields(p.Caption), " "), Seconds: round(p.Seconds),
			Material: p.Material, From: round(p.From), To: round(p.To),
		}
		if kept, ok := s.kept[n]; ok && same(kept, p) {
			out[i] = kept
		}
	}
	return out, faults
}

// same says whether a panel was copied from a kept one.
func same(kept library.Panel, p panelInput) bool {
	return p.Number == kept.Number && p.Material == kept.Material &&
		strings.Join(strings.Fields(p.Caption), " ") == strings.Join(strings.Fields(kept.Caption), " ") &&
		round(p.Seconds) == round(kept.Seconds) && round(p.From) == round(kept.From) && round(p.To) == round(kept.To)
}

// refused tells the model everything that is wrong, panel by panel.
func refused(faults []Fault) error {
	lines := make([]string, 0, len(faults))
	numbers := []int{}
	for _, f := range faults {
		if len(lines) < maxFaults {
			lines = append(lines, f.String())
		}
		if f.Panel > 0 && (len(numbers) == 0 || numbers[len(numbers)-1] != f.Panel) {
			numbers = append(numbers, f.Panel)
		}
	}
	if more := len(faults) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return errBoard.With(map[string]any{"panels": numbers}, "nothing was written:\n- %s", strings.Join(lines, "\n- "))
}

// lasts is the length of a film made from panels.
func lasts(panels []library.Panel) float64 {
	total := 0.0
	for _, p := range panels {
		total += p.Seconds
	}
	return round(total)
}
