package searcher

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sozai/agents"
	"sozai/domain"
)

// maxItems bounds one save_materials.
const maxItems = 20

type savedItem struct {
	Candidate string    `json:"candidate"`
	Material  domain.ID `json:"material"`
}

type skippedItem struct {
	Candidate string `json:"candidate"`
	Why       string `json:"why"`
}

// saveMaterials writes material.saved and material.analyzed of each item in one
// append. What the agent has already, from whatever run or attempt, is skipped:
// the library is read as of the log's present end.
func (s *session) saveMaterials(ctx context.Context, call agents.Call) (agents.Output, error) {
	type item struct {
		Candidate string `json:"candidate"`
		Why       string `json:"why"`
	}
	in, err := input[struct {
		Items []item `json:"items"`
	}](call)
	if err != nil {
		return agents.Output{}, err
	}
	if len(in.Items) == 0 || len(in.Items) > maxItems {
		return agents.Output{}, domain.Errorf(domain.Invalid, "items must hold 1 to %d candidates", maxItems)
	}
	s.saving.Lock()
	defer s.saving.Unlock()
	ids := make([]string, len(in.Items))
	for i, it := range in.Items {
		ids[i] = it.Candidate
	}
	if err := s.refresh(ctx, ids); err != nil {
		return agents.Output{}, err
	}

	var facts []domain.Fact
	kept, skipped := []savedItem{}, []skippedItem{}
	taken := map[string]bool{}
	s.mu.Lock()
	room := s.target - len(s.own)
	for _, it := range in.Items {
		e := s.met[it.Candidate]
		why := ""
		switch {
		case e == nil:
			why = errUnknown.Message
		case taken[it.Candidate]:
			why = "named twice"
		case s.saved[it.Candidate] != "" && s.unsure[it.Candidate]:
			// Written by this attempt, though the answer of the log was lost.
			taken[it.Candidate] = true
			kept = append(kept, savedItem{it.Candidate, s.saved[it.Candidate]})
			continue
		case s.saved[it.Candidate] != "":
			why = "already saved"
		case e.Media.Hash != "" && e.Analysis == nil:
			why = "not analysed yet: call analyze_video first"
		case strings.TrimSpace(it.Why) == "":
			why = "why is empty: say which line of the search document it meets"
		case len(kept) >= room:
			why = fmt.Sprintf("the target of %d is met", s.target)
		}
		var made []domain.Fact
		if why == "" {
			if made, err = s.facts(*e, it.Why); err != nil {
				why = "cannot be recorded: " + err.Error()
			}
		}
		if why != "" {
			skipped = append(skipped, skippedItem{it.Candidate, why})
			continue
		}
		taken[it.Candidate] = true
		facts = append(facts, made...)
		kept = append(kept, savedItem{it.Candidate, MaterialID(s.task.Key, e.from, e.ID)})
	}
	for _, k := range kept {
		s.unsure[k.Candidate] = true
	}
	s.mu.Unlock()
	if len(facts) > 0 {
		if err := s.record(ctx, call.ID, facts...); err != nil {
			return agents.Output{}, fmt.Errorf("save materials of run %s: %w", s.task.Run, err)
		}
	}
	s.mu.Lock()
	for _, k := range kept {
		delete(s.unsure, k.Candidate)
		s.saved[k.Candidate] = k.Material
		s.own = append(s.own, domain.Ref{Type: domain.Material, ID: k.Material})
	}
	total := len(s.own)
	s.mu.Unlock()
	s.report(ctx)

	out := agents.Output{
		Text: string(encode(struct {
			Saved   []savedItem   `json:"saved"`
			Skipped []skippedItem `json:"skipped"`
			Total   int           `json:"total"`
			Target  int           `json:"target"`
		}{kept, skipped, total, s.target})),
		Object: fmt.Sprintf("%d", len(kept)),
		Fold:   fmt.Sprintf("save_materials: %d saved, %d skipped; %d of %d in this run", len(kept), len(skipped), total, s.target),
	}
	if len(kept) > 0 {
		out.Receipt = agents.Receipt{Kind: "material", ID: string(kept[0].Material)}
	}
	return out, nil
}

// refresh brings what is known of the candidates up to the log's present end.
func (s *session) refresh(ctx context.Context, ids []string) error {
	last, err := s.env.Log.Last(ctx)
	if err == nil {
		err = s.env.Library.Wait(ctx, last, "library")
	}
	if domain.CodeOf(err) == domain.Unavailable {
		return &agents.ToolError{Message: "the library is not up to date yet; nothing was saved", RetryAfter: time.Second, Err: err}
	}
	if err != nil {
		return fmt.Errorf("library at the log's end: %w", err)
	}
	return s.known(ctx, ids)
}
