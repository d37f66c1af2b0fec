package web

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"sozai/agents/catalogue"
)

func (s *Server) searchCatalogue(ctx context.Context, r *request, in *struct {
	Text     string `query:"q" maxLength:"500"`
	Platform string `query:"platform" maxLength:"80"`
	Page     int    `query:"page" minimum:"1" maximum:"100000" default:"1"`
	Size     int    `query:"size" minimum:"1" maximum:"100" default:"12"`
}) (catalogue.Hits, error) {
	hits, err := s.deps.Catalogue.Search(ctx, catalogue.Query{
		Product: r.product, Text: in.Text, Platform: in.Platform, Page: in.Page, Size: in.Size,
	})
	if hits.Entries == nil {
		hits.Entries = []catalogue.Entry{}
	}
	return hits, err
}

// hasMedia lets an importer ask before it sends a large file.
func (s *Server) hasMedia(c *fiber.Ctx, r *request) error {
	if _, err := s.deps.Catalogue.ByHash(r.ctx, r.product, c.Params("hash")); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusOK)
}
