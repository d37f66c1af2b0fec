package searcher

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/step"
)

// hotBatch is how many videos of a report are fetched at a time.
const hotBatch = 4

// tally counts what of a report did not become a material.
type tally struct{ known, lost, over int }

// words says so to people.
func (t tally) words(s *session) string {
	text := ""
	if t.known > 0 {
		text += s.say("，%d 条素材库里已有", ", %d were in the library already", t.known)
	}
	if t.lost > 0 {
		text += s.say("，%d 条看不到或未分析", ", %d could not be had or were not analysed", t.lost)
	}
	if t.over > 0 {
		text += s.say("，%d 条超出目标数", ", %d were beyond the target", t.over)
	}
	return text
}

// bring imports the report's items in its order, up to the target, each as soon
// as its video is here.
func (h *hotRun) bring(ctx context.Context) error {
	ids := make([]string, 0, len(h.got.Items))
	for _, c := range h.got.Items {
		ids = append(ids, c.ID)
	}
	if _, err := h.meet(ctx, h.got.Items, h.env.Hot, false); err != nil {
		return err
	}
	if err := h.upToDate(ctx, ids); err != nil {
		return err
	}
	open := slices.DeleteFunc(ids, func(id string) bool {
		have := h.saved[id] != ""
		if have && !slices.Contains(h.earlier, id) {
			h.tally.known++
		}
		return have
	})
	for len(open) > 0 {
		room := h.target - len(h.own)
		if room <= 0 {
			h.tally.over = len(open)
			break
		}
		batch := open[:min(len(open), room, hotBatch)]
		open = open[len(batch):]
		if err := h.look(ctx, batch); err != nil {
			return err
		}
		for _, id := range batch {
			if err := h.keep(ctx, id); err != nil {
				return err
			}
		}
		h.report(ctx, step.Progressed{Done: len(h.own), Target: min(h.target, len(h.got.Items)), Unit: "materials"})
	}
	return nil
}

// upToDate knows of every item whether it is a material, as of now. A library
// that is behind is waited for.
func (h *hotRun) upToDate(ctx context.Context, ids []string) error {
	for try := 1; ; try++ {
		err := h.refresh(ctx, ids)
		var later *agents.ToolError
		if err == nil || !errors.As(err, &later) || try == 5 {
			return err
		}
		if err := pause(ctx, later.RetryAfter); err != nil {
			return err
		}
	}
}

// look fetches the videos of some items, and analyses what did not come analysed.
// One that cannot be had is kept without it if it came analysed.
func (h *hotRun) look(ctx context.Context, ids []string) error {
	unseen := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !h.met[id].unseen() })
	group, together := errgroup.WithContext(ctx)
	for _, id := range unseen {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(together, 3*time.Minute)
			defer cancel()
			err := h.examine(ctx, id)
			if err == nil || domain.CodeOf(err) != domain.Internal || errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return h.known(ctx, ids)
}

// keep saves an item that has been looked at.
func (h *hotRun) keep(ctx context.Context, id string) error {
	e := h.met[id]
	switch {
	case slices.Contains(h.earlier, e.ID):
		return nil
	case h.saved[e.ID] != "": // these bytes are a material under another id
		h.tally.known++
		return nil
	case e.Analysis == nil:
		h.tally.lost++
		return nil
	}
	why := h.say("深度搜索引擎推荐", "Recommended by the deep search")
	if e.Analysis.Digest.HighlightWhy != "" {
		why += h.say("：「%s」", ": “%s”", clip(e.Analysis.Digest.HighlightWhy, 200))
	}
	facts, err := h.facts(*e, why)
	if err != nil {
		h.tally.lost++
		h.env.Errors.Warn("item of a deep search cannot be recorded", "run", h.task.Run, "err", err)
		return nil
	}
	material := MaterialID(h.task.Key, origin(e.ID), e.ID)
	if err := h.record(ctx, "save-"+string(material), facts...); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.saved[e.ID] = material
	h.own = append(h.own, domain.Ref{Type: domain.Material, ID: material})
	return nil
}
