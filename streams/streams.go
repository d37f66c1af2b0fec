// Package streams owns everything JetStream: the streams as data, the event
// envelope and codec, appending and folding, the work queue, timers, the live
// feed and the embedded server.
//
// Subjects: evt.<product>.<agent>.<kind> holds the truth, in one total order;
// work.<product>.<work>.<agent>.<key> is the queue derived from it, where the
// subject is the slot (one message a subject); timer.… becomes due.… at its
// time. live.tmp.… and ask.… are core subjects and are not stored.
//
// Guarantees: an acknowledged append is on disk (the embedded server syncs
// always). Decisions are appended only on the sequence they were decided on.
// Readers get every event in sequence order, at least once. Work is delivered
// at least once; who may act on it is decided by the fence in the log, not by
// the delivery.
//
// It may import domain, but no database, HTTP or agent package.
package streams

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sozai/domain"
)

// Names of the streams.
const (
	EventsStream = "EVENTS"
	WorkStream   = "WORK"
	TimersStream = "TIMERS"
	aliveBucket  = "ALIVE"
)

// AckWait is how long the server waits for a heartbeat before it delivers a
// job to another worker, and how long a liveness key lasts.
const AckWait = 10 * time.Second

// Config says how the streams are kept. Replicas is 1 embedded, 3 clustered.
// A zero AckWait means the constant; only tests shorten it.
type Config struct {
	Replicas int
	AckWait  time.Duration
}

func (c Config) ackWait() time.Duration {
	if c.AckWait == 0 {
		return AckWait
	}
	return c.AckWait
}

// definitions lists every stream; a limit that is reached is explained beside it.
func definitions(replicas int) []jetstream.StreamConfig {
	return []jetstream.StreamConfig{
		{
			Name:        EventsStream,
			Description: "the truth: every event, for ever",
			Subjects:    []string{"evt.*.*.*"},
			Retention:   jetstream.LimitsPolicy,
			Storage:     jetstream.FileStorage,
			// No size, age or count limit: nothing is ever dropped.
			AllowAtomicPublish: true,
			// Reads come from the leader; direct get may answer from a replica
			// that has not seen our own append.
			AllowDirect: false,
			Duplicates:  2 * time.Minute,
			Replicas:    replicas,
		},
		{
			Name:                 WorkStream,
			Description:          "who works on what; derived from EVENTS",
			Subjects:             []string{"work.*.*.*.*"},
			Retention:            jetstream.WorkQueuePolicy,
			Storage:              jetstream.FileStorage,
			Discard:              jetstream.DiscardNew,
			DiscardNewPerSubject: true,
			// The subject is the slot: while its message waits or is being worked
			// on, a second publish is refused with 10077.
			MaxMsgsPerSubject: 1,
			Replicas:          replicas,
		},
		{
			Name:        TimersStream,
			Description: "schedules, and what they fired",
			Subjects:    []string{"timer.*.*.*", "due.*.*.*"},
			Retention:   jetstream.LimitsPolicy,
			Storage:     jetstream.FileStorage,
			// No MaxAge: it would delete pending schedules. What they fire has a
			// TTL of its own.
			AllowMsgSchedules: true,
			AllowMsgTTL:       true,
			AllowRollup:       true,
			Replicas:          replicas,
		},
	}
}

// ensure creates or updates the streams.
func ensure(ctx context.Context, js jetstream.JetStream, replicas int) error {
	for _, def := range definitions(replicas) {
		_, err := askUpTo(ctx, openTries, func(ctx context.Context) (jetstream.Stream, error) {
			return js.CreateOrUpdateStream(ctx, def)
		})
		if err != nil {
			return fmt.Errorf("ensure stream %s: %w", def.Name, silence(err))
		}
	}
	return nil
}

var productName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// CheckProduct refuses a product name that cannot be a subject token.
func CheckProduct(name string) error {
	if !productName.MatchString(name) {
		return domain.Errorf(domain.Invalid, "product %q: use 1 to 32 lower-case letters, digits and hyphens", name)
	}
	return nil
}

func checkKey(key domain.Key) error {
	if err := CheckProduct(key.Product); err != nil {
		return err
	}
	if _, err := domain.ParseID(string(key.Agent)); err != nil {
		return err
	}
	return nil
}

func eventSubject(key domain.Key, kind domain.Kind) string {
	return "evt." + key.Product + "." + string(key.Agent) + "." + string(kind)
}

func newJetStream(nc *nats.Conn) (jetstream.JetStream, error) {
	return jetstream.New(nc, jetstream.WithDefaultTimeout(5*time.Second))
}
