package streams

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What tests outside the package need of it.

// Shape and Upcast name the steps of a table of old versions.
type (
	Shape  = shape
	Upcast = upcast
)

// NewCodecOf makes a codec of other types than the catalogue's.
func NewCodecOf(types []Registered, steps map[Shape]Upcast) *Codec { return newCodec(types, steps) }

// The bounds of group commit.
const (
	BreakEven    = breakEven
	BatchEvents  = batchEvents
	WaitingUnits = waitingUnits
)

// Forget drops every cached fold.
func (l *Log) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.folds)
}

// Hurry shortens how long the log's answers are waited for.
func (l *Log) Hurry(ctx context.Context, timeout time.Duration) error {
	js, err := jetstream.New(l.nc, jetstream.WithDefaultTimeout(timeout))
	if err != nil {
		return err
	}
	l.js, l.commit.js, l.commit.timeout = js, js, timeout
	l.stream, err = js.Stream(ctx, EventsStream)
	return err
}

// Waiting is how many units wait to be appended.
func (l *Log) Waiting() int {
	l.commit.mu.Lock()
	defer l.commit.mu.Unlock()
	return len(l.commit.waiting)
}

// Deafen takes the server's advisories away, as an account may that is not
// allowed to hear them.
func (l *Log) Deafen() error { return l.advised.Unsubscribe() }

// StagingOf is where the batches of a data folder are staged.
func StagingOf(dir string) (string, error) { return (&Embedded{dir: dir}).staging() }

// Distrust is what a start does about the link that another has left.
func Distrust(dir string) { (&Embedded{dir: dir}).distrust() }
