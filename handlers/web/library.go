package web

import (
	"context"

	"sozai/domain"
	"sozai/domain/library"
	"sozai/projections"
)

type materialsView struct {
	Materials []projections.Material `json:"materials"`
	More      bool                   `json:"more"`
}

func (s *Server) listMaterials(ctx context.Context, r *request, in *struct {
	Run     domain.ID                 `query:"run"`
	Version int                       `query:"version" minimum:"0"`
	Source  string                    `query:"source"`
	Rating  library.Rating            `query:"rating" enum:"high,medium,low"`
	State   projections.MaterialState `query:"state" enum:"new,seen,ignored,adopted"`
	Text    string                    `query:"q"`
	Before  uint64                    `query:"before"`
	Limit   int                       `query:"limit" minimum:"1" maximum:"200" default:"50"`
}) (materialsView, error) {
	list, err := s.deps.Store.Materials(ctx, r.key, projections.MaterialFilter{
		Run: in.Run, Version: in.Version, Source: in.Source, Rating: in.Rating, State: in.State,
		Text: in.Text, Before: in.Before, Limit: in.Limit,
	})
	if list == nil {
		list = []projections.Material{}
	}
	return materialsView{Materials: list, More: len(list) == in.Limit}, err
}

type materialView struct {
	projections.Material
	Use projections.MaterialUse `json:"use"`
}

func (s *Server) getMaterial(ctx context.Context, r *request, in *struct {
	Material string `path:"material"`
}) (materialView, error) {
	id, err := parseID("material", in.Material)
	if err != nil {
		return materialView{}, err
	}
	m, err := s.deps.Store.Material(ctx, r.key, id)
	if err != nil {
		return materialView{}, err
	}
	use, err := s.deps.Store.MaterialUse(ctx, r.key, id)
	return materialView{Material: m, Use: use}, err
}

// ListQuery is what boards, films and assets are narrowed by.
type ListQuery struct {
	Run     domain.ID `query:"run"`
	Version int       `query:"version" minimum:"0"`
	Before  uint64    `query:"before"`
	Limit   int       `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

func (q ListQuery) page() projections.ListPage {
	return projections.ListPage{Run: q.Run, Version: q.Version, Before: q.Before, Limit: q.Limit}
}

type assetsView struct {
	Assets []projections.Asset `json:"assets"`
	More   bool                `json:"more"`
}

func (s *Server) listAssets(ctx context.Context, r *request, in *ListQuery) (assetsView, error) {
	list, err := s.deps.Store.Assets(ctx, r.key, in.page())
	if list == nil {
		list = []projections.Asset{}
	}
	return assetsView{Assets: list, More: len(list) == in.Limit}, err
}

func (s *Server) performance(ctx context.Context, r *request, in *struct {
	AsOf
	Baseline int `query:"baseline" minimum:"0" doc:"The version to compare with; 0: the one before the current"`
}) (projections.Scores, error) {
	store, _, done, err := s.at(ctx, r, in.AsOf.AsOf, projections.Performance)
	if err != nil {
		return projections.Scores{}, err
	}
	defer done()
	return store.Scores(ctx, r.key, in.Baseline)
}

type rowsView struct {
	Refs []domain.Ref `json:"refs"`
}

func (s *Server) performanceRows(ctx context.Context, r *request, in *struct {
	AsOf
	Version int    `query:"version" minimum:"0" required:"true"`
	Metric  string `query:"metric" required:"true" enum:"found,shown,ignored,adopted,boards,filmed,films,downloaded,liked,disliked,runs"`
}) (rowsView, error) {
	store, _, done, err := s.at(ctx, r, in.AsOf.AsOf, projections.Performance)
	if err != nil {
		return rowsView{}, err
	}
	defer done()
	refs, err := store.ScoreRows(ctx, r.key, in.Version, in.Metric)
	if refs == nil {
		refs = []domain.Ref{}
	}
	return rowsView{Refs: refs}, err
}
