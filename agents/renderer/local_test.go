package renderer_test

import (
	"bytes"
	"os"
	"testing"

	"sozai/agents/renderer"
	"sozai/agents/renderer/renderertest"
)

func newLocal(t testing.TB, dir string) *renderer.Local {
	t.Helper()
	l, err := renderer.NewLocal(renderer.LocalConfig{Dir: dir, Video: renderertest.Analyzer(t), ShortSide: renderertest.ShortSide})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLocal(t *testing.T) {
	t.Parallel()
	renderertest.Run(t, renderertest.NewClips(t), func(t *testing.T) renderertest.Subject {
		dir := t.TempDir()
		return renderertest.Subject{Renderer: newLocal(t, dir), Dir: dir}
	})
}

// Another attempt makes the same bytes, so the media store has one file of them.
func TestSameJobSameFilm(t *testing.T) {
	t.Parallel()
	clips := renderertest.NewClips(t)
	var films [][]byte
	for attempt := 1; attempt <= 2; attempt++ {
		job := renderer.Job{Attempt: attempt, Panels: []renderer.Panel{
			{Number: 1, Seconds: 0.6, Clip: clips.Tall.Path, Caption: "一样"}, {Number: 2, Seconds: 0.4},
		}}
		r, err := newLocal(t, t.TempDir()).Render(t.Context(), job, ignore)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(r.Path)
		if err != nil {
			t.Fatal(err)
		}
		r.Discard()
		films = append(films, raw)
	}
	if !bytes.Equal(films[0], films[1]) {
		t.Error("the films differ")
	}
}
