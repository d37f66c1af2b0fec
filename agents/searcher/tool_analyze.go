package searcher

import (
	"context"
	"fmt"

	"sozai/agents"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
)

// maxAnalyses bounds the analyses that a run may ask for, stored ones not counted.
const maxAnalyses = 48

type analyseFunc = func(ctx context.Context, product, candidate string) (video.Analysis, error)

var (
	errUnknown  = domain.Rule(domain.Invalid, "unknown_candidate", "this id is not in any search result of this run")
	errNoMedia  = domain.Rule(domain.Unprocessable, "no_media", "this candidate has no video file; it is exempt from analysis and may be saved as it is")
	errAnalyses = domain.Rule(domain.TooMany, "no_analyses_left", "the run's analyses are used up; save what is analysed and finish")
)

func (s *session) analyzeVideo(ctx context.Context, call agents.Call) (agents.Output, error) {
	in, err := input[struct {
		Candidate string `json:"candidate"`
	}](call)
	if err != nil {
		return agents.Output{}, err
	}
	s.mu.Lock()
	e := s.met[in.Candidate]
	if e == nil {
		s.mu.Unlock()
		return agents.Output{}, errUnknown
	}
	out := agents.Output{Object: clip(e.Title, 60)}
	analysis := e.Analysis
	switch {
	case e.Media.Hash == "":
		s.mu.Unlock()
		return out, errNoMedia
	case analysis == nil && s.analyses >= maxAnalyses:
		s.mu.Unlock()
		return out, errAnalyses
	case analysis == nil:
		s.analyses++
	}
	s.mu.Unlock()
	if analysis == nil {
		made, err := e.analyse(ctx, s.task.Key.Product, e.ID)
		if err != nil {
			return out, refusal(err)
		}
		analysis = &made
		s.mu.Lock()
		e.Analysis = analysis
		s.mu.Unlock()
	}
	view := struct {
		Candidate string         `json:"candidate"`
		Digest    library.Digest `json:"digest"`
		Analyser  string         `json:"analyser"`
	}{in.Candidate, analysis.Digest, analysis.Analyser}
	out.Text = string(encode(view))
	out.Fold = fmt.Sprintf("analyze_video %s: highlight %s; %s", in.Candidate, or(string(analysis.Digest.Highlight), "unrated"), clip(analysis.Digest.Verdict, 80))
	return out, nil
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
