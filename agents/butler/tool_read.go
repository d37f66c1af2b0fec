package butler

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/run"
	"sozai/projections"
)

// recentRuns is how many finished runs read_feedback lists, maxUnsettled how much
// waiting feedback.
const (
	recentRuns   = 20
	maxUnsettled = 120
)

type scoresOutput struct {
	Versions  []projections.VersionScore `json:"versions"`
	Baseline  int                        `json:"baseline"`
	MinSample int                        `json:"min_sample"`
	AsOf      uint64                     `json:"as_of"`
}

func (s *shift) readPerformance() agents.Tool {
	return agents.Tool{
		ToolSpec: spec(toolReadPerformance, "Reads the results of each gene version: exact counts, rates with their interval, n and a verdict word. "+
			"not_enough means that nothing can be said yet. Version 0 gathers what no version can answer for. "+
			`Example: {}`, schemaNone),
		Execute: func(ctx context.Context, call agents.Call) (agents.Output, error) {
			if _, err := input[struct{}](call); err != nil {
				return agents.Output{}, err
			}
			if err := s.fresh(ctx, "performance"); err != nil {
				return agents.Output{}, err
			}
			scores, err := s.env.Store.Scores(ctx, s.key, 0)
			if err != nil {
				return agents.Output{}, err
			}
			s.gate.looked(false)
			return object(scoresOutput{Versions: scores.Versions, Baseline: scores.Baseline, MinSample: scores.MinN, AsOf: scores.AsOf},
				fmt.Sprintf("%d 个版本 · %d versions", len(scores.Versions), len(scores.Versions)), "read the performance table")
		},
	}
}

type behaviorOutput struct {
	Rows         []behaviorRow `json:"rows"`
	Viewed       int           `json:"viewed"`
	Ignored      int           `json:"ignored"`
	Downloaded   int           `json:"downloaded"`
	QuotedFields []string      `json:"quoted_fields"`
}

// behaviorRow is a row in words; what it holds of outside text stands apart.
type behaviorRow struct {
	At     string `json:"at"`
	By     string `json:"by"`
	What   string `json:"what"`
	Text   string `json:"text"`
	Quoted string `json:"quoted,omitempty"`
}

func (s *shift) readBehavior() agents.Tool {
	return agents.Tool{
		ToolSpec: spec(toolReadBehavior, "Reads what people did on the pages: the rows that the timeline shows, and sums of looks, passes and downloads. "+
			`Example: {"limit":30}`, schemaReadBehavior),
		Execute: func(ctx context.Context, call agents.Call) (agents.Output, error) {
			in, err := input[struct {
				Limit int `json:"limit"`
			}](call)
			if err != nil {
				return agents.Output{}, err
			}
			if in.Limit < 0 || in.Limit > 100 {
				return agents.Output{}, domain.Errorf(domain.Invalid, "limit is 1 to 100, not %d", in.Limit)
			}
			if in.Limit == 0 {
				in.Limit = 30
			}
			if err := s.fresh(ctx, "library", "timeline"); err != nil {
				return agents.Output{}, err
			}
			b, err := s.env.Store.Behavior(ctx, s.key, in.Limit)
			if err != nil {
				return agents.Output{}, err
			}
			if err := s.learn(ctx, speakers(b.Rows)); err != nil {
				return agents.Output{}, err
			}
			out := behaviorOutput{
				Rows: []behaviorRow{}, Viewed: b.Viewed, Ignored: b.Ignored, Downloaded: b.Downloaded, QuotedFields: []string{"rows.quoted"},
			}
			for _, r := range b.Rows {
				if text, quoted := s.rowWords(r); text != "" {
					out.Rows = append(out.Rows, behaviorRow{
						At: r.Time.UTC().Format(time.RFC3339), By: s.nameOf(r.Actor), What: r.Type, Text: text, Quoted: quoted,
					})
				}
			}
			s.gate.looked(false)
			return object(out, fmt.Sprintf("%d 行 · %d rows", len(out.Rows), len(out.Rows)), "read what people did")
		},
	}
}

type feedbackOutput struct {
	Unsettled    []unsettledOutput `json:"unsettled"`
	Sums         sumsOutput        `json:"sums"`               // of all that waits
	LeftOut      int               `json:"left_out,omitempty"` // older ones that are not listed, clicks first
	RunOutcomes  []outcomeOutput   `json:"run_outcomes"`
	QuotedFields []string          `json:"quoted_fields"`
}

// sumsOutput counts what waits, so that nobody has to count rows.
type sumsOutput struct {
	Items    int `json:"items"`
	Words    int `json:"with_words"`
	Likes    int `json:"likes"`
	Dislikes int `json:"dislikes"`
}

type unsettledOutput struct {
	ID       domain.ID        `json:"id"`
	Object   domain.Ref       `json:"object"`
	Verdict  feedback.Verdict `json:"verdict,omitempty"`
	Words    string           `json:"words,omitempty"`
	By       string           `json:"by"`
	Document domain.Document  `json:"document,omitempty"`
	At       string           `json:"at"`
	Strong   bool             `json:"strong"`
}

type outcomeOutput struct {
	Run         domain.ID    `json:"run"`
	Work        run.Work     `json:"work"`
	Trigger     run.Trigger  `json:"trigger"`
	GeneVersion int          `json:"gene_version"`
	State       string       `json:"state"`
	Reason      run.Reason   `json:"reason,omitempty"`
	Summary     string       `json:"summary,omitempty"`
	Products    []domain.Ref `json:"products,omitempty"`
	Made        int          `json:"made"` // how many products
	At          string       `json:"at"`
}

func (s *shift) readFeedback() agents.Tool {
	return agents.Tool{
		ToolSpec: spec(toolReadFeedback, "Reads the feedback that no applied card has settled yet, oldest first (words are strong, bare clicks weak), "+
			`and how recent runs ended. Example: {}`, schemaNone),
		Execute: func(ctx context.Context, call agents.Call) (agents.Output, error) {
			if _, err := input[struct{}](call); err != nil {
				return agents.Output{}, err
			}
			items, err := s.unsettled(ctx)
			if err != nil {
				return agents.Output{}, err
			}
			out := feedbackOutput{Unsettled: []unsettledOutput{}, QuotedFields: []string{"run_outcomes.summary"}}
			for _, f := range items {
				out.Sums.count(f)
			}
			listed := foremost(items, maxUnsettled)
			out.LeftOut = len(items) - len(listed)
			for _, f := range listed {
				out.Unsettled = append(out.Unsettled, unsettledOutput{
					ID: f.Feedback, Object: f.Object, Verdict: f.Verdict, Words: f.Words, By: s.name(f.By),
					Document: f.Document, At: f.At.UTC().Format(time.RFC3339), Strong: f.Strong,
				})
			}
			if out.RunOutcomes, err = s.outcomes(ctx); err != nil {
				return agents.Output{}, err
			}
			s.gate.looked(false)
			return object(out, fmt.Sprintf("%d 条待处理 · %d unsettled", len(items), len(items)),
				fmt.Sprintf("read %d unsettled pieces of feedback", len(items)))
		},
	}
}

func (s *sumsOutput) count(f projections.FeedbackItem) {
	s.Items++
	if f.Strong {
		s.Words++
	}
	switch f.Verdict {
	case feedback.Like:
		s.Likes++
	case feedback.Dislike:
		s.Dislikes++
	}
}

// foremost keeps at most n of the items, which are oldest first: old clicks go
// first, then old words.
func foremost(items []projections.FeedbackItem, n int) []projections.FeedbackItem {
	out := slices.Clone(items)
	over := max(0, len(out)-n)
	for _, strong := range []bool{false, true} {
		out = slices.DeleteFunc(out, func(f projections.FeedbackItem) bool {
			drop := over > 0 && f.Strong == strong
			if drop {
				over--
			}
			return drop
		})
	}
	return out
}

// unsettled reads the open feedback, remembers that it may be cited, and learns
// the names of those who gave it.
func (s *shift) unsettled(ctx context.Context) ([]projections.FeedbackItem, error) {
	if err := s.fresh(ctx, "feedback"); err != nil {
		return nil, err
	}
	items, err := s.env.Store.Unsettled(ctx, s.key)
	if err != nil {
		return nil, err
	}
	var strangers []domain.ID
	s.mu.Lock()
	for _, f := range items {
		s.known[f.Feedback] = citable{object: f.Object, strong: f.Strong}
		s.words = append(s.words, f.Words)
		if _, ok := s.names[f.By]; !ok && f.By != "" {
			strangers = append(strangers, f.By)
		}
	}
	s.mu.Unlock()
	return items, s.learn(ctx, strangers)
}

// outcomes lists the newest finished runs, oldest first.
func (s *shift) outcomes(ctx context.Context) ([]outcomeOutput, error) {
	if err := s.fresh(ctx, "tasks"); err != nil {
		return nil, err
	}
	tasks, err := s.env.Store.Tasks(ctx, projections.TaskFilter{
		Product: s.key.Product, Agents: []domain.ID{s.key.Agent}, Limit: recentRuns,
		States: []projections.TaskState{projections.TaskDone, projections.TaskFailed, projections.TaskCancelled},
	})
	if err != nil {
		return nil, err
	}
	out := []outcomeOutput{}
	for i := len(tasks) - 1; i >= 0; i-- {
		t := tasks[i]
		out = append(out, outcomeOutput{
			Run: t.Run, Work: t.Work, Trigger: t.Trigger, GeneVersion: t.GeneVersion, State: string(t.State),
			Reason: t.Reason, Summary: t.Summary, Products: t.Products, Made: len(t.Products), At: t.FinishedAt.UTC().Format(time.RFC3339),
		})
	}
	return out, nil
}
