package work

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
)

// analyze works on one analyze run: the cited materials and assets, or all of the
// agent's that are not analysed.
func (w *Workers) analyze(ctx context.Context, job *streams.Job) {
	w.runJob(ctx, job, domain.ID(job.ID), func(ctx context.Context, b begun) (run.Finished, error) {
		return w.analyzing(job.Key, b).play(ctx)
	})
}

const (
	// analysesAtOnce is how many videos of a run are looked at together: the
	// worker's answer takes long, and costs this machine nothing.
	analysesAtOnce = 3
	// analyzeProgress is the least time between two run.progressed of a run.
	analyzeProgress = 2 * time.Second
)

// analyzing is the memory of one attempt of an analyze run.
type analyzing struct {
	w     *Workers
	key   domain.Key
	begun begun
	zh    bool
	todo  []analysisItem

	mu      sync.Mutex
	done    map[domain.ID]library.Rating // recorded, by every attempt
	base    int                          // of those, what is not in todo
	handled int                          // of todo
	exempt  int                          // without a video
	failed  map[string]int               // by reason
	missed  map[string]int               // only measured, by why the worker said nothing
	why     run.Reason                   // of the first that failed
	said    time.Time                    // of the last run.progressed
}

func (w *Workers) analyzing(key domain.Key, b begun) *analyzing {
	return &analyzing{w: w, key: key, begun: b, done: map[domain.ID]library.Rating{}, failed: map[string]int{}, missed: map[string]int{}}
}

// analysisItem is a material or an asset that is to be analysed.
type analysisItem struct {
	ref   domain.Ref
	media library.Media
	text  video.Text
}

func (a *analyzing) play(ctx context.Context) (run.Finished, error) {
	if err := a.load(ctx); err != nil {
		return a.ended(ctx, err), err
	}
	err := a.work(ctx)
	return a.ended(ctx, err), err
}

// work goes through what there is to do.
func (a *analyzing) work(ctx context.Context) error {
	a.progress(ctx)
	group, limited := errgroup.WithContext(ctx)
	group.SetLimit(analysesAtOnce)
	for _, item := range a.todo {
		if limited.Err() != nil {
			break
		}
		group.Go(func() error {
			err := a.understand(limited, item)
			a.mu.Lock()
			a.handled++
			a.mu.Unlock()
			a.progress(limited)
			return err
		})
	}
	err := group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// load finds out what there is to do, as of this attempt's start or later.
func (a *analyzing) load(ctx context.Context) error {
	request := a.begun.run.Request
	err := a.w.Log.View(ctx, a.key, func(s *streams.State) error {
		version, err := versionOf(s, a.begun.run.GeneVersion)
		a.zh = chinese(cmp.Or(request.What, version.Search, version.Steer, s.Agent.Brief, s.Agent.Name))
		return err
	})
	if err == nil {
		err = a.w.Store.Wait(ctx, a.begun.seq, projections.Library)
	}
	if err == nil && a.begun.attempt > 1 {
		err = a.recall(ctx)
	}
	if err == nil && len(request.Cites) > 0 {
		err = a.cited(ctx, request.Cites)
	} else if err == nil {
		err = a.everything(ctx)
	}
	a.base = len(a.done)
	for _, item := range a.todo {
		if _, again := a.done[item.ref.ID]; again {
			a.base--
		}
	}
	return err
}

// recall finds what this run's earlier attempts have recorded.
func (a *analyzing) recall(ctx context.Context) error {
	kinds := []domain.Kind{domain.KindLibrary}
	return a.w.Log.Read(ctx, a.begun.run.Seq, a.begun.seq, a.key, kinds, func(events []domain.Recorded) error {
		for _, r := range events {
			if e, ok := r.Event.(library.Analyzed); ok && e.Run == a.begun.run.ID {
				a.done[e.Material] = e.Digest.Highlight
			}
		}
		return nil
	})
}

// cited takes what the request names.
func (a *analyzing) cited(ctx context.Context, refs []domain.Ref) error {
	for _, ref := range refs {
		item, analysis, err := a.look(ctx, domain.Ref{Type: ref.Type, ID: ref.ID})
		switch {
		case domain.CodeOf(err) == domain.NotFound:
			a.fail(domain.Errorf(domain.Invalid, "不是这个 Agent 的 · not this agent's"))
		case domain.CodeOf(err) == domain.Invalid:
			a.fail(err)
		case err != nil:
			return err
		case item.media.Hash == "":
			a.exempt++
		case a.wanting(analysis):
			a.todo = append(a.todo, item)
		}
	}
	return nil
}

// everything takes all of the agent's that want an analysis, newest first.
func (a *analyzing) everything(ctx context.Context) error {
	const page = 500
	add := func(item analysisItem, analysis *projections.Analysis) {
		switch {
		case !a.wanting(analysis):
		case item.media.Hash == "":
			a.exempt++
		default:
			a.todo = append(a.todo, item)
		}
	}
	for before := uint64(0); ; {
		// Only a worker can improve on what is analysed already.
		list, err := a.w.Store.Materials(ctx, a.key, projections.MaterialFilter{
			Before: before, Limit: page, NoDigest: !a.w.Catalogue.HasWorker(),
		})
		if err != nil {
			return err
		}
		for _, m := range list {
			add(materialItem(m), m.Analysis)
			before = m.Seq
		}
		if len(list) < page {
			break
		}
	}
	for before := uint64(0); ; {
		list, err := a.w.Store.Assets(ctx, a.key, projections.ListPage{Before: before, Limit: page})
		if err != nil {
			return err
		}
		for _, asset := range list {
			add(assetItem(asset), asset.Analysis)
			before = asset.Seq
		}
		if len(list) < page {
			return nil
		}
	}
}

func materialItem(m projections.Material) analysisItem {
	return analysisItem{
		ref:   domain.Ref{Type: domain.Material, ID: m.Material},
		media: m.Media, text: video.Text{Title: m.Title, Tags: m.Tags},
	}
}

func assetItem(a projections.Asset) analysisItem {
	return analysisItem{ref: domain.Ref{Type: domain.Asset, ID: a.Asset}, media: a.Media, text: video.Text{Title: a.Title}}
}

// look reads an object and its analysis as they are now.
func (a *analyzing) look(ctx context.Context, ref domain.Ref) (analysisItem, *projections.Analysis, error) {
	switch ref.Type {
	case domain.Material:
		m, err := a.w.Store.Material(ctx, a.key, ref.ID)
		return materialItem(m), m.Analysis, err
	case domain.Asset:
		asset, err := a.w.Store.Asset(ctx, a.key, ref.ID)
		return assetItem(asset), asset.Analysis, err
	}
	return analysisItem{}, nil, domain.Errorf(domain.Invalid, "只有素材和资产可以分析 · only materials and assets can be analysed")
}

// wanting says whether an object has no analysis, or one that was only measured
// while there is a worker to ask.
func (a *analyzing) wanting(analysis *projections.Analysis) bool {
	return analysis == nil || a.w.Catalogue.HasWorker() && analysis.Analyser == video.LocalAnalyser
}

// understand analyses one object and records it, unless somebody else has
// meanwhile. What is wrong with one object does not end the run.
func (a *analyzing) understand(ctx context.Context, item analysisItem) error {
	_, before, err := a.look(ctx, item.ref)
	if err == nil && !a.wanting(before) {
		return nil
	}
	var made video.Analysis
	if err == nil {
		who := video.Who{Product: a.key.Product, Agent: a.key.Agent, Run: a.begun.run.ID, Attempt: a.begun.attempt}
		made, err = a.w.Catalogue.For(who).AnalyseMedia(ctx, item.media, item.text)
	}
	fact := made.Fact(item.ref.ID)
	fact.Run, fact.Attempt = a.begun.run.ID, a.begun.attempt
	better := before == nil || before.Analyser != fact.Analyser || before.Ruleset != fact.Ruleset
	if err == nil && better {
		if err = fact.Check(); err == nil {
			if err := a.record(ctx, "analyzed-"+string(item.ref.ID), fact); err != nil {
				return err
			}
			a.w.Logger.Info("video analysed", "run", a.begun.run.ID, "object", item.ref.ID, "analyser", fact.Analyser)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.w.Logger.Warn("video not analysed", "run", a.begun.run.ID, "object", item.ref.ID, "error", err)
		a.fail(err)
		return nil
	}
	if better {
		a.done[item.ref.ID] = fact.Digest.Highlight
	}
	if made.Missed != nil {
		a.missed[a.ours(made.Missed.Reason)]++
	}
	return nil
}

// record appends a fact as this attempt, if it is still the live one. A fact that
// slips through all the same is told by its attempt, and not applied.
func (a *analyzing) record(ctx context.Context, part string, fact domain.Fact) error {
	id, attempt := a.begun.run.ID, a.begun.attempt
	err := a.w.Log.View(ctx, a.key, func(s *streams.State) error {
		if r := s.Run.Runs[id]; r == nil || !r.Live || r.Attempt != attempt {
			return errFenced
		}
		return nil
	})
	if err != nil {
		return err
	}
	cmd := streams.Command{ID: fmt.Sprintf("%s/%d/%s", id, attempt, part), Actor: domain.Worker(a.w.Name)}
	_, err = a.w.Log.Record(ctx, a.key, cmd, fact)
	return err
}

// progress records how many objects are through, if it is time for that. A report
// that cannot be written is only logged: it makes no row anywhere, and the run's
// end says more.
func (a *analyzing) progress(ctx context.Context) {
	now := a.w.now()
	a.mu.Lock()
	if now.Sub(a.said) < analyzeProgress || ctx.Err() != nil {
		a.mu.Unlock()
		return
	}
	a.said = now
	p := step.Progressed{
		Run: a.begun.run.ID, Attempt: a.begun.attempt, Unit: "videos",
		Done: a.base + a.handled, Target: a.base + len(a.todo),
	}
	a.mu.Unlock()
	if err := a.record(ctx, fmt.Sprintf("progress-%d", now.UnixMilli()), p); err != nil && ctx.Err() == nil {
		a.w.Logger.Warn("progress not recorded", "run", a.begun.run.ID, "error", err)
	}
}
