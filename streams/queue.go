package streams

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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
// cluster have disjoint products.
func (q *Queue) Consume(ctx context.Context, deployment string, kind Work, products []string, limit int, work func(ctx context.Context, job *Job)) error {
	subjects := []string{"work.*." + string(kind) + ".*.*"}
	if len(products) > 0 {
		subjects = nil
		for _, p := range products {
			subjects = append(subjects, "work."+p+"."+string(kind)+".*.*")
		}
	}
	name := deployment + "-" + string(kind)
	consumer, err := q.js.CreateOrUpdateConsumer(ctx, WorkStream, jetstream.ConsumerConfig{
		Durable: name, FilterSubjects: subjects, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: q.ackWait,
		// Unlimited: the third lost attempt ends the run in the log, so no slot leaks.
		MaxDeliver: -1,
		// Waiting pulls of every worker of a large deployment.
		MaxWaiting: 4096, MaxAckPending: 20_000,
	})
	if err != nil {
		return fmt.Errorf("consume %s: %w", name, err)
	}
	var wg sync.WaitGroup
	for range max(limit, 1) {
		wg.Go(func() {
			for ctx.Err() == nil {
				job, err := q.next(ctx, consumer)
				if err != nil {
					// A lost connection or a consumer being moved: wait, then pull again.
					sleep(ctx, 200*time.Millisecond)
					continue
				}
				if job != nil {
					work(ctx, job)
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// pullFor is how long one pull waits at the server.
const pullFor = 30 * time.Second

func (q *Queue) next(ctx context.Context, consumer jetstream.Consumer) (*Job, error) {
	ctx, cancel := context.WithTimeout(ctx, pullFor)
	defer cancel()
	msgs, err := consumer.Fetch(1, jetstream.FetchContext(ctx))
	if err != nil {
		return nil, err
	}
	msg, ok := <-msgs.Messages()
	if !ok {
		if err := msgs.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, context.DeadlineExceeded) {
			return nil, err
		}
		return nil, nil
	}
	meta, err := msg.Metadata()
	if err != nil {
		return nil, err
	}
	token := strings.Split(msg.Subject(), ".")
	if len(token) != 5 {
		return nil, msg.Term()
	}
	return &Job{
		Slot: Slot{Key: domain.Key{Product: token[1], Agent: domain.ID(token[3])}, Work: Work(token[2]), ID: token[4]},
		Seq:  meta.Sequence.Stream, Deliveries: int(meta.NumDelivered), //nolint:gosec // far below overflow
		nc: q.nc, reply: msg.Reply(),
	}, nil
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
