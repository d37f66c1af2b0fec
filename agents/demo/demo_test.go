package demo

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/catalogue"
	"sozai/agents/video"
)

func TestTheDemoIsVariedEnough(t *testing.T) {
	t.Parallel()
	list := specs()
	if len(list) < 40 {
		t.Fatalf("%d clips, want at least 40", len(list))
	}
	shapes, rates, sounds := map[string]int{}, map[int]int{}, map[string]int{}
	for _, s := range list {
		if d := s.seconds(); d < 4 || d > 12 {
			t.Errorf("%s lasts %.1f s", s.id, d)
		}
		for i := 1; i < len(s.scenes); i++ {
			if s.scenes[i] == s.scenes[i-1] {
				t.Errorf("%s shows %s twice in a row: that is no cut", s.id, s.scenes[i])
			}
		}
		shapes[shape(s)]++
		rates[s.fps]++
		sounds[s.sound]++
		if strings.TrimSpace(s.zh) == "" || strings.TrimSpace(s.en) == "" || len(s.tags) < 3 {
			t.Errorf("%s is not described in both languages", s.id)
		}
	}
	if shapes["9:16"] < len(list)*2/3 || shapes["1:1"] < 2 || shapes["16:9"] < 2 || len(rates) < 3 || sounds["none"] < 2 || sounds["hush"] < 2 {
		t.Fatalf("shapes %v, rates %v, sounds %v", shapes, rates, sounds)
	}
}

func shape(s spec) string {
	switch {
	case s.w < s.h:
		return "9:16"
	case s.w == s.h:
		return "1:1"
	}
	return "16:9"
}

// Every kind of drawing is in the clips that are made here.
func sample(t *testing.T) []spec {
	t.Helper()
	var out []spec
	left := drawings()
	for _, s := range specs() {
		n := len(left)
		for _, kind := range s.scenes {
			delete(left, kind)
		}
		if len(left) < n || s.sound == "none" && len(out) < 6 {
			out = append(out, s)
		}
	}
	if len(left) > 0 {
		t.Fatalf("no clip shows %v", left)
	}
	return out
}

func TestGeneratedClipsAreWhatTheySay(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "素材 'demo' 文件夹: 100%")
	if err := os.Mkdir(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, making+"1", "x"), 0o750); err != nil { // of a killed process
		t.Fatal(err)
	}
	list := sample(t)
	var steps []int
	clips, err := generate(t.Context(), dir, list, func(done, total int) { steps = append(steps, done*100+total) })
	if err != nil {
		t.Fatal(err)
	}
	if len(clips) != len(list) || len(steps) != len(list) || !slices.IsSorted(steps) {
		t.Fatalf("%d clips of %d, steps %v", len(clips), len(list), steps)
	}
	a, err := video.New(video.Config{})
	if err != nil {
		t.Fatal(err)
	}
	truths, hits, falses := 0, 0, 0
	for i, c := range clips {
		info, err := a.Probe(t.Context(), c.Path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Width != list[i].w || info.Height != list[i].h || math.Abs(info.Seconds-list[i].seconds()) > 0.2 || info.HasSound == (list[i].sound == "none") {
			t.Errorf("%s is %+v, want %+v", c.Item.External, info, list[i])
		}
		m, err := a.Measure(t.Context(), c.Path, info)
		if err != nil {
			t.Fatal(err)
		}
		hit, wrong := compare(c.Cuts, m.Cuts, list[i].fps)
		truths, hits, falses = truths+len(c.Cuts), hits+hit, falses+wrong
		if hit < len(c.Cuts) || wrong > 0 {
			t.Logf("%s: true %.2f, measured %.2f, scenes %v", c.Item.External, c.Cuts, m.Cuts, list[i].scenes)
		}
	}
	if float64(hits) < 0.95*float64(truths) || float64(falses) > 0.02*float64(truths) {
		t.Fatalf("%d of %d cuts found, %d false", hits, truths, falses)
	}

	plan, err := catalogue.Walk([]string{dir})
	if err != nil || len(plan.Problems) > 0 || len(plan.Imports) != len(clips) {
		t.Fatalf("the folder does not import: %+v %v", plan.Problems, err)
	}
	for i, p := range plan.Imports {
		if diff := cmp.Diff(clips[i].Item, p.Item); diff != "" || p.Path != clips[i].Path {
			t.Fatalf("imported as %s (-made +imported):\n%s", p.Path, diff)
		}
	}
	checkTrueCuts(t, filepath.Join(dir, Manifest), clips)

	before, err := os.Stat(clips[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := generate(t.Context(), dir, list, nil); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(clips[0].Path); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Fatalf("a clip that was there was made again (%v)", err)
	}
}

// checkTrueCuts reads the cuts that the manifest tells a checker.
func checkTrueCuts(t *testing.T, path string, clips []Clip) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, raw := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var l line
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(clips[i].Cuts, l.Cuts); diff != "" {
			t.Fatalf("%s: %s", l.ID, diff)
		}
	}
}

// compare counts the true cuts found within one picture and the false ones.
func compare(truth, found []float64, fps int) (hit, wrong int) {
	rest := slices.Clone(found)
	for _, at := range truth {
		i := slices.IndexFunc(rest, func(x float64) bool { return math.Abs(x-at) <= 1/float64(fps)+0.001 })
		if i >= 0 {
			hit++
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return hit, len(rest)
}

func TestAgentIsWrittenInBothLanguages(t *testing.T) {
	t.Parallel()
	p := Agent()
	for _, text := range []string{p.Search, p.Steer} {
		lines := strings.Split(text, "\n")
		if len(lines) < 4 {
			t.Fatalf("only %d lines", len(lines))
		}
		for _, l := range lines {
			if !strings.Contains(l, " / ") {
				t.Errorf("line in one language: %s", l)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"末日塔防最后一座炮塔": "末日塔防\n最后一座\n炮塔",
		"a bc def":   "a bc def",
		"alpha beta": "alpha\nbeta",
		"":           "",
	} {
		if got := wrap(in, 4); got != want {
			t.Errorf("wrap(%q) = %q, want %q", in, got, want)
		}
	}
}
