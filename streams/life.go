package streams

import (
	"context"
	"errors"
	"strings"

	"github.com/nats-io/nats.go"

	"sozai/domain"
)

// ErrRewound: the log no longer holds what was read from it: the stream was made
// anew or restored to an earlier point. Whoever keeps something derived from it
// has to compare, and to start afresh.
var ErrRewound = domain.Rule(domain.Unavailable, "log_rewound", "the event log is not the one it was; it was restored or made anew")

// advisories is where the server tells of streams made, deleted and restored.
const advisories = "$JS.EVENT.ADVISORY.STREAM.*." + EventsStream

// watchLife counts what may have put another log in the place of this one. An
// account that may not hear advisories still has reconnections and conflicts.
func (l *Log) watchLife() {
	l.advised, _ = l.nc.Subscribe(advisories, func(msg *nats.Msg) {
		switch strings.Split(msg.Subject, ".")[4] {
		case "CREATED", "DELETED", "RESTORE_CREATE", "RESTORE_COMPLETE":
			l.shaken.Add(1)
		}
	})
}

// life names the log's present life as far as this process can tell without
// asking. While it stays the same, what was read from the log still stands in it;
// when it changed, that has to be checked.
func (l *Log) life() uint64 { return l.shaken.Load() + l.nc.Stats().Reconnects }

// holds asks the leader whether an event read earlier still stands where it did.
// If so, everything before it does: sequences are never given twice in one life.
func (l *Log) holds(ctx context.Context, seq uint64, id domain.ID) (bool, error) {
	now, err := l.EventID(ctx, seq)
	var missing *domain.Error
	if errors.As(err, &missing) && missing.Code == domain.NotFound {
		return false, nil
	}
	return now == id, err
}
