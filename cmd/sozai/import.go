package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/schollz/progressbar/v3"

	"sozai/agents/catalogue"
)

// errNotAll is the answer when some files were refused; the others are kept.
var errNotAll = errors.New("some entries could not be imported; they are listed above, the others are kept")

type importCommand struct {
	target `embed:""`
	Paths  []string `arg:"" type:"path" help:"Folders, videos (mp4, mov, webm) and JSONL manifests."`
	JSON   bool     `help:"Print the report as JSON."`
}

// report is what an import did.
type report struct {
	Added     int                 `json:"added"`
	Duplicate int                 `json:"duplicate"`
	Completed int                 `json:"completed"`
	Refused   []catalogue.Problem `json:"refused"`
	Noted     []catalogue.Problem `json:"noted"`
}

// Run uploads what the catalogue does not have. A second run adds nothing.
func (c *importCommand) Run(p *process) error {
	api, err := c.connect(p)
	if err != nil {
		return err
	}
	plan, err := catalogue.Walk(c.Paths)
	if err != nil {
		return err
	}
	r := report{Refused: []catalogue.Problem{}, Noted: []catalogue.Problem{}}
	for _, problem := range plan.Problems {
		if problem.Kept {
			r.Noted = append(r.Noted, problem)
		} else {
			r.Refused = append(r.Refused, problem)
		}
	}
	bar := progressbar.NewOptions(len(plan.Imports), progressbar.OptionSetWriter(p.stderr),
		progressbar.OptionSetVisibility(p.terminal && !c.JSON), progressbar.OptionShowCount(),
		progressbar.OptionShowIts(), progressbar.OptionSetDescription("importing"), progressbar.OptionClearOnFinish())
	for _, planned := range plan.Imports {
		outcome, err := api.importOne(p.ctx, planned)
		var refused *problem
		switch {
		case errors.As(err, &refused) && refused.Status < http.StatusInternalServerError &&
			refused.Status != http.StatusUnauthorized && refused.Status != http.StatusForbidden:
			name := planned.Path
			if name == "" {
				name = planned.Item.Title
			}
			r.Refused = append(r.Refused, catalogue.Problem{Path: name, Reason: refused.Error()})
		case err != nil:
			return fmt.Errorf("%w (%d added so far; run the same command again to go on)", err, r.Added+r.Completed)
		case outcome == catalogue.Added:
			r.Added++
		case outcome == catalogue.Completed:
			r.Completed++
		default:
			r.Duplicate++
		}
		_ = bar.Add(1)
	}
	_ = bar.Finish()
	if err := p.printReport(r, c.JSON); err != nil {
		return err
	}
	if len(r.Refused) > 0 {
		return errNotAll
	}
	return nil
}

func (p *process) printReport(r report, asJSON bool) error {
	if asJSON {
		return p.printJSON(r)
	}
	for _, problem := range r.Noted {
		fmt.Fprintln(p.stdout, "note    "+whereabouts(problem))
	}
	for _, problem := range r.Refused {
		fmt.Fprintln(p.stdout, "refused "+whereabouts(problem))
	}
	fmt.Fprintf(p.stdout, "%d added, %d already there, %d completed with their video, %d refused\n", r.Added, r.Duplicate, r.Completed, len(r.Refused))
	return nil
}

func whereabouts(problem catalogue.Problem) string {
	where := problem.Path
	if problem.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, problem.Line)
	}
	return where + ": " + problem.Reason
}

// importOne sends one item; a file that the product has already is not sent
// again.
func (c *client) importOne(ctx context.Context, planned catalogue.Planned) (catalogue.Outcome, error) {
	if planned.Path == "" {
		return c.upload(ctx, planned.Item, nil, "")
	}
	hash, err := catalogue.HashFile(planned.Path)
	if err != nil {
		return "", &problem{Status: http.StatusUnprocessableEntity, Detail: "cannot be read: " + unwrapPath(err)}
	}
	err = c.call(ctx, http.MethodHead, "/api/catalogue/media/"+hash+"?product="+url.QueryEscape(c.product), nil, nil)
	var missing *problem
	if err == nil {
		return catalogue.Duplicate, nil
	}
	if !errors.As(err, &missing) || missing.Status != http.StatusNotFound {
		return "", err
	}
	file, err := os.Open(planned.Path)
	if err != nil {
		return "", &problem{Status: http.StatusUnprocessableEntity, Detail: "cannot be read: " + unwrapPath(err)}
	}
	defer func() { _ = file.Close() }()
	return c.upload(ctx, planned.Item, file, filepath.Base(planned.Path))
}

func unwrapPath(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// upload streams a multipart form of the entry and, unless file is nil, its file.
func (c *client) upload(ctx context.Context, item catalogue.Item, file io.Reader, name string) (catalogue.Outcome, error) {
	entry, err := json.Marshal(item)
	if err != nil {
		return "", err
	}
	read, write := io.Pipe()
	form := multipart.NewWriter(write)
	go func() {
		err := form.WriteField("entry", string(entry))
		if err == nil && file != nil {
			var part io.Writer
			if part, err = form.CreateFormFile("file", name); err == nil {
				_, err = io.Copy(part, file)
			}
		}
		if err == nil {
			err = form.Close()
		}
		write.CloseWithError(err)
	}()
	var answer catalogue.Result
	err = c.send(ctx, http.MethodPost, "/api/catalogue/items?product="+url.QueryEscape(c.product), form.FormDataContentType(), read, &answer)
	_ = read.Close()
	return answer.Outcome, err
}
