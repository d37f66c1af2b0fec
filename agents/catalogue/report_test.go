package catalogue

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/effect"
	"sozai/agents/video"
	"sozai/agents/video/videotest"
	"sozai/domain"
	"sozai/domain/library"
)

// asked is a catalogue with a worker, and one entry that has a file.
type asked struct {
	*bundle
	service *videotest.Service
	entry   Entry
	ledger  effect.Memory
}

func setupWorker(t *testing.T) *asked {
	t.Helper()
	a := &asked{bundle: setup(t)}
	a.entry = a.add(t, "p", Item{External: "1", Title: "塔防"}, clip(t, "red", "mp4")).Entry
	host := videotest.NewHost(t)
	file, err := a.Media(a.entry.Media.Hash, Original)
	if err != nil {
		t.Fatal(err)
	}
	host.Add(t, file.Path)
	var address string
	a.service, address = videotest.NewService(t)
	a.conf.Worker, err = video.NewWorker(video.WorkerConfig{
		URL: address, Key: a.service.Key, Ledger: &a.ledger, SignURL: host.Sign, Price: a.service.Price, Backoff: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	a.reopen(t)
	return a
}

// reopen is another process on the same tables.
func (a *asked) reopen(t *testing.T) {
	t.Helper()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a.open(t)
}

func (a *asked) analyse(t *testing.T, who video.Who) video.Analysis {
	t.Helper()
	got, err := a.For(who).AnalyseMedia(t.Context(), a.entry.Media, a.entry.Text())
	if err != nil {
		t.Fatal(err)
	}
	videotest.Check(t, got)
	return got
}

func TestAFileIsReportedOnOnce(t *testing.T) {
	t.Parallel()
	a := setupWorker(t)
	ctx := t.Context()
	// Without anybody who may ask, it is only measured.
	plain, err := a.AnalyseMedia(ctx, a.entry.Media, a.entry.Text())
	if err != nil || plain.Analyser != video.LocalAnalyser || plain.Report != "" || a.service.Counts().Requests != 0 {
		t.Fatalf("%+v, %v", plain, err)
	}
	if e, err := a.Get(ctx, "p", a.entry.ID); err != nil || e.Analysis != nil {
		t.Fatalf("it counts as analysed: %+v, %v", e.Analysis, err)
	}
	r1 := video.Who{Product: "p", Agent: "a", Run: "r1", Attempt: 1}
	results := make([]video.Analysis, 3)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() { results[i] = a.analyse(t, r1) })
	}
	all.Wait()
	paid := 0
	for i := range results {
		if results[i].Cost > 0 {
			paid++
		}
		results[i].Cost = 0
	}
	got := results[0]
	if paid != 1 || cmp.Diff(got, results[1]) != "" || cmp.Diff(got, results[2]) != "" {
		t.Fatalf("%d paid: %+v", paid, results)
	}
	if got.Analyser != "worker/gemini-mai" || !strings.HasPrefix(got.Digest.ShotRhythm, plain.Digest.ShotRhythm) || got.Digest.Highlight != library.High ||
		got.Digest.HighlightWhy != "第 2 秒的反转让人停下来。" || got.Report == "" || len(got.Digest.Missing) != 0 || cmp.Diff(plain.Metrics, got.Metrics) != "" {
		t.Fatalf("%+v", got)
	}
	// Everybody has it now, and nobody pays again: another run, another process,
	// those who may not ask, and the entry itself.
	a.reopen(t)
	if diff := cmp.Diff(got, a.analyse(t, video.Who{Product: "q", Run: "r2"})); diff != "" {
		t.Error(diff)
	}
	if again, err := a.AnalyseMedia(ctx, a.entry.Media, a.entry.Text()); err != nil || cmp.Diff(got, again) != "" {
		t.Errorf("%+v, %v", again, err)
	}
	if e, err := a.Get(ctx, "p", a.entry.ID); err != nil || e.Analysis == nil || cmp.Diff(got, *e.Analysis) != "" {
		t.Errorf("%+v, %v", e.Analysis, err)
	}
	if c := a.service.Counts(); c.Requests != 1 || c.Charged != a.service.Price {
		t.Errorf("%+v", c)
	}
	for run, want := range map[domain.ID]domain.Money{"r1": a.service.Price, "r2": 0, "": 0} {
		if cost, err := a.Spent(ctx, run); err != nil || cost != want {
			t.Errorf("run %q spent %d, %v", run, cost, err)
		}
	}
}

func TestWhatTheWorkerMissesIsMeasuredAndImprovedLater(t *testing.T) {
	t.Parallel()
	a := setupWorker(t)
	a.service.Set(videotest.Faults{Throttled: 1, RetryAfter: "300"})
	got := a.analyse(t, video.Who{Product: "p"})
	if got.Analyser != video.LocalAnalyser || got.Missed == nil || got.Missed.Final || got.Missed.RetryAfter != 300 ||
		!strings.Contains(got.Missed.Reason, "pause") {
		t.Fatalf("%+v %+v", got, got.Missed)
	}
	var reason string
	var tries int
	row := a.pool.QueryRow(t.Context(), `SELECT reason, tries FROM catalogue.reports WHERE state = 'failed'`)
	if err := row.Scan(&reason, &tries); err != nil || reason != got.Missed.Reason || tries != 1 {
		t.Fatalf("%q %d %v", reason, tries, err)
	}
	if e, err := a.Get(t.Context(), "p", a.entry.ID); err != nil || e.Analysis == nil {
		t.Fatalf("a search would ask again and again: %v", err)
	}
	if got := a.analyse(t, video.Who{Product: "p", Run: "later"}); got.Missed != nil || got.Analyser != "worker/gemini-mai" || got.Cost != a.service.Price {
		t.Fatalf("%+v", got)
	}
	var state string
	row = a.pool.QueryRow(t.Context(), `SELECT state, reason, tries FROM catalogue.reports`)
	if err := row.Scan(&state, &reason, &tries); err != nil || state != "done" || reason != "" || tries != 2 {
		t.Fatalf("%s %q %d %v", state, reason, tries, err)
	}
}

func TestWhatTheWorkerRefusesForGoodIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	a := setupWorker(t)
	a.service.Set(videotest.Faults{Status: 422, Type: "blocked"})
	for range 3 {
		if got := a.analyse(t, video.Who{Product: "p"}); got.Missed == nil || !got.Missed.Final || got.Analyser != video.LocalAnalyser {
			t.Fatalf("%+v", got)
		}
		a.reopen(t)
	}
	if n := a.service.Counts().Requests; n != 1 {
		t.Fatalf("asked %d times", n)
	}
}

// What a caller leaves behind goes on; one that has no time to wait is told so.
func TestTheWorkerGoesOnWithoutItsCaller(t *testing.T) {
	t.Parallel()
	a := setupWorker(t)
	if _, err := a.AnalyseMedia(t.Context(), a.entry.Media, a.entry.Text()); err != nil { // measured
		t.Fatal(err)
	}
	a.service.Set(videotest.Faults{Hang: true})
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := a.For(video.Who{}).AnalyseMedia(ctx, a.entry.Media, a.entry.Text())
		gone <- err
	}()
	<-a.service.Arrived()
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	short, cancelShort := context.WithTimeout(t.Context(), handIn+20*time.Millisecond)
	defer cancelShort()
	got, err := a.For(video.Who{}).AnalyseMedia(short, a.entry.Media, a.entry.Text())
	if err != nil || got.Missed == nil || !strings.Contains(got.Missed.Reason, "still at it") {
		t.Fatalf("%+v, %v", got, err)
	}
	a.service.Release()
	if got := a.analyse(t, video.Who{}); got.Missed != nil || got.Report == "" || a.service.Counts().Requests != 1 {
		t.Fatalf("%+v after %+v", got, a.service.Counts())
	}
}

// A process that ends while the worker is at it: the next one gets that analysis.
func TestAReportOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	a := setupWorker(t)
	a.service.Set(videotest.Faults{Hang: true})
	gone := make(chan error, 1)
	go func() {
		_, err := a.For(video.Who{Run: "r", Attempt: 1}).AnalyseMedia(context.WithoutCancel(t.Context()), a.entry.Media, a.entry.Text())
		gone <- err
	}()
	<-a.service.Arrived()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-gone; err == nil {
		t.Fatal("an analysis without an answer")
	}
	a.service.Release()
	a.reopen(t)
	if got := a.analyse(t, video.Who{Run: "r", Attempt: 2}); got.Cost != a.service.Price || a.service.Counts().Analyses != 1 {
		t.Fatalf("%+v after %+v", got, a.service.Counts())
	}
}
