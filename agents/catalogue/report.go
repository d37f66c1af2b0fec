package catalogue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
)

// Analyst analyses on behalf of somebody, and so may ask the worker, which costs
// money. Without a worker it is the catalogue itself.
type Analyst struct {
	catalogue *Catalogue
	who       video.Who
}

// For is the analyst of whoever asks.
func (c *Catalogue) For(who video.Who) Analyst { return Analyst{c, who} }

// HasWorker says whether there is a worker to ask.
func (c *Catalogue) HasWorker() bool { return c.worker != nil }

// handIn is how long before a caller's deadline the wait for the worker ends.
const handIn = 5 * time.Second

// AnalyseMedia measures a stored file and puts what the worker says on top: once a
// file, whoever asks. While the worker cannot or will not say anything, the
// analysis is what was measured, and Missed tells why; the next call asks again
// unless that is final. What the worker is at goes on and is kept if the caller
// gives up, or has no more time to wait.
func (a Analyst) AnalyseMedia(ctx context.Context, m library.Media, text video.Text) (video.Analysis, error) {
	c := a.catalogue
	local, err := c.local(ctx, m, text)
	if err != nil || c.worker == nil {
		if err == nil {
			return c.AnalyseMedia(ctx, m, text)
		}
		return local, err
	}
	r, err := c.reported(ctx, m.Hash)
	if err != nil {
		return local, err
	}
	if r == nil || r.State == reportFailed && !r.Final {
		if r, err = c.reportOnce(ctx, m.Hash, a.who); err != nil {
			return local, err
		}
	}
	if r.State == reportDone {
		return r.onTopOf(local), nil
	}
	local.Missed = &video.Missed{Reason: r.Reason, Final: r.Final, RetryAfter: r.retryAfter}
	return local, nil
}

// Spent is what the analyses cost that were made for a run, in all its attempts.
func (c *Catalogue) Spent(ctx context.Context, run domain.ID) (domain.Money, error) {
	var cost domain.Money
	err := c.pool.QueryRow(ctx, `
SELECT coalesce(sum(cost), 0)::bigint FROM catalogue.reports WHERE run = $1 AND run <> ''`, string(run)).Scan(&cost)
	if err != nil {
		return 0, fmt.Errorf("sum up analyses: %w", err)
	}
	return cost, nil
}

// The states of a report.
const (
	reportDone   = "done"
	reportFailed = "failed"
)

// report is a row of catalogue.reports: what the worker told about a file, or why
// it did not.
type report struct {
	State      string
	Source     string
	Digest     *library.Digest
	Report     string
	Reason     string
	Final      bool
	cost       domain.Money // of this call
	retryAfter int
}

func told(source string, d library.Digest, text string) video.Analysis {
	return video.Analysis{Analyser: source, Ruleset: video.WorkerRuleset, Digest: d, Report: text}
}

func (r *report) onTopOf(local video.Analysis) video.Analysis {
	t := told(r.Source, *r.Digest, r.Report)
	t.Cost = r.cost
	return video.Merge(local, t)
}

// reported reads what is known; nil if the worker was never asked.
func (c *Catalogue) reported(ctx context.Context, hash string) (*report, error) {
	rows, err := c.pool.Query(ctx, `
SELECT state, source, digest, report, reason, final FROM catalogue.reports
WHERE hash = $1 AND analyser = $2 AND ruleset = $3`, hash, video.WorkerAnalyser, video.WorkerRuleset)
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[report])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	return r, nil
}

// reportOnce has the worker asked by one caller at a time and file. It asks on
// after a caller has left; one that runs out of time is told that it is not there
// yet.
func (c *Catalogue) reportOnce(ctx context.Context, hash string, who video.Who) (*report, error) {
	mine := false // this call had it asked, and so pays
	done := c.flights.DoChan("report/"+hash, func() (any, error) {
		mine = true
		if err := c.enter(); err != nil {
			return nil, err
		}
		defer c.running.Done()
		return c.ask(c.life, hash, who)
	})
	var late <-chan time.Time
	if end, limited := ctx.Deadline(); limited {
		timer := time.NewTimer(max(0, time.Until(end)-handIn))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case r := <-done:
		if r.Err != nil {
			return nil, r.Err
		}
		made, ok := r.Val.(*report)
		if !ok {
			return nil, fmt.Errorf("report on %s: no result", hash)
		}
		own := *made
		if !mine {
			own.cost = 0
		}
		return &own, nil
	case <-late:
		return &report{State: reportFailed, Reason: "视频分析服务还在分析 · the video worker is still at it"}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ask asks the worker and keeps what came of it. A report that is there is kept,
// whatever this call came to.
func (c *Catalogue) ask(ctx context.Context, hash string, who video.Who) (*report, error) {
	if r, err := c.reported(ctx, hash); err != nil || r != nil && (r.State == reportDone || r.Final) {
		return r, err
	}
	file, err := c.Media(hash, Original)
	if err != nil && !isNotFound(err) { // the worker may find it elsewhere
		return nil, err
	}
	a, err := c.worker.Analyse(ctx, video.Ref{Path: file.Path, Hash: hash, Who: who})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := &report{State: reportDone, Source: a.Analyser, Digest: &a.Digest, Report: a.Report, cost: a.Cost}
	var refusal *domain.Error
	switch {
	case errors.As(err, &refusal):
		r = &report{State: reportFailed, Reason: domain.Clip(refusal.Message, 500), Final: video.Final(err), retryAfter: refusal.RetryAfter}
	case err != nil:
		return nil, fmt.Errorf("ask the video worker: %w", err)
	}
	tag, err := c.pool.Exec(ctx, `
INSERT INTO catalogue.reports (hash, analyser, ruleset, state, source, digest, report, reason, final, run, cost)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (hash, analyser, ruleset) DO UPDATE SET
    state = excluded.state, source = excluded.source, digest = excluded.digest, report = excluded.report,
    reason = excluded.reason, final = excluded.final, run = excluded.run, cost = excluded.cost,
    tries = reports.tries + 1, made = now()
WHERE reports.state = 'failed'`,
		hash, video.WorkerAnalyser, video.WorkerRuleset, r.State, r.Source, r.Digest, r.Report, r.Reason, r.Final, string(who.Run), r.cost)
	if err != nil {
		return nil, fmt.Errorf("keep report: %w", err)
	}
	if tag.RowsAffected() == 0 { // another process has kept, and counted, it
		r.cost = 0
	}
	return r, nil
}
