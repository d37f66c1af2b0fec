package planner

import (
	"context"
	"fmt"

	"sozai/domain"
	"sozai/domain/library"
	"sozai/projections"
)

// Bounds on what is read before the model is asked.
const (
	maxClips    = 1000
	pageOfClips = 500
	maxRemarks  = 200 // of one object
	maxFilms    = 20  // of the base board
)

// clip is a usable video and what is known of it.
type clip struct {
	Clip
	Author    string
	Tags      []string
	Media     library.Media
	Analysis  *projections.Analysis
	Boards    int
	Reactions projections.Reactions
	Seq       uint64
	Must      bool
}

// load works out what the attempt starts from: a board that an earlier attempt
// recorded, or the clips, the base board and what people want of it, all as of
// this attempt's start or later. A *refusal says why the run cannot be carried out.
func (s *session) load(ctx context.Context) error {
	if err := s.env.Library.Wait(ctx, s.task.Started, projections.Library, projections.Feedback); err != nil {
		return fmt.Errorf("board run %s: %w", s.task.Run, err)
	}
	made, err := s.recorded(ctx)
	if err != nil || made != nil {
		s.made = made
		return err
	}
	if err := s.loadClips(ctx); err != nil {
		return err
	}
	cited, err := s.loadCites(ctx)
	if err != nil {
		return err
	}
	if len(s.byID) == 0 {
		return s.refuse("素材库里没有带视频文件的创意源，做不了方案。先检索或上传素材。",
			"No material in the library has a video file, so there is nothing to make a board from. Search or upload first.")
	}
	if s.base != nil {
		if err := s.loadBase(ctx, cited); err != nil {
			return err
		}
	}
	if most := s.limit(); float64(len(s.must))*MinPanelSeconds > most {
		return s.refuse("点名了 %d 条素材，%s 秒里放不下。", "%d materials were named; they do not fit into %s seconds.", len(s.must), number(most))
	}
	s.rank()
	if s.task.Request.Target > 1 {
		s.notes = append(s.notes, s.say("这一单要 %d 份方案，一次任务只出一份。", "%d boards were asked for; a run makes one.", s.task.Request.Target))
	}
	return nil
}

// loadClips reads the agent's materials, newest first.
func (s *session) loadClips(ctx context.Context) error {
	before := uint64(0)
	for read := 0; read < maxClips; {
		page, err := s.env.Library.Materials(ctx, s.task.Key, projections.MaterialFilter{Before: before, Limit: pageOfClips})
		if err != nil {
			return fmt.Errorf("materials of run %s: %w", s.task.Run, err)
		}
		for _, m := range page {
			s.addMaterial(m)
			before = m.Seq
		}
		if read += len(page); len(page) < pageOfClips {
			return nil
		}
	}
	return nil
}

func (s *session) addMaterial(m projections.Material) {
	s.add(&clip{
		Clip: Clip{ID: m.Material, Type: domain.Material, Title: m.Title}, Author: m.Author, Tags: m.Tags, Media: m.Media,
		Analysis: m.Analysis, Boards: m.Boards, Reactions: m.Reactions, Seq: m.Seq,
	})
}

// add takes a video up, if one can be cut from it.
func (s *session) add(c *clip) {
	s.titles[c.ID] = c.Title
	c.Seconds = c.Media.Seconds
	if c.Seconds <= 0 && c.Analysis != nil && c.Analysis.Metrics != nil {
		c.Seconds = c.Analysis.Metrics.Duration
	}
	switch {
	case c.Media.Hash == "":
		s.unusable[c.ID] = "it has no video file"
	case c.Seconds < MinPanelSeconds:
		s.unusable[c.ID] = "its length is not known, or too short"
	default:
		s.byID[c.ID] = c
	}
}

// ensure reads a video that the listing did not bring: an old material, or an
// asset. What is not the agent's stays unknown.
func (s *session) ensure(ctx context.Context, id domain.ID) error {
	if _, known := s.unusable[id]; known || s.byID[id] != nil {
		return nil
	}
	m, err := s.env.Library.Material(ctx, s.task.Key, id)
	if err == nil {
		s.addMaterial(m)
		return nil
	}
	if domain.CodeOf(err) == domain.NotFound {
		var a projections.Asset
		if a, err = s.env.Library.Asset(ctx, s.task.Key, id); err == nil {
			s.add(&clip{
				Clip: Clip{ID: a.Asset, Type: domain.Asset, Title: a.Title}, Media: a.Media, Analysis: a.Analysis, Seq: a.Seq,
			})
		}
	}
	if err != nil && domain.CodeOf(err) != domain.NotFound {
		return fmt.Errorf("clip %s of run %s: %w", id, s.task.Run, err)
	}
	return nil
}
