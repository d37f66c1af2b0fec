package renderer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sozai/agents/effect"
	"sozai/agents/fetch"
	"sozai/agents/video"
	"sozai/domain"
)

// RemoteConfig is what a remote renderer stands on. All fields are required
// unless they say otherwise.
type RemoteConfig struct {
	URL    string // of the service, without a slash at its end
	Token  string // "" = none
	Dir    string // data folder; films are fetched into <Dir>/films
	Ledger effect.Ledger
	Fetch  *fetch.Fetcher
	Video  *video.Analyzer // looks at what the service made
	// SignURL gives the service a while to read one of our media files.
	SignURL   func(hash string, ttl time.Duration) (string, error)
	ShortSide int           // of the film, in pixels; 0 = 720
	Poll      time.Duration // between two looks; 0 = a second
	Patience  time.Duration // with a service that does not answer; 0 = two minutes
	Longest   time.Duration // that a render may take; 0 = half an hour
}

// Remote renders with an outside service. An order is placed once a run and
// content, through the ledger: another attempt goes on with the same render.
// Ordering is repeatable, since the service knows the order by its key; so an
// attempt that died while it ordered keeps nobody from going on.
type Remote struct {
	base, token             string
	dir                     string
	ledger                  effect.Ledger
	fetch                   *fetch.Fetcher
	video                   *video.Analyzer
	sign                    func(hash string, ttl time.Duration) (string, error)
	short                   int
	poll, patience, longest time.Duration
	request                 time.Duration // one request may take
	client                  *http.Client
}

// NewRemote checks the configuration and removes what killed processes left.
func NewRemote(c RemoteConfig) (*Remote, error) {
	if u, err := url.Parse(c.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, domain.Errorf(domain.Invalid, "the render service's address does not lead to the web")
	}
	r := &Remote{
		base: strings.TrimRight(c.URL, "/"), token: c.Token, dir: filepath.Join(c.Dir, "films"), ledger: c.Ledger,
		fetch: c.Fetch, video: c.Video, sign: c.SignURL, short: c.ShortSide,
		poll: c.Poll, patience: c.Patience, longest: c.Longest, request: 20 * time.Second,
		client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	for d, or := range map[*time.Duration]time.Duration{&r.poll: time.Second, &r.patience: 2 * time.Minute, &r.longest: 30 * time.Minute} {
		if *d == 0 {
			*d = or
		}
	}
	if r.short == 0 {
		r.short = 720
	}
	return r, prepare(r.dir)
}

// Name implements Renderer.
func (r *Remote) Name() string { return "remote" }

// Render implements Renderer.
func (r *Remote) Render(ctx context.Context, job Job, progress func(done, total int)) (Result, error) {
	p, err := newPlan(job, r.short)
	if err != nil {
		return Result{}, err
	}
	limited, cancel := context.WithTimeout(ctx, r.longest)
	defer cancel()
	key, asked := orderKey(job, p), false
	made, err := r.place(limited, job, p, key, &asked)
	if err == nil {
		progress(0, p.frames)
		var link string
		if link, err = r.await(limited, made.ID, p.frames, progress); err == nil {
			var result Result
			if result, err = r.receive(limited, link, p); err == nil {
				result.Cost = made.Cost
				progress(p.frames, p.frames)
				return result, nil
			}
		}
	}
	switch {
	case ctx.Err() != nil:
		if (asked || made.ID != "") && (job.Dropped == nil || job.Dropped()) {
			r.drop(ctx, made.ID, p, job, key)
		}
		return Result{Cost: made.Cost}, ctx.Err()
	case limited.Err() != nil:
		err = domain.Errorf(domain.Unavailable, "渲染服务 %s 内没有做完 · the render service did not finish within %s", r.longest, r.longest)
	}
	return Result{Cost: made.Cost}, err
}

// Spent implements Renderer.
func (r *Remote) Spent(ctx context.Context, job Job) (domain.Money, error) {
	p, err := newPlan(job, r.short)
	if err != nil {
		return 0, err
	}
	nothing := false
	made, err := r.remember(ctx, job, orderKey(job, p), func(context.Context) (effect.Done, error) {
		nothing = true
		return effect.Done{}, effect.ErrNotDone
	})
	if nothing {
		return 0, nil
	}
	return made.Cost, err
}

// await looks at a render until it is done and returns where the film lies.
func (r *Remote) await(ctx context.Context, id string, frames int, progress func(done, total int)) (link string, err error) {
	shown := 0
	for {
		var s state
		err := r.patiently(ctx, func() error {
			s = state{}
			return r.call(ctx, http.MethodGet, "/renders/"+url.PathEscape(id), "", nil, &s)
		})
		if errors.Is(err, errForgotten) {
			err = domain.Errorf(domain.Unavailable, "渲染服务不认得这次渲染了 · the render service has lost this render")
		}
		if err != nil {
			return "", err
		}
		switch s.State {
		case stateDone:
			return s.URL, nil
		case stateFailed:
			if s.Error == nil {
				s.Error = &problem{}
			}
			return "", s.Error.refusal()
		case stateQueued, stateRendering:
		default:
			return "", domain.Errorf(domain.Unavailable, "渲染服务的回答看不懂 · the render service's answer makes no sense")
		}
		if s.Total > 0 && s.Done > 0 {
			share := min(1, float64(s.Done)/float64(s.Total))
			if done := min(int(share*float64(frames)), frames-1); done > shown {
				shown = done
				progress(done, frames)
			}
		}
		if err := wait(ctx, r.poll); err != nil {
			return "", err
		}
	}
}

// patiently repeats what the service could not answer, when it says so, until
// patience is over.
func (r *Remote) patiently(ctx context.Context, ask func() error) error {
	until := time.Now().Add(r.patience)
	for pause := r.poll; ; pause = min(2*pause, 15*time.Second) {
		err := ask()
		var away *awayError
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !errors.As(err, &away) {
			return err
		}
		next := max(pause, away.after)
		if time.Now().Add(next).After(until) {
			return domain.Errorf(domain.Unavailable, "渲染服务现在不可用 · the render service is not available: %s", away.why)
		}
		if err := wait(ctx, next); err != nil {
			return err
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// receive fetches the film and checks that it is what was ordered.
func (r *Remote) receive(ctx context.Context, link string, p plan) (result Result, err error) {
	f, err := openFolder(r.dir)
	if err != nil {
		return Result{}, err
	}
	defer func() {
		if err != nil {
			f.remove()
		}
	}()
	var refusal *domain.Error
	err = r.patiently(ctx, func() error {
		err := r.download(ctx, link, f.file(filmFile))
		if errors.As(err, &refusal) && errors.Is(err, fetch.ErrAway) {
			return &awayError{why: refusal.Message}
		}
		return err
	})
	switch {
	case errors.As(err, &refusal) && refusal.Code != domain.Unavailable:
		return Result{}, domain.Errorf(domain.Unavailable, "渲染服务的成片取不到 · the render service's film cannot be fetched: %s", refusal.Message)
	case err != nil:
		return Result{}, err
	}
	info, err := r.video.Probe(ctx, f.file(filmFile))
	switch want := float64(p.frames) / FPS; {
	case errors.As(err, &refusal):
		return Result{}, domain.Errorf(domain.Unavailable, "渲染服务交来的文件不能用 · the render service's film cannot be used: %s", refusal.Message)
	case err != nil:
		return Result{}, err
	case math.Abs(info.Seconds-want) > 0.1, info.Width != p.w, info.Height != p.h, info.Codec != "h264":
		return Result{}, domain.Errorf(domain.Unavailable, "渲染服务交来的不是订的那一部 · the render service's film is %s, %d×%d, %.2f s instead of h264, %d×%d, %.2f s",
			info.Codec, info.Width, info.Height, info.Seconds, p.w, p.h, want)
	}
	return Result{Path: f.file(filmFile), Frames: p.frames, Width: p.w, Height: p.h, folder: f}, nil
}

func (r *Remote) download(ctx context.Context, link, to string) (err error) {
	from, err := r.fetch.Open(ctx, link)
	if err != nil {
		return fmt.Errorf("fetch film: %w", err)
	}
	defer from.Close()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("fetch film: %w", err)
	}
	defer func() {
		if cerr := file.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("fetch film: %w", cerr)
		}
	}()
	if _, err := io.Copy(file, from); err != nil {
		return fmt.Errorf("fetch film: %w", err)
	}
	return nil
}

// goodbye is how long a film that nobody wants may still take.
const goodbye = 1500 * time.Millisecond

// drop tells the service to stop. An order that was cut off has no id yet: the
// same key again tells it.
func (r *Remote) drop(ctx context.Context, id string, p plan, job Job, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	if id == "" {
		o, err := r.order(job, p)
		var made ordered
		if err != nil || r.call(ctx, http.MethodPost, "/renders", key, o, &made) != nil || made.ID == "" {
			return
		}
		id = made.ID
	}
	_ = r.call(ctx, http.MethodDelete, "/renders/"+url.PathEscape(id), "", nil, nil) // it will end unseen
}
