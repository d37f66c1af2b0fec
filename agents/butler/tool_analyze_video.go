package butler

import (
	"context"

	"sozai/agents"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
)

// maxAnalyses is how many videos one shift may analyse: materials come into the
// library analysed, so this is for old stock only.
const maxAnalyses = 4

type analysisOutput struct {
	Material     domain.ID        `json:"material"`
	Digest       library.Digest   `json:"digest"`
	Metrics      *library.Metrics `json:"metrics,omitempty"`
	Analyser     string           `json:"analyser"`
	QuotedFields []string         `json:"quoted_fields"`
}

func (s *shift) analyzeVideo() agents.Tool {
	return agents.Tool{
		ToolSpec: spec(toolAnalyzeVideo, "Analyses the video of a material that view_object shows as not analysed, once for good; "+
			`the result stays with the material. Example: {"material":"01J…"}`, schemaAnalyzeVideo),
		Execute: func(ctx context.Context, call agents.Call) (agents.Output, error) {
			in, err := input[struct {
				Material string `json:"material"`
			}](call)
			if err != nil {
				return agents.Output{}, err
			}
			ref, err := refInput{Type: domain.Material, ID: in.Material}.ref()
			if err != nil {
				return agents.Output{}, err
			}
			if err := s.fresh(ctx, "library"); err != nil {
				return agents.Output{}, err
			}
			m, err := s.env.Store.Material(ctx, s.key, ref.ID)
			if err != nil {
				return agents.Output{Object: cite(ref)}, notOurs(ref, err)
			}
			switch {
			case m.Analysis != nil:
				return agents.Output{Object: m.Title}, (&domain.Error{Code: domain.Conflict, Reason: "analyzed"}).With(nil,
					"this material is analysed already; view_object shows it")
			case m.Media.Hash == "":
				return agents.Output{Object: m.Title}, (&domain.Error{Code: domain.Unprocessable, Reason: "no_media"}).With(nil,
					"this material was imported without a video; nothing can be analysed")
			case !s.mayAnalyze():
				return agents.Output{Object: m.Title}, (&domain.Error{Code: domain.TooMany, Reason: "analyses"}).With(nil,
					"at most %d videos are analysed at a time; go on with what is known", maxAnalyses)
			}
			a, err := s.env.Analyzer.AnalyseMedia(ctx, m.Media, video.Text{Title: m.Title, Tags: m.Tags})
			if err != nil {
				return agents.Output{Object: m.Title}, err
			}
			s.env.logger().Info("a material without analysis was met", "material", m.Material, "agent", s.key.Agent)
			analyzed := a.Fact(m.Material)
			analyzed.Run, analyzed.Turn, analyzed.Attempt = s.run, s.turn, s.attempt
			if err := s.record(ctx, call.ID, analyzed); err != nil {
				return agents.Output{Object: m.Title}, err
			}
			s.heard(m.Title, a.Digest.SpokenHook, a.Digest.Captions)
			s.gate.looked(false)
			out, err := object(analysisOutput{
				Material: m.Material, Digest: a.Digest, Metrics: a.Metrics, Analyser: a.Analyser,
				QuotedFields: []string{"digest.spoken_hook", "digest.captions"},
			}, m.Title, "analysed "+cite(ref))
			out.Receipt = agents.Receipt{Kind: receiptAnalysis, ID: string(m.Material)}
			return out, err
		},
	}
}

func (s *shift) mayAnalyze() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.analyses++
	return s.analyses <= maxAnalyses
}
