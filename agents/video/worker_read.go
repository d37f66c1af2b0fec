package video

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"sozai/domain"
	"sozai/domain/library"
)

// Limits of what is taken over from the worker, in characters.
const (
	maxSection  = 800
	maxReport   = domain.MaxDocRunes
	maxReply    = 4_000
	maxQuestion = 1_000
	maxSource   = 40
)

// MaxFrames bounds the pictures of one request.
const MaxFrames = 60

// errSilent: the worker answered, and said nothing.
func errSilent() error {
	return (&awayError{zh: "的答复里什么也没有", en: "said nothing about this video"}).refusal()
}

// tree is a value of the worker's JSON, of which nothing is certain.
type tree struct{ v any }

func parse(body json.RawMessage) tree {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var t tree
	if d.Decode(&t.v) != nil {
		return tree{}
	}
	return t
}

// at follows a path of object fields.
func (t tree) at(path ...string) tree {
	for _, field := range path {
		object, _ := t.v.(map[string]any)
		t = tree{object[field]}
	}
	return t
}

// text is a string, a number as it was written, or a list of these in a row.
func (t tree) text() string {
	switch v := t.v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case []any:
		var parts []string
		for _, one := range v[:min(len(v), 50)] {
			if s, ok := one.(string); ok {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "；")
	}
	return ""
}

func (t tree) number() (float64, bool) {
	n, ok := t.v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil && domain.Finite(f)
}

// readAnalysis takes over what the worker says of a video. A section that is not
// there, or says that there is nothing, is None. It refuses an answer in which
// nothing is said at all.
func readAnalysis(body json.RawMessage) (Analysis, error) {
	t := parse(body)
	section := func(names ...string) string {
		for _, name := range names {
			if text := quote(t.at("digest", name).text(), maxSection); !nothing(text) {
				return text
			}
		}
		return None
	}
	d := library.Digest{
		ShotRhythm: section("shot_rhythm"), SpokenHook: section(SpokenHook),
		Captions: section("caption_points", Captions), Verdict: section(Verdict),
	}
	for _, at := range []tree{t.at(Highlight), t.at("digest", Highlight)} {
		if d.Highlight == library.Unrated {
			d.Highlight, d.HighlightWhy = readRating(at)
		}
	}
	a := Analysis{Analyser: WorkerAnalyser, Ruleset: WorkerRuleset, Report: paragraphs(t.at("report_markdown").text())}
	if source := quote(t.at("source").text(), maxSource); source != "" {
		a.Analyser += "/" + source
	}
	a.Digest = fit(named(d), domain.DigestTokens)
	if len(a.Digest.Missing) == len(library.Sections()) && a.Report == "" {
		return Analysis{}, errSilent()
	}
	return a, nil
}

// readRating takes a rating of the list that has a reason; Unrated otherwise.
func readRating(t tree) (library.Rating, string) {
	why := quote(t.at("reason").text(), maxSection)
	if nothing(why) {
		return library.Unrated, ""
	}
	switch strings.ToLower(strings.TrimSpace(t.at("rating").text())) {
	case "high", "高":
		return library.High, why
	case "medium", "中":
		return library.Medium, why
	case "low", "低":
		return library.Low, why
	}
	return library.Unrated, ""
}

// nothing says whether a section says that there is nothing.
func nothing(text string) bool {
	switch strings.ToLower(strings.Trim(text, " .。-—")) {
	case "", None, "none", "n/a", "null", "没有":
		return true
	}
	return false
}

func readReply(body json.RawMessage) (string, error) {
	answer := domain.Clip(paragraphs(parse(body).at("answer").text()), maxReply)
	if answer == "" {
		return "", errSilent()
	}
	return answer, nil
}

func (r FrameRequest) order() (framesOrder, error) {
	o := framesOrder{Times: slices.Clone(r.Times), Every: r.Every, Max: r.Max}
	if o.Max == 0 {
		o.Max = MaxFrames
	}
	bad := o.Max < 0 || o.Max > MaxFrames || len(o.Times) > o.Max || !domain.Finite(append(o.Times, o.Every)...) || o.Every < 0
	for _, at := range o.Times {
		bad = bad || at < 0 || at > MaxSeconds
	}
	if bad || (len(o.Times) > 0) == (o.Every > 0) {
		return o, domain.Errorf(domain.Invalid, "frames are asked for at times, or every so many seconds, at most %d of them", MaxFrames)
	}
	return o, nil
}

// readFrames leaves out what cannot be a picture of the video.
func readFrames(body json.RawMessage, most int) ([]Frame, error) {
	list, _ := parse(body).at("frames").v.([]any)
	var frames []Frame
	for _, v := range list {
		at, okTime := tree{v}.at("time_s").number()
		w, okWidth := tree{v}.at("width").number()
		h, okHeight := tree{v}.at("height").number()
		link, _ := tree{v}.at("url").v.(string)
		u, err := url.Parse(link)
		switch {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || len(link) > 4_000:
		case !okTime || at < 0 || at > MaxSeconds:
		case !okWidth || !okHeight || w < 1 || h < 1 || max(w, h) > MaxSide:
		case len(frames) < most:
			frames = append(frames, Frame{Seconds: at, URL: link, Width: int(w), Height: int(h)})
		}
	}
	if len(frames) == 0 {
		return nil, errSilent()
	}
	slices.SortStableFunc(frames, func(a, b Frame) int {
		switch {
		case a.Seconds < b.Seconds:
			return -1
		case a.Seconds > b.Seconds:
			return 1
		}
		return 0
	})
	return frames, nil
}
