package catalogue

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
)

// Analysis returns the analysis of an entry, made at the first call and stored.
// ErrNoMedia if the entry has no file.
func (c *Catalogue) Analysis(ctx context.Context, product string, id domain.ID) (video.Analysis, error) {
	e, err := c.Get(ctx, product, id)
	if err != nil {
		return video.Analysis{}, err
	}
	if e.Analysis != nil {
		return *e.Analysis, nil
	}
	return c.AnalyseMedia(ctx, e.Media, e.Text())
}

// AnalyseMedia is Analysis for any stored file, such as a member's upload. Calls
// for one file wait for one measurement, which goes on if a caller gives up. The
// worker is not asked; what it told before is used.
func (c *Catalogue) AnalyseMedia(ctx context.Context, m library.Media, text video.Text) (video.Analysis, error) {
	local, err := c.local(ctx, m, text)
	if err != nil {
		return local, err
	}
	r, err := c.reported(ctx, m.Hash)
	if err != nil || r == nil || r.State != reportDone {
		return local, err
	}
	return r.onTopOf(local), nil
}

// local is what this machine finds out.
func (c *Catalogue) local(ctx context.Context, m library.Media, text video.Text) (video.Analysis, error) {
	if m.Hash == "" {
		return video.Analysis{}, ErrNoMedia
	}
	metrics, err := c.measured(ctx, m.Hash)
	if err != nil {
		return video.Analysis{}, err
	}
	if metrics == nil {
		if metrics, err = c.measureOnce(ctx, m.Hash); err != nil {
			return video.Analysis{}, err
		}
	}
	return video.Judge(*metrics, text), nil
}

// measured reads what is known about a file; nil if it was not measured yet.
func (c *Catalogue) measured(ctx context.Context, hash string) (*library.Metrics, error) {
	var m library.Metrics
	err := c.pool.QueryRow(ctx, `
SELECT metrics FROM catalogue.measurements WHERE hash = $1 AND analyser = $2 AND ruleset = $3`,
		hash, video.LocalAnalyser, video.Ruleset).Scan(&m)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read measurement: %w", err)
	}
	return &m, nil
}

func (c *Catalogue) measureOnce(ctx context.Context, hash string) (*library.Metrics, error) {
	done := c.flights.DoChan(hash, func() (any, error) {
		if err := c.enter(); err != nil {
			return nil, err
		}
		defer c.running.Done()
		return c.measure(c.life, hash)
	})
	select {
	case r := <-done:
		if r.Err != nil {
			return nil, r.Err
		}
		m, ok := r.Val.(*library.Metrics)
		if !ok {
			return nil, fmt.Errorf("measure %s: no result", hash)
		}
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// measure decodes the file and stores the numbers. Whoever stores first is
// right; the others read that.
func (c *Catalogue) measure(ctx context.Context, hash string) (*library.Metrics, error) {
	if m, err := c.measured(ctx, hash); err != nil || m != nil {
		return m, err
	}
	file, err := c.Media(hash, Original)
	if err != nil {
		return nil, err
	}
	info, err := c.video.Probe(ctx, file.Path)
	if err != nil {
		return nil, err
	}
	m, err := c.video.Measure(ctx, file.Path, info)
	if err != nil {
		return nil, err
	}
	_, err = c.pool.Exec(ctx, `
INSERT INTO catalogue.measurements (hash, analyser, ruleset, metrics) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING`, hash, video.LocalAnalyser, video.Ruleset, m)
	if err != nil {
		return nil, fmt.Errorf("store measurement: %w", err)
	}
	return c.measured(ctx, hash)
}
