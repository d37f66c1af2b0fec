package searcher

import (
	"context"
	"fmt"
	"maps"
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
	written := map[string]domain.ID{} // by external id
	taken := map[string]bool{}
	s.mu.Lock()
	room := s.target - len(s.own)
	for _, it := range in.Items {
		e := s.met[it.Candidate]
		why := s.unfit(e, it.Why)
		switch {
		case e == nil:
		case taken[e.ID]:
			why = "named twice"
		case s.saved[e.ID] != "" && s.unsure[e.ID]:
			// Written by this attempt, though the answer of the log was lost.
			taken[e.ID] = true
			kept = append(kept, savedItem{it.Candidate, s.saved[e.ID]})
			written[e.ID] = s.saved[e.ID]
			continue
		case why == "" && len(kept) >= room:
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
		taken[e.ID] = true
		facts = append(facts, made...)
		kept = append(kept, savedItem{it.Candidate, MaterialID(s.task.Key, origin(e.ID), e.ID)})
		written[e.ID] = kept[len(kept)-1].Material
	}
	for external := range written {
		s.unsure[external] = true
	}
	s.mu.Unlock()
	if len(facts) > 0 {
		if err := s.record(ctx, call.ID, facts...); err != nil {
			return agents.Output{}, fmt.Errorf("save materials of run %s: %w", s.task.Run, err)
		}
	}
	s.mu.Lock()
	for external, material := range written {
		delete(s.unsure, external)
		s.saved[external] = material
	}
	for _, k := range kept {
		s.own = append(s.own, domain.Ref{Type: domain.Material, ID: k.Material})
	}
	total := len(s.own)
	s.mu.Unlock()
	s.report(ctx, s.found())

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

// unfit says why a candidate cannot be kept as it is, "" if it can; mu is held.
func (s *session) unfit(e *entry, why string) string {
	switch {
	case e == nil:
		return errUnknown.Message
	case s.saved[e.ID] != "":
		return "already saved"
	case e.unseen():
		return "not analysed yet: call analyze_video first"
	case e.Analysis == nil && e.lost != "":
		return "not analysed: " + e.lost
	case e.Analysis == nil && !e.imported:
		return errNoVideo.Message
	case strings.TrimSpace(why) == "":
		return "why is empty: say which line of the search document it meets"
	}
	return ""
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
	if err := s.known(ctx, ids); err != nil {
		return err
	}
	return s.settle(ctx)
}

// settle finds out which of the unsure materials this run has saved: those that
// another run saved meanwhile are not ours.
func (s *session) settle(ctx context.Context) error {
	s.mu.Lock()
	unsure := len(s.unsure)
	s.mu.Unlock()
	if unsure == 0 {
		return nil
	}
	list, err := s.ofRun(ctx)
	if err != nil {
		return err
	}
	ours := map[string]bool{}
	for _, m := range list {
		ours[m.External] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.unsure, func(external string, _ bool) bool { return s.saved[external] != "" && !ours[external] })
	return nil
}
