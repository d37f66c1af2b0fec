package web

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sozai/domain"
)

var errOrigin = domain.Rule(domain.Forbidden, "origin", "this request comes from another site")

// checkOrigin refuses what another site's page makes a browser send: browsers
// name the page's origin on unsafe requests and on WebSockets. Programs that are
// no browsers send none, and carry no cookie that they were not given.
func (s *Server) checkOrigin(c *fiber.Ctx) error {
	switch c.Method() {
	case fiber.MethodGet, fiber.MethodHead, fiber.MethodOptions:
		if !strings.EqualFold(c.Get(fiber.HeaderUpgrade), "websocket") {
			return nil
		}
	}
	origin := c.Get(fiber.HeaderOrigin)
	if origin == "" {
		switch c.Get("Sec-Fetch-Site") {
		case "", "same-origin", "none":
			return nil
		}
		return errOrigin
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return errOrigin // "null" and nonsense
	}
	if strings.EqualFold(u.Host, string(c.Request().Host())) {
		return nil
	}
	if s.publicHost != "" && strings.EqualFold(u.Host, s.publicHost) {
		return nil
	}
	return errOrigin
}

// secure says whether browsers reach us over https.
func (s *Server) secure(c *fiber.Ctx) bool {
	return s.publicScheme == "https" || c.Context().IsTLS()
}

// hasNUL finds a zero byte in a request's address; no text of ours may hold one
// (Postgres refuses it, so an event with it could never be projected).
func hasNUL(c *fiber.Ctx) bool {
	uri := string(c.Request().RequestURI())
	return strings.Contains(uri, "%00") || strings.IndexByte(uri, 0) >= 0
}
