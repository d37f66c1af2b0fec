package work

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sozai/agents/catalogue"
	"sozai/agents/rehearsal"
	"sozai/agents/renderer"
	"sozai/agents/renderer/renderertest"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/projections/projectionstest"
	"sozai/streams"
)

// studio is a room that films: a catalogue, a renderer of small films, a material
// and an asset with files, and one without.
type studio struct {
	*room
	dir                     string
	material, asset, absent domain.ID
}

func openStudio(t *testing.T) *studio {
	t.Helper()
	s := &studio{room: openTestRoom(t, rehearsal.New(0)), dir: t.TempDir()}
	analyzer := renderertest.Analyzer(t)
	cat, err := catalogue.Open(t.Context(), catalogue.Config{Pool: projectionstest.Migrated(t), Dir: s.dir, Video: analyzer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cat.Close() })
	local, err := renderer.NewLocal(renderer.LocalConfig{Dir: s.dir, Video: analyzer, ShortSide: renderertest.ShortSide})
	if err != nil {
		t.Fatal(err)
	}
	s.w.Catalogue, s.w.Renderer = cat, local
	clips := renderertest.NewClips(t)
	keep := func(clip renderertest.Clip) library.Media {
		f, err := os.Open(clip.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		media, err := cat.Keep(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		return media
	}
	maker := s.finishedSearch()
	s.material, s.asset, s.absent = s.s.Log.NewID(), s.s.Log.NewID(), s.s.Log.NewID()
	saved := func(id domain.ID, media library.Media) library.Saved {
		return library.Saved{
			Material: id, Run: maker, Attempt: 1, GeneVersion: 1, Source: "fast", External: string(id), Title: "爆破", Media: media,
		}
	}
	s.record(saved(s.material, keep(clips.Tall)), saved(s.absent, library.Media{}),
		library.AssetUploaded{Asset: s.asset, Title: "ours", File: "a.mp4", Media: keep(clips.Wide)})
	return s
}

// finishedSearch is a run whose attempt is live, so that it may save.
func (s *studio) finishedSearch() domain.ID {
	id := s.s.Log.NewID()
	s.decide(func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.Request(run.Requested{Run: id, Work: run.Search, Trigger: run.Hand}, now)
	})
	s.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) { return st.Run.Start(id, 1, 1) })
	return id
}

func (s *studio) record(facts ...domain.Fact) {
	s.t.Helper()
	cmd := streams.Command{ID: string(s.s.Log.NewID()), Actor: person}
	if _, err := s.s.Log.Record(context.WithoutCancel(s.t.Context()), s.key, cmd, facts...); err != nil {
		s.t.Fatal(err)
	}
}

// board is a new board of the panels, numbered.
func (s *studio) board(panels ...library.Panel) domain.ID {
	s.t.Helper()
	for i := range panels {
		panels[i].Number = i + 1
	}
	id := s.s.Log.NewID()
	maker := s.finishedSearch()
	s.record(library.BoardCreated{Board: id, Run: maker, Attempt: 1, GeneVersion: 1, Title: "方案", Panels: panels})
	return id
}

// ask requests a film of a board and offers it to the workers.
func (s *studio) ask(board domain.ID) domain.ID {
	s.t.Helper()
	id := s.s.Log.NewID()
	s.decide(func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.Request(run.Requested{Run: id, Work: run.Film, Trigger: run.Hand, Request: run.Request{
			Cites: []domain.Ref{{Type: domain.Board, ID: board}},
		}}, now)
	})
	if err := s.w.offerRun(s.t.Context(), s.key, id); err != nil {
		s.t.Fatal(err)
	}
	return id
}

// films serves film runs as a process does, with do, until stop.
func (w *Workers) films(t *testing.T, do func(context.Context, *streams.Job)) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = w.Queue.Consume(ctx, w.Deployment, streams.Film, nil, 1, do)
	}()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return stop
}

func (s *studio) ended(id domain.ID) run.Finished {
	s.t.Helper()
	within(s.t, "the run ends", func() bool { return finishedOf(s.t, s.s, s.key, id) != nil })
	return *finishedOf(s.t, s.s, s.key, id)
}

// facts lists the library and step facts of a run.
func (s *studio) facts(id domain.ID) (films []library.FilmRendered, progress []step.Progressed) {
	s.t.Helper()
	kinds := []domain.Kind{domain.KindLibrary, domain.KindStep}
	err := s.s.Log.Read(s.t.Context(), 0, 0, s.key, kinds, func(events []domain.Recorded) error {
		for _, r := range events {
			switch e := r.Event.(type) {
			case library.FilmRendered:
				if e.Run == id {
					films = append(films, e)
				}
			case step.Progressed:
				if e.Run == id {
					progress = append(progress, e)
				}
			}
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return films, progress
}

// tidy checks that no film is half made.
func (s *studio) tidy() {
	s.t.Helper()
	if left, err := filepath.Glob(filepath.Join(s.dir, "films", "*")); err != nil || len(left) > 0 {
		s.t.Errorf("left behind: %v %v", left, err)
	}
}

func TestFilm(t *testing.T) {
	t.Parallel()
	s := openStudio(t)
	s.w.films(t, s.w.film)
	id := s.ask(s.board(
		library.Panel{Caption: "守住", Seconds: 0.7, Material: s.material, From: 1, To: 2},
		library.Panel{Caption: "ours", Seconds: 0.5, Material: s.asset},
		library.Panel{Caption: "gone", Seconds: 0.4, Material: s.absent},
		library.Panel{Caption: "下载", Seconds: 0.4},
	))
	f := s.ended(id)
	want := "成片完成：2.0 秒，4 格，144×256。第 3 格的素材没有视频文件，用字幕卡代替。"
	if f.Outcome != run.Done || f.Reason != run.ReasonFinished || f.Summary != want || f.Cost != 0 || !f.Usage.Known ||
		len(f.Products) != 1 || f.Products[0] != (domain.Ref{Type: domain.Film, ID: filmID(id)}) {
		t.Fatalf("ended as %+v", f)
	}
	films, progress := s.facts(id)
	if len(films) != 1 || films[0].Film != filmID(id) || films[0].Media.Seconds != 2 || films[0].GeneVersion != 1 {
		t.Fatalf("films are %+v", films)
	}
	if _, err := s.w.Catalogue.Media(films[0].Media.Hash, catalogue.Original); err != nil {
		t.Error(err)
	}
	if len(progress) == 0 || progress[0] != (step.Progressed{Run: id, Attempt: 1, Done: 0, Target: 60, Unit: "frames"}) {
		t.Errorf("progress is %+v", progress)
	}
	s.tidy()
	s.refusals()
	s.cancel()
}

// refusals ends runs that cannot be filmed with the reason, and without a film.
func (s *studio) refusals() {
	t := s.t
	lost := s.s.Log.NewID()
	s.record(library.AssetUploaded{Asset: lost, Title: "lost", File: "a.mp4", Media: library.Media{
		Hash: strings.Repeat("0a", 32), Type: "video/mp4", Seconds: 3,
	}})
	for _, test := range []struct {
		panels []library.Panel
		says   string
	}{
		{nil, "方案不在了"},
		{[]library.Panel{{Seconds: 1}, {Seconds: 1, Material: "stranger"}}, "第 2 格"},
		{[]library.Panel{{Seconds: 1, Material: lost}}, "第 1 格"},
		{[]library.Panel{{Seconds: 1}, {Seconds: 1}, {Seconds: 1, Material: s.material, From: 60, To: 61}}, "第 3 格"},
		{[]library.Panel{{Seconds: renderer.MaxSeconds + 1}}, "600"},
	} {
		board := domain.ID("nowhere")
		if test.panels != nil {
			board = s.board(test.panels...)
		}
		id := s.ask(board)
		f := s.ended(id)
		if films, _ := s.facts(id); f.Outcome != run.Failed || f.Reason != run.ReasonInput || !strings.Contains(f.Summary, test.says) || len(films) != 0 {
			t.Errorf("%+v ended as %+v with %v", test.panels, f, films)
		}
		s.tidy()
	}
}

// cancel stops a long film within two seconds.
func (s *studio) cancel() {
	t := s.t
	id := s.ask(s.board(library.Panel{Caption: "long", Seconds: 500, Material: s.material}))
	within(t, "it is being rendered", func() bool { _, p := s.facts(id); return len(p) > 0 })
	asked := time.Now()
	s.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Run.RequestCancel(id, "person")
	})
	f := s.ended(id)
	if took := time.Since(asked); took > 2*time.Second {
		t.Errorf("stopped after %s", took)
	}
	films, _ := s.facts(id)
	if f.Outcome != run.Cancelled || f.Reason != run.ReasonCancelled || f.Summary != "已停止，没有留下半成品。" || len(films) != 0 {
		t.Errorf("ended as %+v with %v", f, films)
	}
	s.tidy()
}

// counted counts the films that it is asked for.
type counted struct {
	renderer.Renderer
	renders atomic.Int32
}

func (c *counted) Render(ctx context.Context, job renderer.Job, progress func(done, total int)) (renderer.Result, error) {
	c.renders.Add(1)
	return c.Renderer.Render(ctx, job, progress)
}

// A worker that dies while it renders, or after it has recorded the film, leaves
// a run that ends as if it had not died: with one film.
func TestFilmOfALostAttempt(t *testing.T) {
	t.Parallel()
	s := openStudio(t)
	board := s.board(library.Panel{Caption: "守住", Seconds: 0.5, Material: s.material})
	for name, test := range map[string]struct {
		before  bool // it dies before it renders
		renders int32
	}{
		"rendering": {true, 1},
		"recorded":  {false, 0},
	} {
		first, kill := newWorkers(t, s.s, "first "+name)
		first.Store, first.Catalogue, first.Renderer = s.w.Store, s.w.Catalogue, s.w.Renderer
		there, gone := make(chan struct{}), make(chan struct{})
		stop := first.films(t, func(ctx context.Context, job *streams.Job) {
			first.runJob(ctx, job, domain.ID(job.ID), func(ctx context.Context, b begun) (f run.Finished, err error) {
				if !test.before {
					f, err = (&filming{w: first, key: s.key, begun: b, film: filmID(b.run.ID)}).play(ctx)
				}
				close(there)
				<-gone
				return f, err
			})
		})
		id := s.ask(board)
		select {
		case <-there:
		case <-time.After(deadline):
			t.Fatal("the first attempt did not get there")
		}
		kill()
		second, _ := newWorkers(t, s.s, "second "+name)
		local := &counted{Renderer: s.w.Renderer}
		second.Store, second.Catalogue, second.Renderer = s.w.Store, s.w.Catalogue, local
		stopSecond := second.films(t, second.film)
		f := s.ended(id)
		close(gone)
		stop()
		stopSecond()
		films, _ := s.facts(id)
		if f.Outcome != run.Done || f.Attempt != 2 || f.Summary != "成片完成：0.5 秒，1 格，144×256。" || len(films) != 1 || local.renders.Load() != test.renders {
			t.Errorf("%s: ended as %+v with %d films, rendered again %d times", name, f, len(films), local.renders.Load())
		}
		last, err := s.s.Log.Last(t.Context())
		if err == nil {
			err = s.w.Store.Wait(t.Context(), last, projections.Library)
		}
		if err != nil {
			t.Fatal(err)
		}
		listed, err := s.w.Store.Films(t.Context(), s.key, projections.ListPage{Run: id})
		if err != nil || len(listed) != 1 || listed[0].Film != filmID(id) || listed[0].Board != board {
			t.Errorf("%s: listed are %+v, %v", name, listed, err)
		}
		s.tidy()
	}
}
