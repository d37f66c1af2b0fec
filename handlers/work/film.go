package work

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/oklog/ulid/v2"

	"sozai/agents/catalogue"
	"sozai/agents/renderer"
	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
	"sozai/domain/step"
	"sozai/projections"
	"sozai/streams"
)

// film works on one film run.
func (w *Workers) film(ctx context.Context, job *streams.Job) {
	w.runJob(ctx, job, domain.ID(job.ID), func(ctx context.Context, b begun) (run.Finished, error) {
		f := &filming{w: w, key: job.Key, begun: b, film: filmID(b.run.ID)}
		return f.play(ctx)
	})
}

// filmID is the id of a run's film. It follows from the run alone, so that a run
// has one film whatever its attempts.
func filmID(run domain.ID) domain.ID {
	sum := sha256.Sum256([]byte("film\x00" + string(run)))
	var id ulid.ULID
	copy(id[6:], sum[:])
	if known, err := ulid.ParseStrict(string(run)); err == nil {
		copy(id[:6], known[:6]) // ids stay in the order of their runs
	}
	return domain.ID(id.String())
}

// filming is the memory of one attempt of a film run.
type filming struct {
	w     *Workers
	key   domain.Key
	begun begun
	film  domain.ID

	zh          bool
	constraints domain.Constraints // of the version that the run is pinned to
	board       projections.Board
	cards       []int // panels whose material has no file, drawn as cards
	cost        domain.Money
}

func (f *filming) play(ctx context.Context) (run.Finished, error) {
	if err := f.load(ctx); err != nil {
		return f.ended(""), err
	}
	made, err := f.w.Store.Film(ctx, f.key, f.film)
	if err == nil { // an earlier attempt got as far as this
		if job, err := f.job(ctx); err == nil {
			f.cost, _ = f.w.Renderer.Spent(ctx, job) // the film is there, whatever it cost
		}
		return f.done(made.Media), nil
	}
	if domain.CodeOf(err) != domain.NotFound {
		return f.ended(""), err
	}
	job, err := f.job(ctx)
	if err != nil {
		return f.ended(""), err
	}
	media, err := f.render(ctx, job)
	if ctx.Err() != nil {
		return f.ended(f.say("已停止，没有留下半成品。", "Stopped; nothing half-made is left.")), ctx.Err()
	}
	if err != nil {
		return f.ended(""), err
	}
	return f.done(media), nil
}

// load reads what the film is to be made of, as of this attempt's start or later.
func (f *filming) load(ctx context.Context) error {
	err := f.w.Log.View(ctx, f.key, func(s *streams.State) error {
		version, err := versionOf(s, f.begun.run.GeneVersion)
		f.constraints = version.Constraints
		f.zh = chinese(cmp.Or(version.Steer, version.Search, f.begun.run.Request.What, s.Agent.Brief, s.Agent.Name))
		return err
	})
	if err != nil {
		return err
	}
	if err := f.w.Store.Wait(ctx, f.begun.seq, projections.Library); err != nil {
		return err
	}
	request := f.begun.run.Request
	id := request.Board
	for _, cite := range request.Cites {
		if id == "" && cite.Type == domain.Board {
			id = cite.ID
		}
	}
	f.board, err = f.w.Store.Board(ctx, f.key, id)
	if domain.CodeOf(err) == domain.NotFound {
		return domain.Errorf(domain.NotFound, "要成片的方案不在了 · the board to be filmed is not there")
	}
	return err
}

// job is the board as the renderer takes it.
func (f *filming) job(ctx context.Context) (renderer.Job, error) {
	job := renderer.Job{
		Product: f.key.Product, Agent: f.key.Agent, Run: f.begun.run.ID, Attempt: f.begun.attempt,
		Title: f.board.Title, Aspect: f.constraints.Aspect,
		Dropped: func() bool { return errors.Is(context.Cause(ctx), errCancelled) },
	}
	if f.w.Renderer == nil {
		return job, domain.Errorf(domain.Unavailable, "没有配置渲染器 · no renderer is configured")
	}
	total := 0.0
	for _, p := range f.board.Panels {
		total += p.Seconds
		panel := renderer.Panel{Number: p.Number, Caption: p.Caption, Seconds: p.Seconds, From: p.From, To: p.To}
		if p.Material != "" {
			media, err := f.media(ctx, p)
			if err != nil {
				return job, err
			}
			if panel.Hash = media.Hash; media.Hash == "" {
				f.cards = append(f.cards, p.Number)
			} else if panel.Clip, err = f.clip(p, media.Hash); err != nil {
				return job, err
			}
		}
		job.Panels = append(job.Panels, panel)
	}
	if most := f.constraints.MaxFilmSeconds; most > 0 && total > float64(most)+0.05 {
		return job, domain.Errorf(domain.Unprocessable,
			"方案共 %.1f 秒，硬性约束是最长 %d 秒 · the board is %.1f s long, the gene allows %d s", total, most, total, most)
	}
	return job, nil
}

// media is the file of the material or asset that a panel shows.
func (f *filming) media(ctx context.Context, p library.Panel) (library.Media, error) {
	material, err := f.w.Store.Material(ctx, f.key, p.Material)
	if err == nil {
		return material.Media, nil
	}
	if domain.CodeOf(err) != domain.NotFound {
		return library.Media{}, err
	}
	asset, err := f.w.Store.Asset(ctx, f.key, p.Material)
	if domain.CodeOf(err) == domain.NotFound {
		return library.Media{}, domain.Errorf(domain.Unprocessable,
			"第 %d 格引用的素材不是这个 Agent 的 · panel %d: its material is not this agent's", p.Number, p.Number)
	}
	return asset.Media, err
}

func (f *filming) clip(p library.Panel, hash string) (string, error) {
	file, err := f.w.Catalogue.Media(hash, catalogue.Original)
	if domain.CodeOf(err) == domain.NotFound {
		return "", domain.Errorf(domain.Unprocessable,
			"第 %d 格：素材的视频文件不在了 · panel %d: the video file of its material is gone", p.Number, p.Number)
	}
	return file.Path, err
}

// render makes the film, keeps its file and records it.
func (f *filming) render(ctx context.Context, job renderer.Job) (library.Media, error) {
	result, err := f.w.Renderer.Render(ctx, job, f.progress(ctx))
	f.cost = result.Cost
	if err != nil {
		return library.Media{}, err
	}
	defer result.Discard()
	file, err := os.Open(result.Path)
	if err != nil {
		return library.Media{}, fmt.Errorf("open film: %w", err)
	}
	defer file.Close()
	media, err := f.w.Catalogue.Keep(ctx, file)
	if err != nil {
		return media, fmt.Errorf("keep film: %w", err)
	}
	rendered := library.FilmRendered{
		Film: f.film, Board: f.board.Board, Run: f.begun.run.ID, Attempt: f.begun.attempt,
		GeneVersion: f.begun.run.GeneVersion, Media: media,
	}
	if err := rendered.Check(); err != nil {
		return media, err
	}
	return media, f.record(ctx, "film", rendered)
}

// filmProgress is the least time between two run.progressed of a run.
const filmProgress = 2 * time.Second

// progress records how many pictures are done. A report that cannot be written is
// only logged: it makes no row anywhere, and the run's end says more.
func (f *filming) progress(ctx context.Context) func(done, total int) {
	var last time.Time
	return func(done, total int) {
		now := f.w.now()
		if !last.IsZero() && now.Sub(last) < filmProgress {
			return
		}
		last = now
		p := step.Progressed{Run: f.begun.run.ID, Attempt: f.begun.attempt, Done: done, Target: total, Unit: "frames"}
		if err := f.record(ctx, fmt.Sprintf("progress-%d", now.UnixMilli()), p); err != nil && ctx.Err() == nil {
			f.w.Logger.Warn("progress not recorded", "run", f.begun.run.ID, "error", err)
		}
	}
}

// record appends a fact as this attempt, if it is still the live one. A fact that
// slips through all the same is told by its attempt, and not applied.
func (f *filming) record(ctx context.Context, part string, fact domain.Fact) error {
	id, attempt := f.begun.run.ID, f.begun.attempt
	err := f.w.Log.View(ctx, f.key, func(s *streams.State) error {
		if r := s.Run.Runs[id]; r == nil || !r.Live || r.Attempt != attempt {
			return errFenced
		}
		return nil
	})
	if err != nil {
		return err
	}
	cmd := streams.Command{ID: fmt.Sprintf("%s/%d/%s", id, attempt, part), Actor: domain.Worker(f.w.Name)}
	_, err = f.w.Log.Record(ctx, f.key, cmd, fact)
	return err
}

// ended is how a run ends that made no film; whoever holds it says why.
func (f *filming) ended(summary string) run.Finished {
	return run.Finished{Summary: summary, Usage: domain.Usage{Known: true}, Cost: f.cost}
}

// done is the end of a run whose film is recorded.
func (f *filming) done(media library.Media) run.Finished {
	end := f.ended(f.say("成片完成：%.1f 秒，%d 格，%d×%d。", "The film is done: %.1f s, %d panels, %d×%d. ",
		media.Seconds, len(f.board.Panels), media.Width, media.Height))
	if len(f.cards) > 0 {
		numbers := strings.Trim(fmt.Sprint(f.cards), "[]")
		end.Summary += f.say("第 %s 格的素材没有视频文件，用字幕卡代替。",
			"Panels %s show a caption card: their materials have no video file.", numbers)
	}
	end.Summary = strings.TrimSpace(end.Summary)
	end.Outcome, end.Reason = run.Done, run.ReasonFinished
	end.Products = []domain.Ref{{Type: domain.Film, ID: f.film}}
	return end
}

func (f *filming) say(zh, en string, args ...any) string {
	if f.zh {
		return fmt.Sprintf(zh, args...)
	}
	return fmt.Sprintf(en, args...)
}

// chinese says whether people of this agent write Chinese.
func chinese(text string) bool {
	return text == "" || strings.IndexFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0
}
