package rehearsal

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

const (
	boardPages  = 3  // pages of materials that are read at most
	boardViews  = 10 // videos that are looked at
	viewAtOnce  = 4
	boardTries  = 3   // boards that are written before it gives up
	boardLength = 15. // seconds, if nobody says
	shortestCut = 0.5
)

// boardTask is what the first message of a board run says.
type boardTask struct {
	What       string                 `json:"what"`
	Why        string                 `json:"why"`
	MaxSeconds float64                `json:"max_seconds"`
	MustUse    []footage              `json:"must_use"`
	Base       *boardBase             `json:"base"`
	Keep       []struct{ Number int } `json:"keep"`
	Change     []int                  `json:"change"`
}

type boardBase struct {
	Title string `json:"title"`
}

// footage is a video that panels may be cut from.
type footage struct {
	Material string  `json:"material"`
	Title    string  `json:"title"`
	Seconds  float64 `json:"seconds"`
	Rating   string  `json:"highlight"`
	Verdict  string  `json:"verdict"`
	Likes    int     `json:"likes"`
	Dislikes int     `json:"dislikes"`
	Boards   int     `json:"boards"`
	Must     bool    `json:"must_use"`

	score  float64
	out    bool // what the gene avoids, or people dislike
	viewed bool
	failed bool      // it cannot be looked at
	scenes []stretch // between cuts
	used   []stretch
}

type stretch struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// basePanel is a panel of the base board as read_board shows it.
type basePanel struct {
	Number   int     `json:"number"`
	Caption  string  `json:"caption"`
	Seconds  float64 `json:"seconds"`
	Material string  `json:"material"`
	From     float64 `json:"from"`
	To       float64 `json:"to"`
	Keep     bool    `json:"must_keep"`
	Change   bool    `json:"to_change"`
}

// story is a board run, worked out anew each round from the transcript.
type story struct {
	t        transcript
	task     boardTask
	zh       bool
	name     string
	steer    string
	concepts []concept
	items    []*footage // as listed, what was named first
	byID     map[string]*footage
	base     []basePanel
	title    string // of the base board
	page     int
	pages    int
	refused  int
}

var (
	steerBlock = regexp.MustCompile(`(?s)<creative_rules[^>]*>(.*?)</creative_rules>`)
	agentBlock = regexp.MustCompile(`(?s)<agent>\s*([^\n<]*)`)
	faultLines = regexp.MustCompile(`panel (\d+):`)
)

// playBoard decides the next round of a board run: read, look, write.
func playBoard(t transcript) move {
	b := newStory(t)
	b.replay()
	hurry := strings.Contains(t.hints, "Start nothing new")
	if b.page == 0 && !b.gaveUp("read_materials") || b.task.Base != nil && len(b.base) == 0 && !b.gaveUp("read_board") {
		return b.open()
	}
	if !hurry && b.page < min(b.pages, boardPages) && len(b.good()) < boardViews {
		return move{calls: []call{{"read_materials", map[string]int{"page": b.page + 1}}}}
	}
	if todo := b.toView(); !hurry && len(todo) > 0 {
		return move{calls: todo}
	}
	if b.refused >= boardTries {
		return move{text: phrase{"方案一再被退回，写不下去了。", "The board was refused again and again; it cannot be written."}.in(b.zh)}
	}
	panels := b.plan()
	if len(panels) == 0 {
		return move{text: phrase{"没有能用的素材，写不成方案。", "There is no usable material to write a board from."}.in(b.zh)}
	}
	return move{
		text:  phrase{"素材看过了，写方案。", "The material is known; writing the board."}.in(b.zh),
		calls: []call{{"write_board", map[string]any{"title": b.heading(), "why": b.reason(panels), "panels": panels}}},
	}
}

func newStory(t transcript) *story {
	b := &story{t: t, byID: map[string]*footage{}}
	for _, text := range t.asked {
		if m := taskBlock.FindStringSubmatch(text); m != nil {
			_ = json.Unmarshal([]byte(m[1]), &b.task) // a task that does not parse names nothing
		}
	}
	search := ""
	for _, block := range []struct {
		find *regexp.Regexp
		into *string
	}{{steerBlock, &b.steer}, {searchBlock, &search}, {agentBlock, &b.name}} {
		if m := block.find.FindStringSubmatch(t.system); m != nil {
			*block.into = strings.TrimSpace(m[1])
		}
	}
	if b.steer == "（空）" {
		b.steer = ""
	}
	b.zh = chinese(cmp.Or(b.task.What, b.steer, search, b.name))
	b.concepts = merge(append(append(concepts(b.task.What, 1.5), concepts(b.steer, 0.8)...), concepts(search, 1)...))
	return b
}

// open reads what there is: the base board where there is one, and materials.
func (b *story) open() move {
	var calls []call
	if b.task.Base != nil && len(b.base) == 0 && !b.gaveUp("read_board") {
		calls = append(calls, call{"read_board", struct{}{}})
	}
	if b.page == 0 && !b.gaveUp("read_materials") {
		calls = append(calls, call{"read_materials", map[string]int{"page": 1}})
	}
	return move{text: phrase{"先看手上有什么。", "First a look at what there is."}.in(b.zh), calls: calls}
}

// gaveUp says whether a tool has failed so often that it is not asked again.
func (b *story) gaveUp(tool string) bool {
	_, refusals := b.t.tried(tool)
	return refusals >= 2
}

// replay reads what the calls so far have brought.
func (b *story) replay() {
	for _, d := range b.t.calls {
		switch d.tool {
		case "read_materials":
			var out struct {
				Page  int       `json:"page"`
				Pages int       `json:"pages"`
				Items []footage `json:"items"`
			}
			if !d.failed && decode(d.output, &out) {
				b.page, b.pages = max(b.page, out.Page), out.Pages
				b.list(out.Items)
			}
		case "read_board":
			var out struct {
				Title  string      `json:"title"`
				Panels []basePanel `json:"panels"`
			}
			if !d.failed && decode(d.output, &out) {
				b.title, b.base = out.Title, out.Panels
			}
		case "view_material":
			b.view(d)
		case "write_board":
			if d.failed {
				b.refused++
				b.avoid(d)
			}
		}
	}
	for _, f := range b.task.MustUse { // named, but on none of the pages read
		if f.Must = true; b.byID[f.Material] == nil && b.page > 0 {
			b.list([]footage{f})
		}
	}
	redone := b.redone()
	for _, p := range b.base { // what stays is not shown twice
		if f := b.byID[p.Material]; f != nil && !redone[p.Number] {
			f.used = append(f.used, stretch{p.From, p.To})
		}
	}
}

func (b *story) list(items []footage) {
	for _, it := range items {
		if b.byID[it.Material] != nil {
			continue
		}
		f := &it
		score, _, out := fit(b.concepts, it.Title+"\n"+it.Verdict, nil)
		f.score, f.out = score, out && !it.Must
		switch it.Rating {
		case "high":
			f.score += 3
		case "medium":
			f.score += 1.5
		case "low":
			f.score--
		}
		f.score += 2 * float64(min(it.Likes-it.Dislikes, 3))
		f.out = f.out || it.Dislikes > it.Likes && !it.Must
		if it.Boards > 0 {
			f.score -= 0.3 // something that was not shown yet is worth more
		}
		b.byID[it.Material] = f
		b.items = append(b.items, f)
	}
}

func (b *story) view(d done) {
	var in struct {
		Material string `json:"material"`
	}
	var out struct {
		Seconds float64   `json:"seconds"`
		Scenes  []stretch `json:"scenes"`
	}
	if json.Unmarshal(d.input, &in) != nil || b.byID[in.Material] == nil {
		return
	}
	f := b.byID[in.Material]
	if f.viewed = true; d.failed || !decode(d.output, &out) {
		f.failed = true
		return
	}
	f.scenes = out.Scenes
}

// avoid gives up the videos of the panels that a refusal names.
func (b *story) avoid(d done) {
	var in struct {
		Panels []struct {
			Material string `json:"material"`
		} `json:"panels"`
	}
	if json.Unmarshal(d.input, &in) != nil {
		return
	}
	for _, m := range faultLines.FindAllStringSubmatch(d.output, -1) {
		var n int
		if json.Unmarshal([]byte(m[1]), &n) == nil && n >= 1 && n <= len(in.Panels) {
			if f := b.byID[in.Panels[n-1].Material]; f != nil && !f.Must {
				f.failed = true
			}
		}
	}
}

// good are the videos worth using, best first, what was named before all others.
// Where nothing else is left, what people dislike is used all the same.
func (b *story) good() []*footage {
	var out []*footage
	for _, lenient := range []bool{false, true} {
		for _, f := range b.items {
			if !f.failed && (!f.out || lenient) && f.Seconds >= shortestCut {
				out = append(out, f)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	slices.SortStableFunc(out, func(x, y *footage) int {
		if x.Must != y.Must {
			return map[bool]int{true: -1, false: 1}[x.Must]
		}
		return cmp.Compare(y.score, x.score)
	})
	return out
}

// toView are the next looks at what will probably be used.
func (b *story) toView() []call {
	var calls []call
	good := b.good()
	for _, f := range good[:min(len(good), max(boardViews, len(b.task.MustUse)))] {
		if !f.viewed && len(calls) < viewAtOnce {
			calls = append(calls, call{"view_material", map[string]string{"material": f.Material}})
		}
	}
	return calls
}
