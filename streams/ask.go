package streams

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// askFor is how long one answer of the server's API is waited for.
	askFor = 2 * time.Second
	// askTries is how often something is asked while somebody waits for it, and
	// maybe holds up others.
	askTries = 3
	// openTries is how often at the start, when the server may still be busy with
	// its own.
	openTries = 10
)

// ask calls the server's API, again while there is no answer: one reply that is
// lost must not cost the caller all of its time. It is only for what may be done
// twice: reads, and making what is equal each time. The client's own timeout does
// not do, since any deadline of the caller takes its place.
func ask[T any](ctx context.Context, call func(ctx context.Context) (T, error)) (T, error) {
	return askUpTo(ctx, askTries, call)
}

func askUpTo[T any](ctx context.Context, tries int, call func(ctx context.Context) (T, error)) (answer T, err error) {
	for range tries {
		one, cancel := context.WithTimeout(ctx, askFor)
		answer, err = call(one)
		cancel()
		if ctx.Err() != nil || !unanswered(err) {
			break
		}
	}
	return answer, err
}

// unanswered says that a request was sent and no reply came in time.
func unanswered(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout)
}
