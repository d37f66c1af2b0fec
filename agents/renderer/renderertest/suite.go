package renderertest

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sozai/agents/renderer"
	"sozai/domain"
)

// ShortSide is that of the suite's films.
const ShortSide = 144

// Subject is a renderer under test, of films with ShortSide, and its data folder.
type Subject struct {
	Renderer renderer.Renderer
	Dir      string
}

// Run plays the suite on renderers that open makes.
func Run(t *testing.T, clips *Clips, open func(t *testing.T) Subject) {
	for name, test := range map[string]func(t *testing.T, clips *Clips, s Subject){
		"a film is as promised":        asPromised,
		"wide films":                   wideFilm,
		"hostile captions":             hostile,
		"thirty panels":                thirtyPanels,
		"a panel that cannot be drawn": brokenPanel,
		"what cannot be a film":        impossible,
		"cancelled":                    cancelled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			test(t, clips, s)
			s.empty(t)
		})
	}
}

// job is a film of the panels, numbered, for a run of its own.
func job(run string, panels ...renderer.Panel) renderer.Job {
	for i := range panels {
		panels[i].Number = i + 1
	}
	return renderer.Job{Product: "p", Agent: "a", Run: domain.ID(run), Attempt: 1, Title: "片子", Panels: panels}
}

func (c Clip) panel(seconds, from, to float64, caption string) renderer.Panel {
	return renderer.Panel{Clip: c.Path, Hash: c.Hash, Seconds: seconds, From: from, To: to, Caption: caption}
}

// render makes a film and checks its length, its size and what progress said.
func (s Subject) render(t *testing.T, j renderer.Job) renderer.Result {
	t.Helper()
	last, total := -1, 0
	r, err := s.Renderer.Render(t.Context(), j, func(done, of int) {
		if done < last || done > of {
			t.Errorf("progress went from %d to %d of %d", last, done, of)
		}
		last, total = done, of
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Discard)
	if last != total || total != r.Frames || total == 0 {
		t.Errorf("progress ended at %d of %d, the film has %d", last, total, r.Frames)
	}
	want := 0.0
	for _, p := range j.Panels {
		want += p.Seconds
	}
	info, err := Analyzer(t).Probe(t.Context(), r.Path)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(info.Seconds-want) > 0.1 {
		t.Errorf("the film is %.3f s long, %.3f were promised", info.Seconds, want)
	}
	if info.Width != r.Width || info.Height != r.Height || !info.HasSound {
		t.Errorf("the film is %d×%d, sound %v; said were %d×%d", info.Width, info.Height, info.HasSound, r.Width, r.Height)
	}
	return r
}

// empty checks that nothing was left in the data folder.
func (s Subject) empty(t *testing.T) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(s.Dir, "films", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func asPromised(t *testing.T, clips *Clips, s Subject) {
	r := s.render(t, job("promised",
		clips.Tall.panel(1.27, 0.5, 0, "最后一座炮塔"),
		clips.Tall.panel(0.8, 0.5, 3, ""),
		clips.Wide.panel(1.1, 1.5, 1.9, "its range is too short"),
		renderer.Panel{Seconds: 0.7, Caption: "下载"},
	))
	if r.Width != ShortSide || r.Height != ShortSide*16/9 {
		t.Errorf("the film is %d×%d", r.Width, r.Height)
	}
	if got, want := streams(t, r.Path), "h264,yuv420p,30/1\naac,0/0"; got != want {
		t.Errorf("streams are %q, want %q", got, want)
	}
	raw, err := os.ReadFile(r.Path)
	if err != nil {
		t.Fatal(err)
	}
	if head := string(raw); !strings.Contains(head, "moov") || strings.Index(head, "moov") > strings.Index(head, "mdat") {
		t.Error("the film cannot be played before all of it has come")
	}
	// The first two panels show the same flat red, the first with a caption.
	with, without := gray(t, r.Path, "0.6"), gray(t, r.Path, "1.7")
	lower := r.Width * r.Height * 2 / 3
	if upper := difference(with[:lower/2], without[:lower/2]); upper > 2 {
		t.Errorf("the upper half differs by %.1f", upper)
	}
	if caption := difference(with[lower:], without[lower:]); caption < 3 {
		t.Errorf("the caption's part differs by %.1f only", caption)
	}
	// The third is another clip, the fourth a card that is as dark as said.
	if clip, card := mean(gray(t, r.Path, "2.6")[:lower/2]), mean(gray(t, r.Path, "3.6")[:lower/2]); card > 70 || clip == card {
		t.Errorf("clip and card are as light as %.1f and %.1f", clip, card)
	}
	r.Discard()
}

func wideFilm(t *testing.T, clips *Clips, s Subject) {
	j := job("wide", clips.Tall.panel(0.5, 0, 0, "wide"))
	j.Aspect = "16:9"
	r := s.render(t, j)
	if r.Width != ShortSide*16/9 || r.Height != ShortSide {
		t.Errorf("the film is %d×%d", r.Width, r.Height)
	}
	r.Discard()
}

// hostileCaptions try to leave their filter, to be expanded, to overflow, or not
// to be text at all.
func hostileCaptions() []string {
	return []string{
		`%{pts} %{e\:1+1} %%` + "\n" + `':enable=0,drawbox=t=fill,drawtext=text='x` + "\n" + `a:b=c;[v]null[w],\'\\`,
		"../../etc/passwd\x00\x1b[31m\r\n\t", strings.Repeat("很长的字幕，", 300), strings.Repeat("W", 500),
		"\u202Eright to left\u202C مرحبا 🎉🔥👨‍👩‍👧", "\xff\xfe", " \n\n ",
	}
}

func hostile(t *testing.T, clips *Clips, s Subject) {
	var panels []renderer.Panel
	for _, caption := range hostileCaptions() {
		panels = append(panels, renderer.Panel{Seconds: 0.3, Caption: caption})
	}
	panels[0] = clips.Tall.panel(0.3, 0, 0, panels[0].Caption)
	s.render(t, job("hostile", panels...)).Discard()
}

func thirtyPanels(t *testing.T, clips *Clips, s Subject) {
	var panels []renderer.Panel
	for i := range 30 {
		switch i % 5 {
		case 0:
			panels = append(panels, clips.Tall.panel(0.37, float64(i)/10, 0, ""))
		default:
			panels = append(panels, renderer.Panel{Seconds: 0.23})
		}
	}
	s.render(t, job("thirty", panels...)).Discard()
}

func brokenPanel(t *testing.T, clips *Clips, s Subject) {
	for _, bad := range []renderer.Panel{clips.Broken.panel(1, 0, 0, ""), clips.Wide.panel(1, 2.5, 3.5, "")} {
		r, err := s.Renderer.Render(t.Context(), job("bad"+bad.Hash, clips.Tall.panel(1, 0, 0, "fine"), bad), func(int, int) {})
		r.Discard()
		if !errors.Is(err, renderer.ErrPanel) || !strings.Contains(err.Error(), "panel 2") || !strings.Contains(err.Error(), "第 2 格") {
			t.Errorf("the error does not name panel 2: %v", err)
		}
	}
}

func impossible(t *testing.T, clips *Clips, s Subject) {
	square := job("square", clips.Tall.panel(1, 0, 0, ""))
	square.Aspect = "3:2"
	for name, j := range map[string]renderer.Job{
		"no panels":    job("none"),
		"no length":    job("zero", renderer.Panel{Seconds: 0}),
		"not a number": job("nan", renderer.Panel{Seconds: math.NaN()}),
		"no picture":   job("short", renderer.Panel{Seconds: 0.001}),
		"too long":     job("long", renderer.Panel{Seconds: renderer.MaxSeconds + 1}),
		"no range":     job("range", clips.Tall.panel(1, 2, 1, "")),
		"no aspect":    square,
	} {
		r, err := s.Renderer.Render(t.Context(), j, func(int, int) {})
		r.Discard()
		if code := domain.CodeOf(err); code != domain.Unprocessable && code != domain.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func cancelled(t *testing.T, clips *Clips, s Subject) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	long := job("cancelled", clips.Tall.panel(300, 0, 0, "long"))
	var asked time.Time
	r, err := s.Renderer.Render(ctx, long, func(done, _ int) {
		if done > 0 && asked.IsZero() {
			asked = time.Now()
			cancel()
		}
	})
	r.Discard()
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if took := time.Since(asked); took > 2*time.Second {
		t.Errorf("stopped after %s", took)
	}
}

// difference is the mean difference of two pictures.
func difference(a, b []byte) float64 {
	sum := 0.0
	for i := range a {
		sum += math.Abs(float64(a[i]) - float64(b[i]))
	}
	return sum / float64(len(a))
}

func mean(a []byte) float64 {
	sum := 0.0
	for _, v := range a {
		sum += float64(v)
	}
	return sum / float64(len(a))
}
