package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sozai/agents/catalogue"
	"sozai/domain"
	"sozai/handlers/access"
)

var errNoMedia = domain.Errorf(domain.NotFound, "there is no such file")

// media serves a stored video, its poster or its preview, whole or in part, to
// whoever may see an object that has it, and to whoever has a signed link. To
// others it does not exist.
func (s *Server) media(c *fiber.Ctx, r *request) error {
	hash, suffix, _ := strings.Cut(c.Params("file"), ".")
	rendition, ok := map[string]catalogue.Rendition{
		"": catalogue.Original, "poster": catalogue.Poster, "preview": catalogue.Preview,
	}[suffix]
	if !ok || !isHash(hash) {
		return errNoMedia
	}
	if !r.signed {
		may, err := s.maySee(r.ctx, r.caller, hash)
		if err != nil {
			return err
		}
		if !may {
			return errNoMedia
		}
	}
	file, err := s.deps.Catalogue.Media(hash, rendition)
	if err != nil {
		return err
	}
	if c.QueryBool("download") {
		c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+hash[:12]+extension(file.Path)+`"`)
	}
	return sendFile(c, file.Path, file.Type, `"`+hash[:32]+"-"+string(rendition)+`"`)
}

func isHash(text string) bool {
	if len(text) != 64 {
		return false
	}
	return strings.Trim(text, "0123456789abcdef") == ""
}

func extension(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 && len(path)-i <= 5 {
		return path[i:]
	}
	return ""
}

// maySee asks the rooms that hold an object with the file, then the catalogues of
// the caller's products.
func (s *Server) maySee(ctx context.Context, caller access.Caller, hash string) (bool, error) {
	owners, err := s.deps.Store.MediaOwners(ctx, hash)
	if err != nil {
		return false, err
	}
	for _, key := range owners {
		_, st, err := s.standing(ctx, caller, string(key.Agent))
		if err != nil {
			return false, err
		}
		if access.Authorize(caller, access.ReadRoom, st) == nil {
			return true, nil
		}
	}
	products, err := s.deps.Access.Products(ctx, caller)
	if err != nil {
		return false, err
	}
	for _, p := range products {
		switch _, err := s.deps.Catalogue.ByHash(ctx, p.ID, hash); domain.CodeOf(err) {
		case domain.NotFound:
			continue
		default:
			return err == nil, err
		}
	}
	return false, nil
}

// sendFile answers with a file that never changes: whole (200), one range (206),
// nothing new (304) or no such range (416). Several ranges get the whole file, as
// RFC 9110 allows.
func sendFile(c *fiber.Ctx, path, contentType, etag string) error {
	f, err := os.Open(path) //nolint:gosec // the media store's path, made from a checked hash
	if errors.Is(err, os.ErrNotExist) {
		return errNoMedia
	}
	if err != nil {
		return fmt.Errorf("open media: %w", err)
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return fmt.Errorf("media %s is no file: %w", path, err)
	}
	size := info.Size()
	c.Set(fiber.HeaderETag, etag)
	c.Set(fiber.HeaderAcceptRanges, "bytes")
	c.Set(fiber.HeaderCacheControl, "private, max-age=86400")
	if matches(c.Get(fiber.HeaderIfNoneMatch), etag) {
		_ = f.Close()
		return c.SendStatus(fiber.StatusNotModified)
	}
	from, length, ranged := int64(0), size, false
	if spec := c.Get(fiber.HeaderRange); spec != "" && (c.Get(fiber.HeaderIfRange) == "" || c.Get(fiber.HeaderIfRange) == etag) {
		start, n, kind := parseRange(spec, size)
		switch kind {
		case rangeBeyond:
			_ = f.Close()
			c.Set(fiber.HeaderContentRange, "bytes */"+strconv.FormatInt(size, 10))
			c.Status(fiber.StatusRequestedRangeNotSatisfiable)
			return nil
		case rangeOne:
			from, length, ranged = start, n, true
		}
	}
	c.Set(fiber.HeaderContentType, contentType)
	if ranged {
		c.Status(fiber.StatusPartialContent)
		c.Set(fiber.HeaderContentRange, fmt.Sprintf("bytes %d-%d/%d", from, from+length-1, size))
	}
	// fasthttp closes the stream when the response was written or given up.
	c.Context().SetBodyStream(section{io.NewSectionReader(f, from, length), f}, int(length))
	return nil
}

type section struct {
	*io.SectionReader
	io.Closer
}

func matches(header, etag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == etag || one == "*" {
			return true
		}
	}
	return false
}

type rangeKind int

const (
	rangeIgnored rangeKind = iota // malformed, another unit, or several
	rangeOne
	rangeBeyond
)

// parseRange reads one byte range of a file of size bytes.
func parseRange(spec string, size int64) (from, length int64, kind rangeKind) {
	ranges, ok := strings.CutPrefix(spec, "bytes=")
	if !ok || strings.Contains(ranges, ",") {
		return 0, 0, rangeIgnored
	}
	first, last, ok := strings.Cut(strings.TrimSpace(ranges), "-")
	if !ok {
		return 0, 0, rangeIgnored
	}
	number := func(s string) (int64, bool) {
		if s == "" || strings.Trim(s, "0123456789") != "" {
			return 0, false
		}
		n, err := strconv.ParseInt(s, 10, 64)
		return n, err == nil
	}
	if first == "" { // the last n bytes
		n, ok := number(last)
		switch {
		case !ok:
			return 0, 0, rangeIgnored
		case n == 0 || size == 0:
			return 0, 0, rangeBeyond
		}
		n = min(n, size)
		return size - n, n, rangeOne
	}
	from, ok = number(first)
	if !ok {
		return 0, 0, rangeIgnored
	}
	to := size - 1
	if last != "" {
		n, ok := number(last)
		if !ok || n < from {
			return 0, 0, rangeIgnored
		}
		to = min(n, to)
	}
	if from >= size {
		return 0, 0, rangeBeyond
	}
	return from, to - from + 1, rangeOne
}
