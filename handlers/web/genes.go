package web

import (
	"context"
	"strconv"
	"strings"
	"time"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/projections"
	"sozai/streams"
)

type lineView struct {
	N    int          `json:"n" doc:"Among the lines that are not blank, from 1"`
	Text string       `json:"text"`
	By   domain.Actor `json:"by"`
	Role string       `json:"role" enum:"person,butler"`
	Own  string       `json:"own,omitempty" doc:"A person's words in it, which no butler may remove"`
}

type documentView struct {
	Text  string     `json:"text"`
	Lines []lineView `json:"lines"`
}

type geneView struct {
	Version     int                  `json:"version"`
	Search      documentView         `json:"search"`
	Steer       documentView         `json:"steer"`
	Constraints domain.Constraints   `json:"constraints"`
	People      map[domain.ID]string `json:"people"`
}

// getGene reads the fold, so it is never behind a command.
func (s *Server) getGene(ctx context.Context, r *request, in *struct {
	Version int `query:"version" minimum:"0" doc:"0: the current one"`
}) (geneView, error) {
	var v geneView
	var actors []domain.Actor
	err := s.deps.Log.View(ctx, r.key, func(st *streams.State) error {
		n := in.Version
		if n == 0 {
			n = st.Gene.Version
		}
		if n < 1 || n > st.Gene.Version {
			return gene.ErrNoVersion
		}
		m := st.Gene.Versions[n-1]
		v = geneView{
			Version: n, Constraints: m.Constraints,
			Search: documentOf(m.Search, st.Gene.LinesAt(n, domain.Search), &actors),
			Steer:  documentOf(m.Steer, st.Gene.LinesAt(n, domain.Steer), &actors),
		}
		return nil
	})
	if err != nil {
		return geneView{}, err
	}
	v.People, err = s.nameOf(ctx, actors...)
	return v, err
}

func documentOf(text string, lines []gene.Line, actors *[]domain.Actor) documentView {
	d := documentView{Text: text, Lines: make([]lineView, len(lines))}
	for i, l := range lines {
		role := "butler"
		if l.Author.IsPerson() {
			role = "person"
		}
		d.Lines[i] = lineView{N: i + 1, Text: l.Text, By: l.Author, Role: role, Own: l.Own}
		*actors = append(*actors, l.Author)
	}
	return d
}

type versionsView struct {
	Versions []projections.GeneVersion `json:"versions"`
	People   map[domain.ID]string      `json:"people"`
}

func (s *Server) listVersions(ctx context.Context, r *request, in *struct {
	Limit int `query:"limit" minimum:"0" maximum:"1000" doc:"0: all"`
}) (versionsView, error) {
	list, err := s.deps.Store.GeneVersions(ctx, r.key, in.Limit)
	if err != nil {
		return versionsView{}, err
	}
	if list == nil {
		list = []projections.GeneVersion{}
	}
	actors := make([]domain.Actor, len(list))
	for i, v := range list {
		actors[i] = v.By
	}
	people, err := s.nameOf(ctx, actors...)
	return versionsView{Versions: list, People: people}, err
}

func (s *Server) getVersion(ctx context.Context, r *request, in *struct {
	Version string `path:"version" doc:"A number, or v with a number"`
}) (projections.GeneVersion, error) {
	n, err := versionOf(in.Version)
	if err != nil {
		return projections.GeneVersion{}, err
	}
	return s.deps.Store.GeneVersion(ctx, r.key, n)
}

// versionOf reads "3", "v3" or "V3".
func versionOf(text string) (int, error) {
	n, err := strconv.Atoi(strings.TrimLeft(text, "vV"))
	if err != nil || n < 1 {
		return 0, gene.ErrNoVersion
	}
	return n, nil
}

type geneDiff struct {
	From        int              `json:"from"`
	To          int              `json:"to"`
	Search      []Piece          `json:"search"`
	Steer       []Piece          `json:"steer"`
	Constraints []constraintDiff `json:"constraints" doc:"Those that differ"`
}

type constraintDiff struct {
	Name string `json:"name"`
	From string `json:"from"`
	To   string `json:"to"`
}

func (s *Server) diffVersions(ctx context.Context, r *request, in *struct {
	From int `query:"from" minimum:"1" required:"true"`
	To   int `query:"to" minimum:"1" required:"true"`
}) (geneDiff, error) {
	a, err := s.deps.Store.GeneVersion(ctx, r.key, in.From)
	if err != nil {
		return geneDiff{}, err
	}
	b, err := s.deps.Store.GeneVersion(ctx, r.key, in.To)
	if err != nil {
		return geneDiff{}, err
	}
	d := geneDiff{
		From: in.From, To: in.To, Constraints: []constraintDiff{},
		Search: Diff(a.Search, b.Search), Steer: Diff(a.Steer, b.Steer),
	}
	if x, y := a.Constraints.MaxFilmSeconds, b.Constraints.MaxFilmSeconds; x != y {
		d.Constraints = append(d.Constraints, constraintDiff{"max_film_seconds", strconv.Itoa(x), strconv.Itoa(y)})
	}
	if x, y := a.Constraints.Aspect, b.Constraints.Aspect; x != y {
		d.Constraints = append(d.Constraints, constraintDiff{"aspect", x, y})
	}
	return d, nil
}

type minted struct {
	Version int    `json:"version"`
	Seq     uint64 `json:"seq"`
}

// editGene mints a person's own text. The score of the version that ends by it
// goes into the event, with the sequence at which it was true.
func (s *Server) editGene(ctx context.Context, r *request, in *struct {
	Body struct {
		BaseVersion int                 `json:"base_version" minimum:"1"`
		Search      *string             `json:"search,omitempty"`
		Steer       *string             `json:"steer,omitempty"`
		Constraints *domain.Constraints `json:"constraints,omitempty"`
		Summary     string              `json:"summary,omitempty"`
	}
}) (minted, error) {
	b := in.Body
	previous, err := s.score(ctx, r, b.BaseVersion)
	if err != nil {
		return minted{}, err
	}
	return s.mint(ctx, r, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		e := gene.Edit{Search: b.Search, Steer: b.Steer, Constraints: b.Constraints}
		return st.Gene.Edit(b.BaseVersion, e, b.Summary, previous, r.cmd.Actor)
	})
}

func (s *Server) rollbackGene(ctx context.Context, r *request, in *struct {
	Body struct {
		BaseVersion int `json:"base_version" minimum:"1"`
		To          int `json:"to" minimum:"1"`
	}
}) (minted, error) {
	previous, err := s.score(ctx, r, in.Body.BaseVersion)
	if err != nil {
		return minted{}, err
	}
	return s.mint(ctx, r, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Gene.Rollback(in.Body.BaseVersion, in.Body.To, previous, r.cmd.Actor)
	})
}

// mint decides about an active agent's gene and names the version that came of it.
func (s *Server) mint(ctx context.Context, r *request, what func(st *streams.State, now time.Time) ([]domain.Decision, error)) (minted, error) {
	res, err := s.decide(ctx, r, func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		if err := st.Agent.Active(); err != nil {
			return nil, err
		}
		return what(st, now)
	})
	if err != nil {
		return minted{}, err
	}
	return minted{Version: eventOf[gene.Minted](res).Version, Seq: res.Seq}, nil
}

// score is a version's result so far; nil if the version is not known to the
// projection (the decision then says that there is none, or that it moved).
func (s *Server) score(ctx context.Context, r *request, version int) (*gene.Score, error) {
	score, err := s.deps.Store.Snapshot(ctx, r.key, version)
	if domain.CodeOf(err) == domain.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &score, nil
}
