package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Bridge is the competitor source: a service that looks for competitors' ads,
// which takes minutes.
type Bridge struct{ tasks *tasks }

// NewBridge checks the configuration; nothing is asked yet.
func NewBridge(c TaskConfig) (*Bridge, error) {
	t, err := newTasks("competitor", "tasks", "task_id", c)
	if err != nil {
		return nil, err
	}
	return &Bridge{t}, nil
}

// Name is the source's name in events.
func (b *Bridge) Name() string { return b.tasks.kind }

// Status is how the bridge is.
func (b *Bridge) Status() Status { return b.tasks.guard.Status() }

// Submit hands over a query. The same words, whatever their case and spacing,
// from the same agent on the same day are one task. The day is the run's, in UTC,
// so that a second attempt after midnight does not pay.
func (b *Bridge) Submit(ctx context.Context, who Who, query string) (string, error) {
	query = line(query, 200)
	if query == "" {
		return "", refused(b.Name(), "the query is empty")
	}
	day := who.Run.Time()
	if day.IsZero() {
		day = b.tasks.service.conf.Now().UTC()
	}
	words := sha256.Sum256([]byte(strings.ToLower(norm.NFKC.String(query))))
	key := strings.Join([]string{"competitor", "submit", who.Product, string(who.Agent), day.Format(time.DateOnly), hex.EncodeToString(words[:12])}, "/")
	return b.tasks.submit(ctx, who, key, struct {
		Query   string `json:"query"`
		Product string `json:"product"`
	}{query, who.Product})
}

// Check asks for a task's items.
func (b *Bridge) Check(ctx context.Context, who Who, task string) ([]Candidate, bool, time.Duration, error) {
	r, done, wait, err := b.tasks.check(ctx, who, task)
	return r.Items, done, wait, err
}

// Examine fetches the candidate's video and analyses it.
func (b *Bridge) Examine(ctx context.Context, who Who, c Candidate) (Candidate, error) {
	return b.tasks.conf.Keeper.examine(ctx, who, c, nil)
}
