package streams

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"sozai/domain"
)

// Work says which worker kind a slot is for.
type Work string

// The worker kinds.
const (
	Butler  Work = "butler" // key "-": one slot an agent for chat and digest
	Search  Work = "search"
	Board   Work = "board"
	Film    Work = "film"
	Analyze Work = "analyze"
)

// Slot addresses one piece of work: work.<product>.<work>.<agent>.<id>.
type Slot struct {
	domain.Key
	Work Work
	ID   string // "-" for the butler, the run otherwise
}

func (s Slot) subject() string {
	return strings.Join([]string{"work", s.Product, string(s.Work), string(s.Agent), s.ID}, ".")
}

// Queue is the WORK stream. Safe for concurrent use.
type Queue struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	ackWait time.Duration
}

// OpenQueue returns the queue; the streams must have been ensured (see Open).
func OpenQueue(nc *nats.Conn, cfg Config) (*Queue, error) {
	js, err := newJetStream(nc)
	if err != nil {
		return nil, fmt.Errorf("open queue: %w", err)
	}
	return &Queue{nc: nc, js: js, ackWait: cfg.ackWait()}, nil
}

// AckWait is how long a job may go without a heartbeat.
func (q *Queue) AckWait() time.Duration { return q.ackWait }

// Offer publishes a slot. taken is true when it is waiting or being worked on
// already. There is no message id: the same id after an ack would be swallowed
// as a duplicate and never delivered.
func (q *Queue) Offer(ctx context.Context, s Slot) (taken bool, err error) {
	_, err = q.js.Publish(ctx, s.subject(), nil)
	switch {
	case err == nil:
		return false, nil
	case isSlotTaken(err):
		return true, nil
	}
	return false, fmt.Errorf("offer %s: %w", s.subject(), err)
}

// isSlotTaken: code 10077 is shared by every store refusal (503); on this
// stream, which has no other limit, it means that the subject is occupied.
func isSlotTaken(err error) bool { return apiCode(err) == codeStoreFailed }

// Consume pulls jobs of one kind for the given products (none: all), at most
// limit at once, and hands each to work, until ctx ends; then it waits for those
// running. deployment names the durable consumer: deployments that share a
// cluster have disjoint products. A consumer that is lost is made again, one that
// has lost slots too (see mend); the stream is not: without it Consume ends.
func (q *Queue) Consume(ctx context.Context, deployment string, kind Work, products []string, limit int, work func(ctx context.Context, job *Job)) error {
	subjects := []string{"work.*." + string(kind) + ".*.*"}
	if len(products) > 0 {
		subjects = nil
		for _, p := range products {
			subjects = append(subjects, "work."+p+"."+string(kind)+".*.*")
		}
	}
	config := jetstream.ConsumerConfig{
		Durable: deployment + "-" + string(kind), FilterSubjects: subjects, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: q.ackWait,
		// Unlimited: the third lost attempt ends the run in the log, so no slot leaks.
		MaxDeliver: -1,
		// Waiting pulls of every worker of a large deployment.
		MaxWaiting: 4096, MaxAckPending: 20_000,
	}
	if _, err := ensureConsumer(ctx, q.js, WorkStream, config); err != nil {
		return fmt.Errorf("consume %s: %w", config.Durable, silence(err))
	}
	workers, ctx := errgroup.WithContext(ctx)
	workers.Go(func() error { return q.mend(ctx, config) })
	for range max(limit, 1) {
		workers.Go(func() error {
			for ctx.Err() == nil {
				err := q.pull(ctx, config.Durable, work)
				if ctx.Err() != nil {
					break
				}
				sleep(ctx, pullAgain)
				if errors.Is(err, errConsumerGone) {
					_, err = ensureConsumer(ctx, q.js, WorkStream, config)
				}
				if errors.Is(err, jetstream.ErrStreamNotFound) {
					return fmt.Errorf("consume %s: %w", config.Durable, err)
				}
			}
			return ctx.Err()
		})
	}
	return workers.Wait()
}

const (
	// pullFor is how long one pull waits at the server, which says every pullBeat
	// that it still does: a pull is lost with the server's memory of it.
	pullFor  = 30 * time.Second
	pullBeat = time.Second
	// pullAgain is the pause after a lost connection or consumer.
	pullAgain = 200 * time.Millisecond
)

var errConsumerGone = errors.New("the consumer is gone")

// pull takes one job after the other until a pull fails or ctx ends. What the
// server had sent by then is given back at once, not after AckWait.
func (q *Queue) pull(ctx context.Context, consumer string, work func(ctx context.Context, job *Job)) error {
	inbox := q.nc.NewInbox()
	sub, err := q.nc.SubscribeSync(inbox)
	if err != nil {
		return err
	}
	defer func() {
		if sub.Drain() != nil {
			return
		}
		for {
			msg, err := sub.NextMsg(pullBeat)
			if err != nil {
				return
			}
			if job, ok := q.job(msg); ok {
				_ = q.nc.Publish(job.reply, []byte("-NAK"))
			}
		}
	}()
	request := fmt.Appendf(nil, `{"batch":1,"expires":%d,"idle_heartbeat":%d}`, pullFor.Nanoseconds(), pullBeat.Nanoseconds())
	for {
		if err := q.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+WorkStream+"."+consumer, inbox, request); err != nil {
			return err
		}
		job, err := q.next(ctx, sub)
		if err != nil {
			return err
		}
		if job != nil {
			work(ctx, job)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// next waits for the answer to a pull: nil if it ended without a job.
func (q *Queue) next(ctx context.Context, sub *nats.Subscription) (*Job, error) {
	for {
		beat, cancel := context.WithTimeout(ctx, 2*pullBeat+pullBeat/2)
		msg, err := sub.NextMsgWithContext(beat)
		cancel()
		if err != nil {
			return nil, err
		}
		if job, ok := q.job(msg); ok {
			return job, nil
		}
		switch msg.Header.Get("Status") {
		case "100": // it still waits
		case "404", "408":
			return nil, nil
		case "":
			_ = q.nc.Publish(msg.Reply, []byte("+TERM")) // no slot can look like that
			return nil, nil
		default: // deleted, moved, no such consumer
			return nil, errConsumerGone
		}
	}
}

// job reads a delivery; false for the server's words about a pull.
func (q *Queue) job(msg *nats.Msg) (*Job, bool) {
	slot, ok := parseSlot(msg.Subject)
	if !ok {
		return nil, false
	}
	meta, err := msg.Metadata()
	if err != nil {
		return nil, false
	}
	return &Job{
		Slot: slot, Seq: meta.Sequence.Stream, Deliveries: int(meta.NumDelivered), //nolint:gosec // far below overflow
		nc: q.nc, reply: msg.Reply,
	}, true
}

// Job is one delivery of a slot. A worker that lost its fence must send nothing
// any more through it: a heartbeat would hold up the redelivery, an ack would
// free the slot under its successor.
type Job struct {
	Slot
	Seq        uint64 // of the work message: the slot number
	Deliveries int

	nc    *nats.Conn
	reply string
}

// Heartbeat tells the server, by request, that the work goes on.
func (j *Job) Heartbeat(ctx context.Context) error { return j.say(ctx, "+WPI") }

// Done frees the slot and waits for the server's word. An error leaves the
// outcome unknown; the message may be delivered again.
func (j *Job) Done(ctx context.Context) error { return j.say(ctx, "+ACK") }

// Later gives the job back, to be delivered again after d.
func (j *Job) Later(ctx context.Context, d time.Duration) error {
	return j.say(ctx, fmt.Sprintf(`-NAK {"delay":%d}`, d.Nanoseconds()))
}

func (j *Job) say(ctx context.Context, what string) error {
	if _, err := j.nc.RequestWithContext(ctx, j.reply, []byte(what)); err != nil {
		return fmt.Errorf("job %s: %s: %w", j.subject(), what[:4], err)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
