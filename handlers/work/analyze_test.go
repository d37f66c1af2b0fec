package work

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/agents/catalogue"
	"sozai/agents/effect"
	"sozai/agents/rehearsal"
	"sozai/agents/video"
	"sozai/agents/video/videotest"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections/projectionstest"
	"sozai/streams"
)

// shelf is a room with old stock: two materials and an asset with files that
// nobody has looked at, and a catalogue.
type shelf struct {
	*studio // without a renderer
	pool    *pgxpool.Pool
	host    *videotest.Host
	ledger  effect.Memory
	files   []domain.ID // materials with a file, oldest first
	clips   []library.Media
}

func openShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{
		studio: &studio{room: openTestRoom(t, rehearsal.New(0)), dir: t.TempDir()},
		pool:   projectionstest.Migrated(t), host: videotest.NewHost(t),
	}
	s.w.Catalogue = s.catalogue(nil)
	for _, hue := range []string{"0", "60", "120"} {
		path := videotest.Clip(t, hue)
		s.host.Add(t, path)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		media, err := s.w.Catalogue.Keep(t.Context(), f)
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		s.clips = append(s.clips, media)
	}
	return s
}

// stock saves the old materials and the asset.
func (s *shelf) stock() {
	s.t.Helper()
	maker := s.finishedSearch()
	for i, media := range s.clips {
		id := s.s.Log.NewID()
		if i == len(s.clips)-1 {
			s.asset = id
			s.record(library.AssetUploaded{Asset: id, Title: "ours", File: "a.mp4", Media: media})
			continue
		}
		s.files = append(s.files, id)
		s.record(s.saved(id, maker, media))
	}
	s.caughtUp()
}

func (s *shelf) saved(id, maker domain.ID, media library.Media) library.Saved {
	return library.Saved{
		Material: id, Run: maker, Attempt: 1, GeneVersion: 1, Source: "fast", External: string(id), Title: "爆破", Media: media,
	}
}

// catalogue is that of a process, with a worker or without.
func (s *shelf) catalogue(worker video.Analyser) *catalogue.Catalogue {
	s.t.Helper()
	analyzer, err := video.New(video.Config{})
	if err != nil {
		s.t.Fatal(err)
	}
	dir := s.t.TempDir()
	if err := os.Symlink(s.dir, filepath.Join(dir, "media")); err != nil { // the media are shared, the index is not
		s.t.Fatal(err)
	}
	c, err := catalogue.Open(s.t.Context(), catalogue.Config{Pool: s.pool, Dir: dir, Video: analyzer, Worker: worker})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	return c
}

// worker is the outside worker and a process's way to it.
func (s *shelf) worker() (*videotest.Service, *video.Worker) {
	s.t.Helper()
	service, address := videotest.NewService(s.t)
	w, err := video.NewWorker(video.WorkerConfig{
		URL: address, Key: service.Key, Ledger: &s.ledger, SignURL: s.host.Sign, Price: service.Price, Backoff: time.Millisecond,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return service, w
}

// analyze asks for a run about refs, or about everything.
func (s *shelf) analyze(refs ...domain.Ref) domain.ID {
	s.t.Helper()
	id := s.s.Log.NewID()
	s.decide(func(st *streams.State, now time.Time) ([]domain.Decision, error) {
		return st.Run.Request(run.Requested{Run: id, Work: run.Analyze, Trigger: run.Hand, Request: run.Request{Cites: refs}}, now)
	})
	if err := s.w.offerRun(s.t.Context(), s.key, id); err != nil {
		s.t.Fatal(err)
	}
	return id
}

// analyses lets a process work on analyze runs until stop.
func (w *Workers) analyses(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = w.Queue.Consume(ctx, w.Deployment, streams.Analyze, nil, 1, w.analyze)
	}()
	stop = sync.OnceFunc(func() { cancel(); <-gone })
	t.Cleanup(stop)
	return stop
}

// analysed lists the analyses of a run by object, and its progress.
func (s *shelf) analysed(id domain.ID) (made map[domain.ID][]library.Analyzed, progress []step.Progressed) {
	s.t.Helper()
	made = map[domain.ID][]library.Analyzed{}
	kinds := []domain.Kind{domain.KindLibrary, domain.KindStep}
	err := s.s.Log.Read(s.t.Context(), 0, 0, s.key, kinds, func(events []domain.Recorded) error {
		for _, r := range events {
			switch e := r.Event.(type) {
			case library.Analyzed:
				if e.Run == id {
					made[e.Material] = append(made[e.Material], e)
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
	return made, progress
}

func TestAnalyze(t *testing.T) {
	t.Parallel()
	s := openShelf(t)
	s.stock()
	maker, absent, lost := s.finishedSearch(), s.s.Log.NewID(), s.s.Log.NewID()
	s.record(s.saved(absent, maker, library.Media{}))
	s.record(s.saved(lost, maker, library.Media{Hash: strings.Repeat("0a", 32), Type: "video/mp4", Seconds: 3}))
	stop := s.w.analyses(t)

	// Without a worker: measured, each once; what cannot be is counted with its reason.
	first := s.analyze()
	f := s.ended(first)
	made, progress := s.analysed(first)
	want := "分析了 3 条视频（3 条亮点评级为高）；1 条失败（文件不在了 × 1）；1 条没有视频文件，免分析。"
	if f.Outcome != run.Done || f.Reason != run.ReasonFinished || f.Summary != want || f.Cost != 0 || !f.Usage.Known || len(made) != 3 {
		t.Fatalf("%+v with %d", f, len(made))
	}
	for id, list := range made {
		if len(list) != 1 || list[0].Attempt != 1 || list[0].Analyser != video.LocalAnalyser || list[0].Metrics == nil {
			t.Errorf("%s: %+v", id, list)
		}
	}
	if len(progress) == 0 || progress[0] != (step.Progressed{Run: first, Attempt: 1, Target: 4, Unit: "videos"}) {
		t.Errorf("%+v", progress)
	}
	s.caughtUp()
	if m, err := s.w.Store.Material(t.Context(), s.key, s.files[0]); err != nil || m.Analysis == nil || m.Rating != made[s.files[0]][0].Digest.Highlight {
		t.Errorf("%+v, %v", m, err)
	}
	// Nothing is left; cited objects are looked at by name.
	for want, refs := range map[string][]domain.Ref{
		"没有要分析的视频；1 条没有视频文件，免分析。": {{Type: domain.Material, ID: s.files[1]}, {Type: domain.Asset, ID: s.asset}, {Type: domain.Material, ID: absent}},
		"2 条失败（不是这个 Agent 的 × 1，只有素材和资产可以分析 × 1）。": {
			{Type: domain.Material, ID: "stranger"}, {Type: domain.Board, ID: "b"},
		},
	} {
		f := s.ended(s.analyze(refs...))
		if f.Summary != want || (f.Outcome == run.Failed) != strings.Contains(want, "失败") || f.Outcome == run.Failed && f.Reason != run.ReasonInput {
			t.Errorf("%+v, want %s", f, want)
		}
	}
	stop()
	s.improve()
}

// improve is what a worker adds, later, to what was only measured.
func (s *shelf) improve() {
	t := s.t
	service, worker := s.worker()
	s.w.Catalogue = s.catalogue(worker)
	s.w.analyses(t)
	service.Set(videotest.Faults{Throttled: 1, RetryAfter: "600"})
	refs := []domain.Ref{{Type: domain.Material, ID: s.files[0]}}
	f := s.ended(s.analyze(refs...))
	if f.Outcome != run.Done || f.Summary != "1 条只有本地测量（视频分析服务要求暂停 × 1）。" || f.Cost != 0 {
		t.Fatalf("%+v", f)
	}
	service.Set(videotest.Faults{})
	id := s.analyze()
	f = s.ended(id)
	made, _ := s.analysed(id)
	want := "分析了 3 条视频（3 条亮点评级为高）；1 条失败（文件不在了 × 1）；1 条没有视频文件，免分析。"
	if f.Outcome != run.Done || f.Summary != want || f.Cost != 3*service.Price || len(made) != 3 || service.Counts().Analyses != 3 {
		t.Fatalf("%+v with %d after %+v", f, len(made), service.Counts())
	}
	s.caughtUp()
	m, err := s.w.Store.Material(t.Context(), s.key, s.files[0])
	if err != nil || m.Rating != library.High || m.Analysis.Digest.HighlightWhy == "" || m.Analysis.Report == "" || m.Analysis.Analyser != "worker/gemini-mai" {
		t.Errorf("%+v, %v", m.Analysis, err)
	}
	if f := s.ended(s.analyze()); service.Counts().Requests != 4 || f.Cost != 0 || f.Outcome != run.Failed || f.Reason != run.ReasonInput {
		t.Errorf("%+v after %+v", f, service.Counts()) // only the lost file is left
	}
	s.stops(service)
}

// stops ends a run within two seconds of being asked; what is done stays.
func (s *shelf) stops(service *videotest.Service) {
	t := s.t
	service.Set(videotest.Faults{Hang: true})
	path := videotest.Clip(t, "240")
	s.host.Add(t, path)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	media, err := s.w.Catalogue.Keep(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	s.record(s.saved(s.s.Log.NewID(), s.finishedSearch(), media))
	id := s.analyze()
	<-service.Arrived()
	asked := time.Now()
	s.decide(func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Run.RequestCancel(id, "person")
	})
	end := s.ended(id)
	if took := time.Since(asked); took > 2*time.Second {
		t.Errorf("stopped after %s", took)
	}
	if made, _ := s.analysed(id); end.Outcome != run.Cancelled || !strings.HasPrefix(end.Summary, "已停止，做完的都留下了") || len(made) != 0 {
		t.Errorf("%+v with %d", end, len(made))
	}
}

// A worker dies with one of three videos recorded and the next with the outside
// worker: the run ends as if it had not, and nothing is analysed or paid twice.
func TestAnalyzeOfALostAttempt(t *testing.T) {
	t.Parallel()
	s := openShelf(t)
	s.stock()
	service, worker := s.worker()
	first, kill := newWorkers(t, s.s, "first")
	first.Store, first.Catalogue = s.w.Store, s.catalogue(worker)

	// The dying attempt: one video is through, the others hang.
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan struct{})
	there := make(chan struct{})
	go func() {
		defer close(gone)
		_ = first.Queue.Consume(ctx, first.Deployment, streams.Analyze, nil, 1, func(ctx context.Context, job *streams.Job) {
			first.runJob(ctx, job, domain.ID(job.ID), func(ctx context.Context, b begun) (run.Finished, error) {
				a := first.analyzing(job.Key, b)
				if err := a.load(ctx); err != nil {
					return run.Finished{}, err
				}
				if err := a.understand(ctx, a.todo[0]); err != nil {
					return run.Finished{}, err
				}
				service.Set(videotest.Faults{Hang: true})
				close(there)
				a.todo = a.todo[1:]
				return run.Finished{}, a.work(ctx)
			})
		})
	}()
	t.Cleanup(sync.OnceFunc(func() { cancel(); <-gone }))
	id := s.analyze()
	<-there
	for range 2 {
		<-service.Arrived()
	}
	kill()
	if err := first.Catalogue.Close(); err != nil { // its calls break off
		t.Fatal(err)
	}
	service.Release()

	second, _ := newWorkers(t, s.s, "second")
	second.Store, second.Catalogue = s.w.Store, s.catalogue(worker)
	second.analyses(t)
	f := s.ended(id)
	made, _ := s.analysed(id)
	if f.Attempt != 2 || f.Outcome != run.Done || f.Summary != "分析了 3 条视频（3 条亮点评级为高）。" || f.Cost != 3*service.Price {
		t.Errorf("%+v", f)
	}
	attempts := map[int]int{}
	for object, list := range made {
		if len(list) != 1 {
			t.Errorf("%s is analysed %d times", object, len(list))
		}
		attempts[list[0].Attempt]++
	}
	if diff := cmp.Diff(map[int]int{1: 1, 2: 2}, attempts); diff != "" {
		t.Error(diff)
	}
	if c := service.Counts(); c.Analyses != 3 || c.Charged != 3*service.Price {
		t.Errorf("%+v", c)
	}
}
