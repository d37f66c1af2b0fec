package renderer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"sozai/agents/effect"
	"sozai/domain"
)

// orderKey names an order by its run and what is to be seen: a board that was
// edited between two attempts is another film.
func orderKey(job Job, p plan) string {
	sum := sha256.New()
	fmt.Fprintln(sum, p.w, p.h, p.frames)
	for _, s := range p.shots {
		fmt.Fprintf(sum, "%d %q %g %s %g %g\n", s.Number, s.Caption, s.Seconds, s.Hash, s.From, s.To)
	}
	return fmt.Sprintf("render/%s/%s/%s", job.Product, job.Run, hex.EncodeToString(sum.Sum(nil)[:12]))
}

// place orders the film, or finds the order of an earlier attempt. asked says
// that the service may have heard of it.
func (r *Remote) place(ctx context.Context, job Job, p plan, key string, asked *bool) (ordered, error) {
	return r.remember(ctx, job, key, func(ctx context.Context) (effect.Done, error) {
		o, err := r.order(job, p)
		if err != nil {
			return effect.Done{}, err
		}
		var made ordered
		*asked = true
		err = r.patiently(ctx, func() error {
			return r.call(ctx, http.MethodPost, "/renders", key, o, &made)
		})
		if errors.Is(err, errForgotten) {
			err = domain.Errorf(domain.Unavailable, "配置的地址上没有渲染服务 · there is no render service at the configured address")
		}
		if err == nil && (made.ID == "" || len(made.ID) > 200 || made.Cost < 0) {
			err = domain.Errorf(domain.Unavailable, "渲染服务的回答不完整 · the render service's answer is incomplete")
		}
		if err != nil {
			return effect.Done{}, err
		}
		answer, err := json.Marshal(made)
		return effect.Done{Answer: answer, Cost: made.Cost}, err
	})
}

// remember is the order that the ledger keeps, or what do makes of it.
func (r *Remote) remember(ctx context.Context, job Job, key string, do func(ctx context.Context) (effect.Done, error)) (ordered, error) {
	done, _, err := r.ledger.Once(ctx, effect.Call{
		Key: key, Kind: "render", Product: job.Product, Agent: job.Agent, Run: job.Run, Attempt: job.Attempt,
	}, do)
	var made ordered
	if err != nil {
		return made, err
	}
	if err := json.Unmarshal(done.Answer, &made); err != nil {
		return made, fmt.Errorf("read remembered order: %w", err)
	}
	return made, nil
}

// order is a plan in the service's words, with addresses that it can read for as
// long as a render may take.
func (r *Remote) order(job Job, p plan) (order, error) {
	o := order{Title: job.Title, Width: p.w, Height: p.h, FPS: FPS, Frames: p.frames}
	for _, s := range p.shots {
		panel := orderPanel{Number: s.Number, Caption: drawable(s.Caption), Seconds: s.Seconds}
		if s.Clip != "" {
			if r.sign == nil {
				return order{}, domain.Errorf(domain.Unavailable,
					"没有配置外部可访问的地址，渲染服务读不到素材 · no public address is configured, so the render service cannot read the clips")
			}
			link, err := r.sign(s.Hash, r.longest)
			if err != nil {
				return order{}, fmt.Errorf("address for the clip of panel %d: %w", s.Number, err)
			}
			panel.URL, panel.From, panel.To = link, s.From, s.To
		}
		o.Panels = append(o.Panels, panel)
	}
	return o, nil
}
