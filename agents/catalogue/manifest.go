package catalogue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"sozai/domain"
)

// Problem is a line or file that could not be taken, or not wholly.
type Problem struct {
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
	Reason string `json:"reason"`
	Kept   bool   `json:"kept,omitempty"` // the entry is imported all the same
}

// Limits of a manifest.
const (
	maxManifestLine  = 64 << 10  // bytes
	maxManifestItems = 1_000_000 // entries
)

// ParseManifest reads JSONL: one object a line with id, title, author, platform,
// tags, url, created_at (Unix seconds or RFC 3339), duration_s, width, height,
// plays, likes, shares, comments and file, all but the id optional, other fields
// ignored. Lines that cannot be used become problems, the others items; the
// error is that of the reader.
func ParseManifest(r io.Reader) ([]Item, []Problem, error) {
	in := bufio.NewReaderSize(r, 32<<10)
	var items []Item
	var problems []Problem
	lineOf := map[string]int{}
	for n := 1; ; n++ {
		raw, tooLong, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return items, problems, fmt.Errorf("read manifest: %w", err)
		}
		if n == 1 {
			raw = bytes.TrimPrefix(raw, []byte("\xEF\xBB\xBF"))
		}
		raw = bytes.TrimRight(raw, "\r\n")
		add := func(kept bool, format string, args ...any) {
			problems = append(problems, Problem{Line: n, Kept: kept, Reason: fmt.Sprintf(format, args...)})
		}
		switch {
		case tooLong:
			add(false, "the line is longer than %d KiB", maxManifestLine>>10)
		case len(bytes.TrimSpace(raw)) > 0:
			item, warnings, perr := parseLine(raw)
			switch first := lineOf[item.External]; {
			case perr != nil:
				add(false, "%s", perr)
			case first > 0:
				add(false, "line %d has the same id", first)
			case len(items) >= maxManifestItems:
				add(false, "a manifest has at most %d entries", maxManifestItems)
				return items, problems, nil
			default:
				lineOf[item.External] = n
				items = append(items, item)
				for _, w := range warnings {
					add(true, "%s", w)
				}
			}
		}
		if err != nil {
			return items, problems, nil
		}
	}
}

// readLine reads up to a newline and keeps no more than the limit of it. The
// error is io.EOF if the file ends with this line.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxManifestLine {
			tooLong = true
			line = nil
		} else if !tooLong {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return line, tooLong, err
	}
}

// parseLine reads one entry. Warnings say what was left out of it.
func parseLine(raw []byte) (Item, []string, error) {
	if !utf8.Valid(raw) {
		return Item{}, nil, errors.New("the line is not UTF-8 text")
	}
	var in struct {
		ID        json.RawMessage `json:"id"`
		Title     json.RawMessage `json:"title"`
		Author    json.RawMessage `json:"author"`
		Platform  json.RawMessage `json:"platform"`
		URL       json.RawMessage `json:"url"`
		Tags      json.RawMessage `json:"tags"`
		CreatedAt json.RawMessage `json:"created_at"`
		Duration  json.RawMessage `json:"duration_s"`
		Width     json.RawMessage `json:"width"`
		Height    json.RawMessage `json:"height"`
		Plays     json.RawMessage `json:"plays"`
		Likes     json.RawMessage `json:"likes"`
		Shares    json.RawMessage `json:"shares"`
		Comments  json.RawMessage `json:"comments"`
		File      json.RawMessage `json:"file"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return Item{}, nil, fmt.Errorf("the line is not JSON (at character %d)", max(1, syntax.Offset))
		}
		return Item{}, nil, errors.New("the line is not a JSON object")
	}
	f := fields{}
	item := Item{
		External: f.text("id", in.ID), Title: f.text("title", in.Title), Author: f.text("author", in.Author),
		Platform: f.text("platform", in.Platform), URL: f.text("url", in.URL), File: f.text("file", in.File),
		Tags: f.list("tags", in.Tags), Published: f.time("created_at", in.CreatedAt),
		Seconds: f.number("duration_s", in.Duration),
		Width:   int(min(f.number("width", in.Width), 1e6)), Height: int(min(f.number("height", in.Height), 1e6)),
	}
	item.Counts.Plays, item.Counts.Likes = f.count("plays", in.Plays), f.count("likes", in.Likes)
	item.Counts.Shares, item.Counts.Comments = f.count("shares", in.Shares), f.count("comments", in.Comments)
	if f.err != nil {
		return Item{}, nil, f.err
	}
	item.External = strings.TrimSpace(item.External)
	if item.External == "" {
		return Item{}, nil, errors.New(`the entry has no "id"`)
	}
	if item.URL != "" && !webAddress(item.URL) {
		f.warnings = append(f.warnings, "the url is left out: it is not an http or https address")
	}
	file := item.File // clean keeps the last part only, but the walk needs the folder
	cleaned, err := item.clean()
	if err != nil {
		return Item{}, nil, err
	}
	cleaned.File = file
	return cleaned, f.warnings, nil
}

// fields reads values of a line; the first that is of a wrong kind is the error.
type fields struct {
	err      error
	warnings []string
}

func (f *fields) wrong(name, want string) {
	if f.err == nil {
		f.err = domain.Errorf(domain.Invalid, "%q is not %s", name, want)
	}
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// text reads a string; numbers are taken as they are written.
func (f *fields) text(name string, raw json.RawMessage) string {
	if absent(raw) {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	f.wrong(name, "a text")
	return ""
}

// list reads an array of strings, or one string that commas divide.
func (f *fields) list(name string, raw json.RawMessage) []string {
	if absent(raw) {
		return nil
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '，' || r == '、' })
	}
	f.wrong(name, "a list of texts")
	return nil
}

// number reads a number that is not negative, also inside a string.
func (f *fields) number(name string, raw json.RawMessage) float64 {
	text := strings.TrimSpace(f.text(name, raw))
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		f.wrong(name, "a number of at least 0")
		return 0
	}
	return n
}

func (f *fields) count(name string, raw json.RawMessage) int64 {
	return int64(min(f.number(name, raw), 1<<53))
}

func (f *fields) time(name string, raw json.RawMessage) time.Time {
	text := strings.TrimSpace(f.text(name, raw))
	if text == "" {
		return time.Time{}
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.UTC()
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(math.Abs(n) < 1e11) {
		f.wrong(name, "a time (Unix seconds or RFC 3339)")
		return time.Time{}
	}
	return time.Unix(int64(n), 0).UTC()
}
