package web

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"sozai/agents/catalogue"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
)

const (
	// uploadTime bounds an upload with all that is done to it.
	uploadTime = time.Hour
	// analysisTime bounds the analysis of an upload; a video that takes longer is
	// kept without one.
	analysisTime = 90 * time.Second
	// fieldLimit bounds a part that is not a file.
	fieldLimit = 256 << 10
)

// parts reads a multipart body part by part, as it streams in.
type parts struct {
	r *multipart.Reader
}

func (s *Server) parts(c *fiber.Ctx) (*parts, error) {
	kind, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil || kind != fiber.MIMEMultipartForm || params["boundary"] == "" {
		return nil, domain.Errorf(domain.Invalid, "the body must be multipart/form-data")
	}
	// Besides the file there are small fields and the parts' heads.
	return &parts{multipart.NewReader(newUploadReader(c, s.deps.MaxUpload+1<<20), params["boundary"])}, nil
}

// next is the next part and its field name; nil at the end.
func (p *parts) next() (*multipart.Part, string, error) {
	part, err := p.r.NextRawPart()
	if err == io.EOF {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", uploadError(err)
	}
	return part, part.FormName(), nil
}

func field(part *multipart.Part) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(part, fieldLimit+1))
	if err != nil {
		return nil, uploadError(err)
	}
	if len(data) > fieldLimit {
		return nil, domain.Errorf(domain.TooLarge, "the part %q is larger than %d kB", part.FormName(), fieldLimit>>10)
	}
	return data, nil
}

// fileReader keeps a file within its limit and remembers how reading it failed:
// whoever stores the file may only see that it is short.
type fileReader struct {
	r    io.Reader
	left int64
	max  int64
	err  error
}

func (f *fileReader) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	f.left -= int64(n)
	switch {
	case f.left < 0:
		n, err = 0, domain.Errorf(domain.TooLarge, "the file is larger than %d MB", f.max>>20)
	case err != nil && !errors.Is(err, io.EOF):
		err = uploadError(err)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

func (s *Server) file(part *multipart.Part) *fileReader {
	return &fileReader{r: part, left: s.deps.MaxUpload, max: s.deps.MaxUpload}
}

// orElse prefers the reason for which the file could not be read.
func (f *fileReader) orElse(err error) error {
	if err != nil && f.err != nil {
		return f.err
	}
	return err
}

type uploaded struct {
	Asset    domain.ID     `json:"asset"`
	Media    library.Media `json:"media"`
	Analyzed bool          `json:"analyzed"`
	Seq      uint64        `json:"seq"`
}

// uploadAsset keeps a member's own video: checked, probed and, if that is quick
// enough, analysed. The file's name is quoted data and never a path.
func (s *Server) uploadAsset(c *fiber.Ctx, r *request) error {
	ctx, cancel := context.WithTimeout(s.ctx, uploadTime)
	defer cancel()
	if err := s.active(ctx, r); err != nil {
		return err
	}
	body, err := s.parts(c)
	if err != nil {
		return err
	}
	event := library.AssetUploaded{Asset: r.newID("asset")}
	for {
		part, name, err := body.next()
		if err != nil {
			return err
		}
		switch {
		case part == nil && event.Media.Hash == "":
			return domain.Missing("file")
		case part == nil:
			return s.recordAsset(ctx, c, r, event)
		case name == "title":
			title, err := field(part)
			if err != nil {
				return err
			}
			event.Title = strings.TrimSpace(string(title))
		case name == "file" && event.Media.Hash == "":
			event.File = domain.Clip(part.FileName(), domain.MaxNameRunes)
			f := s.file(part)
			if event.Media, err = s.deps.Catalogue.Keep(ctx, f); err != nil {
				return f.orElse(err)
			}
		default:
			return domain.Errorf(domain.Invalid, "the part %q is not expected", name)
		}
	}
}

func (s *Server) recordAsset(ctx context.Context, c *fiber.Ctx, r *request, event library.AssetUploaded) error {
	if event.Title == "" {
		event.Title = strings.TrimSpace(event.File)
	}
	if event.Title == "" {
		event.Title = "video"
	}
	if err := event.Check(); err != nil {
		return err
	}
	switch old, err := s.deps.Store.Asset(ctx, r.key, event.Asset); {
	case err == nil && old.Media.Hash != event.Media.Hash:
		return errKeyReused
	case err == nil:
		return c.JSON(uploaded{Asset: old.Asset, Media: old.Media, Analyzed: old.Analysis != nil, Seq: old.Seq})
	case domain.CodeOf(err) != domain.NotFound:
		return err
	}
	facts := []domain.Fact{event}
	brief, cancel := context.WithTimeout(ctx, analysisTime)
	defer cancel()
	analysis, err := s.deps.Catalogue.AnalyseMedia(brief, event.Media, video.Text{Title: event.Title})
	switch {
	case err == nil:
		facts = append(facts, analysis.Fact(event.Asset))
	case errors.Is(brief.Err(), context.DeadlineExceeded), domain.CodeOf(err) == domain.Unprocessable:
		// Kept all the same; whoever needs the analysis makes it then.
	default:
		return err
	}
	events, err := s.deps.Log.Record(ctx, r.key, r.cmd, facts...)
	if err != nil {
		return err
	}
	return c.JSON(uploaded{Asset: event.Asset, Media: event.Media, Analyzed: len(facts) > 1, Seq: events[len(events)-1].Seq})
}

// importItem adds one entry to the product's catalogue, with its file if one
// comes along. The same entry or file again adds nothing.
func (s *Server) importItem(c *fiber.Ctx, r *request) error {
	ctx, cancel := context.WithTimeout(s.ctx, uploadTime)
	defer cancel()
	body, err := s.parts(c)
	if err != nil {
		return err
	}
	part, name, err := body.next()
	if err != nil {
		return err
	}
	if part == nil || name != "entry" {
		return domain.Errorf(domain.Invalid, "the first part must be entry, a JSON object")
	}
	data, err := field(part)
	if err != nil {
		return err
	}
	var item catalogue.Item
	if err := decode(data, &item); err != nil {
		return domain.Errorf(domain.Invalid, "the part entry is not a JSON object of the right form")
	}
	part, name, err = body.next()
	if err != nil {
		return err
	}
	var result catalogue.Result
	switch {
	case part == nil:
		result, err = s.deps.Catalogue.Import(ctx, r.product, item, nil)
	case name == "file":
		if item.File == "" {
			item.File = part.FileName()
		}
		f := s.file(part)
		result, err = s.deps.Catalogue.Import(ctx, r.product, item, f)
		err = f.orElse(err)
	default:
		return domain.Errorf(domain.Invalid, "the part %q is not expected", name)
	}
	if err != nil {
		return err
	}
	return c.JSON(result)
}
