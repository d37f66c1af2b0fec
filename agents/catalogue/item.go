package catalogue

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"sozai/domain"
	"sozai/domain/library"
)

// Item is a video to be imported, as its manifest line or file name says.
type Item struct {
	External  string         `json:"id"` // its id where it comes from; "" = the file's hash
	Title     string         `json:"title"`
	Author    string         `json:"author,omitempty"`
	Platform  string         `json:"platform,omitempty"`
	URL       string         `json:"url,omitempty"`
	Tags      []string       `json:"tags,omitempty"`
	Counts    library.Counts `json:"counts"`
	Published time.Time      `json:"published,omitzero"`
	Seconds   float64        `json:"seconds,omitempty"` // as claimed, shown when there is no media
	Width     int            `json:"width,omitempty"`
	Height    int            `json:"height,omitempty"`
	File      string         `json:"file,omitempty"` // name of its file; quoted data, never a path on the server
}

// Limits of an item's words, in characters. Longer ones are cut, except an id.
const (
	maxExternal = 200
	maxTitle    = 1000
	maxAuthor   = 200
	maxPlatform = 40
	maxURL      = 2000
	maxFileName = 300
	maxTag      = 100
	maxTags     = 50
)

// clean returns the item as it may be stored: one-line words of bounded length,
// a web address or none, plausible numbers. An item that has no title is named
// after its file.
func (i Item) clean() (Item, error) {
	i.External = line(i.External, maxExternal+1)
	if len([]rune(i.External)) > maxExternal {
		return Item{}, domain.Errorf(domain.Invalid, "the id is longer than %d characters", maxExternal)
	}
	i.File = line(fileName(i.File), maxFileName)
	i.Title = line(i.Title, maxTitle)
	if i.Title == "" {
		i.Title = strings.TrimSuffix(i.File, path.Ext(i.File))
	}
	i.Author = line(i.Author, maxAuthor)
	i.Platform = strings.ToLower(line(i.Platform, maxPlatform))
	if !webAddress(i.URL) {
		i.URL = ""
	}
	i.Tags = cleanTags(i.Tags)
	c := i.Counts
	if c.Plays < 0 || c.Likes < 0 || c.Shares < 0 || c.Comments < 0 {
		return Item{}, domain.Errorf(domain.Invalid, "a count is negative")
	}
	if y := i.Published.Year(); y < 1970 || y > 2200 {
		i.Published = time.Time{}
	}
	i.Published = i.Published.UTC().Truncate(time.Microsecond)
	if !(i.Seconds > 0 && i.Seconds < 1e7) {
		i.Seconds = 0
	}
	if i.Width < 0 || i.Height < 0 || i.Width > 1e5 || i.Height > 1e5 {
		i.Width, i.Height = 0, 0
	}
	return i, nil
}

// claimed is what is shown of an item without media.
func (i Item) claimed() library.Media {
	return library.Media{Seconds: i.Seconds, Width: i.Width, Height: i.Height}
}

func cleanTags(tags []string) []string {
	out := []string{}
	for _, t := range tags {
		t = line(strings.TrimLeft(strings.TrimSpace(t), "#＃"), maxTag)
		if t != "" && len(out) < maxTags && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// line makes one line of valid text of at most n characters.
func line(s string, n int) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r)
	}), " ")
	if r := []rune(s); len(r) > n {
		s = strings.TrimSpace(string(r[:n]))
	}
	return s
}

// fileName is the last part of a name that may come from any system.
func fileName(s string) string {
	return s[strings.LastIndexAny(s, `/\`)+1:]
}

// webAddress says whether s is an http or https address.
func webAddress(s string) bool {
	if len(s) > maxURL || strings.ContainsFunc(s, unicode.IsControl) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
