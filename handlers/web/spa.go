package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sozai/domain"
)

// csp allows what the page ships with, and nothing from elsewhere. Inline
// styles are needed by components that place themselves.
const csp = "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; style-src 'self' 'unsafe-inline'; " +
	"connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// secureHeaders go with every response.
func secureHeaders(c *fiber.Ctx) {
	c.Set(fiber.HeaderContentSecurityPolicy, csp)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set(fiber.HeaderReferrerPolicy, "same-origin")
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	c.Set("Cross-Origin-Resource-Policy", "same-origin")
	c.Set(fiber.HeaderPermissionsPolicy, "camera=(), microphone=(), geolocation=()")
}

// spa serves the built front end: a file if there is one, else the index page,
// whose router knows the rest. What is missing under /api or among the assets
// stays missing.
func (s *Server) spa(c *fiber.Ctx) error {
	name := strings.TrimPrefix(path.Clean(c.Path()), "/")
	if name == "api" || strings.HasPrefix(name, "api/") {
		return fiber.ErrNotFound
	}
	if c.Method() != fiber.MethodGet && c.Method() != fiber.MethodHead {
		return fiber.ErrMethodNotAllowed
	}
	if s.deps.Frontend == nil {
		return domain.Errorf(domain.NotFound, "this server was built without its front end")
	}
	if name == "" || !fs.ValidPath(name) || strings.HasPrefix(path.Base(name), ".") {
		name = index
	}
	data, err := fs.ReadFile(s.deps.Frontend, name)
	if err != nil {
		if strings.HasPrefix(name, "assets/") {
			return fiber.ErrNotFound
		}
		name = index
		if data, err = fs.ReadFile(s.deps.Frontend, name); err != nil {
			return domain.Errorf(domain.NotFound, "this server was built without its front end")
		}
	}
	if strings.HasPrefix(name, "assets/") { // their names hold their hash
		c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	} else {
		c.Set(fiber.HeaderCacheControl, "no-cache")
	}
	ct := mime.TypeByExtension(path.Ext(name))
	if ct == "" {
		ct = fiber.MIMEOctetStream
	}
	sum := sha256.Sum256(data)
	etag := hex.EncodeToString(sum[:12])
	if packs(ct) {
		c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
		if acceptsGzip(c.Get(fiber.HeaderAcceptEncoding)) {
			if data, err = s.packed(name, data); err != nil {
				return err
			}
			etag += "-gz"
			c.Set(fiber.HeaderContentEncoding, "gzip")
		}
	}
	c.Set(fiber.HeaderETag, `"`+etag+`"`)
	if c.Get(fiber.HeaderIfNoneMatch) == `"`+etag+`"` {
		c.Response().Header.Del(fiber.HeaderContentEncoding)
		return c.SendStatus(fiber.StatusNotModified)
	}
	c.Set(fiber.HeaderContentType, ct)
	return c.Send(data)
}

// packs says whether a file of the front end gets smaller by packing.
func packs(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	switch kind {
	case "text/javascript", "application/javascript", "text/css", "text/html", "image/svg+xml", "application/json":
		return true
	}
	return false
}

// acceptsGzip reads an Accept-Encoding header; a quality of 0 refuses.
func acceptsGzip(header string) bool {
	for item := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(item), ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		q := strings.TrimRight(strings.ReplaceAll(quality, " ", ""), "0")
		return q != "q=" && q != "q=0."
	}
	return false
}

// packed is a file of the front end, packed once.
func (s *Server) packed(name string, data []byte) ([]byte, error) {
	if known, ok := s.packs.Load(name); ok {
		return known.([]byte), nil //nolint:forcetypeassert // only stored below
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("pack %s: %w", name, err)
	}
	if _, err := w.Write(data); err != nil {
		return nil, fmt.Errorf("pack %s: %w", name, err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack %s: %w", name, err)
	}
	s.packs.Store(name, out.Bytes())
	return out.Bytes(), nil
}

const index = "index.html"
