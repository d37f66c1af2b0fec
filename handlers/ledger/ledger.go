// Package ledger keeps the effects ledger and the health of outside services in
// PostgreSQL (schema effects), for all processes of a deployment.
//
// Whoever does a call holds a session's advisory lock on its key, so a second one
// waits for it wherever it runs, and the lock ends with its process: a call that
// is marked intended and not locked died in the middle.
//
// It may import domain, agents/effect and agents/source; no streams, no HTTP.
package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/agents/effect"
)

const (
	// mostHeld is how many calls one process may have going on; more wait.
	mostHeld = 16
	// lastWord bounds the record of how a call ended, whatever its context.
	lastWord = 5 * time.Second
	// A call that another one does is looked at again after firstLook, and then
	// less and less often.
	firstLook = 20 * time.Millisecond
	lastLook  = 500 * time.Millisecond
	// maxError bounds what is kept of an error, in bytes.
	maxError = 500
)

// Ledger implements effect.Ledger and source.Health. Safe for concurrent use.
type Ledger struct {
	pool   *pgxpool.Pool
	held   *pgxpool.Pool // a connection for each call that is going on
	worker string
	logger *slog.Logger
}

// Open returns the ledger of a database that migrations.Up has brought up to
// date. worker names this process in it.
func Open(ctx context.Context, pool *pgxpool.Pool, worker string, logger *slog.Logger) (*Ledger, error) {
	// Calls last, and wait for others: they must not use up the connections that
	// they need themselves meanwhile.
	config := pool.Config()
	config.MinConns, config.MinIdleConns, config.MaxConns = 0, 0, mostHeld
	config.MaxConnIdleTime = time.Minute
	// The lock of a machine that is gone ends within half a minute.
	for name, value := range map[string]string{"idle": "10", "interval": "5", "count": "3"} {
		config.ConnConfig.RuntimeParams["tcp_keepalives_"+name] = value
	}
	held, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("effects ledger: %w", err)
	}
	return &Ledger{pool: pool, held: held, worker: worker, logger: logger}, nil
}

// Close gives the ledger's connections back. Calls that are going on are waited
// for, but not for long: one that does not end then is as good as dead.
func (l *Ledger) Close() {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		l.held.Close()
	}()
	late := time.NewTimer(lastWord)
	defer late.Stop()
	select {
	case <-closed:
	case <-late.C:
	}
}

// Once implements effect.Ledger.
func (l *Ledger) Once(ctx context.Context, c effect.Call, do func(ctx context.Context) (effect.Done, error)) (effect.Done, bool, error) {
	if err := c.Check(); err != nil {
		return effect.Done{}, false, err
	}
	release, err := l.hold(ctx, c.Key)
	if err != nil {
		return effect.Done{}, false, err
	}
	defer release()
	d, again, err := l.claim(ctx, c)
	if again || err != nil {
		return d, again, err
	}
	d, err = do(ctx) // a panic leaves it intended: nobody knows
	if recorded := l.end(ctx, c, d, err); recorded != nil {
		err = errors.Join(err, recorded)
	}
	return d, false, err
}

// hold waits until the key is this call's.
func (l *Ledger) hold(ctx context.Context, key string) (release func(), err error) {
	for wait := firstLook; ; wait = min(2*wait, lastLook) {
		conn, err := l.held.Acquire(ctx)
		if err != nil {
			return nil, fmt.Errorf("effects ledger: %w", err)
		}
		var ours bool
		err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtextextended($1, 0))`, key).Scan(&ours)
		if err == nil && ours {
			return func() { unlock(ctx, conn, key) }, nil
		}
		conn.Release()
		if err != nil {
			return nil, fmt.Errorf("effects ledger: hold %s: %w", key, err)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// unlock gives the key back; a connection that cannot is closed, which does too.
func unlock(ctx context.Context, conn *pgxpool.Conn, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
	defer cancel()
	var was bool
	err := conn.QueryRow(ctx, `SELECT pg_advisory_unlock(hashtextextended($1, 0))`, key).Scan(&was)
	if err != nil || !was {
		_ = conn.Conn().Close(ctx)
	}
	conn.Release()
}

// claim marks the call as intended, or finds what came of it before.
func (l *Ledger) claim(ctx context.Context, c effect.Call) (d effect.Done, again bool, err error) {
	tag, err := l.pool.Exec(ctx, `
		INSERT INTO effects.calls (key, kind, product, agent, run, attempt, paid, state, intended_at, worker)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 'intended', now(), $8)
		ON CONFLICT (key) DO UPDATE SET
			kind = excluded.kind, product = excluded.product, agent = excluded.agent, run = excluded.run,
			attempt = excluded.attempt, paid = excluded.paid, state = 'intended', cost = 0, error = '',
			intended_at = now(), ended_at = NULL, worker = excluded.worker
		WHERE calls.state = 'failed' OR calls.state <> 'done' AND NOT calls.paid AND NOT excluded.paid`,
		c.Key, c.Kind, clean(c.Product), clean(string(c.Agent)), clean(string(c.Run)), c.Attempt, c.Paid, l.worker)
	if err != nil {
		return d, false, fmt.Errorf("effects ledger: intend %s: %w", c.Key, err)
	}
	if tag.RowsAffected() == 1 {
		return d, false, nil
	}
	var answer []byte
	err = l.pool.QueryRow(ctx, `SELECT answer FROM effects.calls WHERE key = $1 AND state = 'done'`, c.Key).Scan(&answer)
	switch {
	case err == nil:
		return effect.Done{Answer: json.RawMessage(answer)}, true, nil
	case !errors.Is(err, pgx.ErrNoRows):
		return d, false, fmt.Errorf("effects ledger: look up %s: %w", c.Key, err)
	}
	// It is not locked, or we would not have come here: whoever meant to do it died.
	_, err = l.pool.Exec(ctx, `
		UPDATE effects.calls SET state = 'unknown', error = 'its process ended in the middle of it', ended_at = now()
		WHERE key = $1 AND state = 'intended'`, c.Key)
	if err != nil {
		return d, false, fmt.Errorf("effects ledger: give up %s: %w", c.Key, err)
	}
	return d, false, effect.ErrUnknown
}

// end records what came of the call, even if its context is over. Should another
// process have given it up meanwhile, what came of it is known all the same.
func (l *Ledger) end(ctx context.Context, c effect.Call, d effect.Done, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
	defer cancel()
	state, text, answer := "done", "", []byte(d.Answer)
	switch {
	case why == nil:
		if answer == nil {
			answer = []byte{}
		}
	case !c.Paid, errors.Is(why, effect.ErrNotDone):
		state, text, answer, d.Cost = "failed", why.Error(), nil, 0
	default:
		state, text, answer = "unknown", why.Error(), nil
	}
	_, err := l.pool.Exec(ctx, `
		UPDATE effects.calls SET state = $2, answer = $3, cost = $4, error = $5, ended_at = now()
		WHERE key = $1`, c.Key, state, answer, max(d.Cost, 0), clip(clean(text)))
	if err != nil {
		return fmt.Errorf("effects ledger: record %s: %w", c.Key, err)
	}
	return nil
}

// clean is text as the database takes it.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

func clip(text string) string {
	if len(text) > maxError {
		text = strings.ToValidUTF8(text[:maxError], "") + "…"
	}
	return text
}
