package searcher

import (
	"context"
	"errors"
	"fmt"

	"sozai/agents"
	"sozai/agents/source"
	"sozai/domain"
	"sozai/domain/library"
)

// maxAnalyses bounds the analyses that a run may ask for, stored ones not counted.
const maxAnalyses = 48

var (
	errUnknown  = domain.Rule(domain.Invalid, "unknown_candidate", "this id is not in any search result of this run")
	errNoMedia  = domain.Rule(domain.Unprocessable, "no_media", "this candidate has no video file; it is exempt from analysis and may be saved as it is")
	errNoVideo  = domain.Rule(domain.Unprocessable, "video_lost", "this candidate has no video to look at, so it cannot be kept; take another")
	errAnalyses = domain.Rule(domain.TooMany, "no_analyses_left", "the run's analyses are used up; save what is analysed and finish")
)

// analysed is a candidate's analysis as the model sees it.
type analysed struct {
	Candidate string         `json:"candidate"`
	SameAs    string         `json:"same_as,omitempty"` // it is a video known under this id
	Saved     bool           `json:"already_saved,omitempty"`
	Digest    library.Digest `json:"digest"`
	Analyser  string         `json:"analyser"`
}

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
	unseen := e.unseen()
	switch {
	case unseen && s.analyses >= maxAnalyses:
		err = errAnalyses
	case unseen:
		s.analyses++
	case e.Analysis != nil:
	case e.lost != "":
		err = lost(in.Candidate, e.lost)
	case e.imported:
		err = errNoMedia
	default:
		err = errNoVideo
	}
	s.mu.Unlock()
	if err != nil {
		return out, err
	}
	if unseen {
		if err := s.examine(ctx, in.Candidate); err != nil && !s.cameAnalysed(in.Candidate) {
			return out, s.unanalysed(ctx, in.Candidate, err)
		}
		if err := s.known(ctx, []string{in.Candidate}); err != nil {
			return out, err
		}
	}
	s.mu.Lock()
	view := analysed{Candidate: in.Candidate, Saved: s.saved[e.ID] != "", Digest: e.Analysis.Digest, Analyser: e.Analysis.Analyser}
	if e.ID != in.Candidate {
		view.SameAs = e.ID
	}
	s.mu.Unlock()
	out.Text = string(encode(view))
	out.Fold = fmt.Sprintf("analyze_video %s: highlight %s; %s", in.Candidate, or(string(view.Digest.Highlight), "unrated"), clip(view.Digest.Verdict, 80))
	return out, nil
}

// cameAnalysed says that a candidate whose video is lost has an analysis all the
// same, from whoever found it.
func (s *session) cameAnalysed(candidate string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.met[candidate]
	return e.lost != "" && e.Analysis != nil
}

// unanalysed is a failed analysis as the model reads it. It names the candidate,
// so that several bad files in a row are not the same failure of the tool; and it
// never holds the tool, since other candidates lie elsewhere.
func (s *session) unanalysed(ctx context.Context, candidate string, err error) error {
	var refusal *domain.Error
	var failed *source.Error
	switch {
	case ctx.Err() != nil:
		return err
	case errors.As(err, &failed), errors.As(err, &refusal) && refusal.Code != domain.Internal:
	default:
		return fmt.Errorf("examine %s: %w", candidate, err)
	}
	if forGood(err) {
		return lost(candidate, reasonOf(err))
	}
	return domain.Rule(domain.Unavailable, "video_away", candidate+" cannot be had at present: "+reasonOf(err)+"; go on with others")
}

func lost(candidate, why string) error {
	return domain.Rule(domain.Unprocessable, "video_lost", candidate+": "+why+"; it cannot be kept, take another")
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
