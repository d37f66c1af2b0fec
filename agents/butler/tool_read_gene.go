package butler

import (
	"context"
	"fmt"

	"sozai/agents"
	"sozai/domain"
	"sozai/domain/gene"
	"sozai/projections"
	"sozai/streams"
)

// recentVersions is how many versions read_gene lists.
const recentVersions = 5

type geneOutput struct {
	Version     int                `json:"version"`
	Search      documentOutput     `json:"search"`
	Steer       documentOutput     `json:"steer"`
	Constraints domain.Constraints `json:"constraints"`
	Versions    []versionOutput    `json:"versions"`
	Pending     []pendingOutput    `json:"pending_cards"`
}

type documentOutput struct {
	Text  string       `json:"text"`
	Lines []lineOutput `json:"lines"`
}

type lineOutput struct {
	N    int    `json:"n"`
	Text string `json:"text"`
	By   string `json:"by"`
	Role string `json:"role"` // person: words may be added, none removed; butler
	Own  string `json:"own,omitempty"`
}

type versionOutput struct {
	Version int         `json:"version"`
	Origin  gene.Origin `json:"origin"`
	Summary string      `json:"summary"`
	Score   *gene.Score `json:"score,omitempty"`
}

type pendingOutput struct {
	Card    domain.ID `json:"card"`
	Base    int       `json:"base_version"`
	Summary string    `json:"summary"`
}

func (s *shift) readGene() agents.Tool {
	return agents.Tool{
		ToolSpec: spec(toolReadGene, "Reads the gene as it is now: both documents with the author of each line, the constraints, "+
			"the last 5 versions with their scores, and cards that wait. Lines of role person may be extended, never removed or diluted. "+
			`Example: {}`, schemaNone),
		Execute: func(ctx context.Context, call agents.Call) (agents.Output, error) {
			if _, err := input[struct{}](call); err != nil {
				return agents.Output{}, err
			}
			var out geneOutput
			err := s.env.Log.View(ctx, s.key, func(st *streams.State) error {
				out = s.geneNow(st)
				return nil
			})
			if err != nil {
				return agents.Output{}, err
			}
			if err := s.fresh(ctx, projections.Performance); err != nil {
				return agents.Output{}, err
			}
			score, err := s.env.Store.Snapshot(ctx, s.key, out.Version)
			if err != nil {
				return agents.Output{}, err
			}
			out.Versions[0].Score = &score // so far; those before are as they were when they ended
			s.mu.Lock()
			s.base = out.Version
			s.mu.Unlock()
			s.gate.looked(true)
			return object(out, fmt.Sprintf("V%d", out.Version), fmt.Sprintf("read the gene, V%d", out.Version))
		},
	}
}

// geneNow copies what the tool tells; the state belongs to the log.
func (s *shift) geneNow(st *streams.State) geneOutput {
	g := st.Gene
	out := geneOutput{
		Version: g.Version, Constraints: g.Constraints,
		Search:   s.document(g.Search, g.Lines(domain.Search)),
		Steer:    s.document(g.Steer, g.Lines(domain.Steer)),
		Versions: []versionOutput{}, Pending: []pendingOutput{},
	}
	for v := g.Version; v > 0 && len(out.Versions) < recentVersions; v-- {
		line := versionOutput{Version: v, Origin: g.Versions[v-1].Origin, Summary: g.Versions[v-1].Summary}
		if v < g.Version {
			line.Score = g.Versions[v].Previous // written when its successor was minted
		}
		out.Versions = append(out.Versions, line)
	}
	for _, c := range pendingCards(g) {
		out.Pending = append(out.Pending, pendingOutput{Card: c.ID, Base: c.BaseVersion, Summary: c.Summary})
	}
	return out
}

func (s *shift) document(text string, lines []gene.Line) documentOutput {
	out := documentOutput{Text: text, Lines: make([]lineOutput, len(lines))}
	for i, l := range lines {
		role := "butler"
		if l.Own != "" || l.Author.IsPerson() {
			role = "person"
		}
		out.Lines[i] = lineOutput{N: i + 1, Text: l.Text, By: s.nameOf(l.Author), Role: role}
		if l.Own != l.Text {
			out.Lines[i].Own = l.Own
		}
	}
	return out
}
