package streams

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"github.com/nats-io/nats.go"
)

// headerLast guards the end of the whole stream.
const headerLast = "Nats-Expected-Last-Sequence"

// Import appends events exactly as they were recorded elsewhere: ids, times,
// actors, commands and bodies are kept, the sequences are new. It refuses a log
// that is not empty (ErrNotEmpty), and stops as soon as somebody else appends:
// each atomic batch is guarded by the end of the stream. After an error the log
// holds the events before it and is to be thrown away. progress is called after
// each batch with how many events are in the log; Import returns that number.
func (l *Log) Import(ctx context.Context, events iter.Seq2[Stored, error], progress func(n int)) (int, error) {
	info, err := l.info(ctx)
	if err != nil {
		return 0, fmt.Errorf("import: %w", err)
	}
	if info.State.LastSeq != 0 {
		return 0, ErrNotEmpty
	}
	in := importer{log: l, progress: progress}
	for event, err := range events {
		if err == nil {
			err = event.Check()
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return in.done, fmt.Errorf("import: event %d of the source: %w", in.done+len(in.msgs)+1, err)
		}
		if err := in.add(event.message()); err != nil {
			return in.done, err
		}
	}
	err = in.commit()
	return in.done, err
}

// importer fills one batch after the other. Messages go out as they come, so that
// the server stages them while the next are made; the last waits to be committed.
type importer struct {
	log      *Log
	progress func(n int)

	done int // events in the log
	open *batch
	msgs []*nats.Msg // of the open batch, the last not sent
	size int
}

func (in *importer) add(msg *nats.Msg) error {
	if n := len(in.msgs); n == batchEvents || n > 0 && in.size+msg.Size() > batchBytes {
		if err := in.commit(); err != nil {
			return err
		}
	}
	if n := len(in.msgs); n == 0 {
		in.open = in.log.commit.batch()
		msg.Header[headerLast] = []string{strconv.Itoa(in.done)}
	} else {
		in.open.stage(in.msgs[n-1:])
	}
	in.msgs, in.size = append(in.msgs, msg), in.size+msg.Size()
	return nil
}

func (in *importer) commit() error {
	n := len(in.msgs)
	if n == 0 {
		return nil
	}
	_, err := in.open.commit(in.msgs[n-1:])
	if refused(err) && !IsConflict(err) {
		// The server forgets a batch whose source pauses for long.
		_, err = in.log.commit.publish(in.msgs)
	}
	if err != nil {
		return fmt.Errorf("import: after %d events: %w", in.done, err)
	}
	in.done += n
	in.msgs, in.size = in.msgs[:0], 0
	if in.progress != nil {
		in.progress(in.done)
	}
	return nil
}

// message makes the message of a stored event. It has no message id: a log may
// hold a fact twice, and the server would refuse the second.
func (s Stored) message() *nats.Msg {
	header := make(nats.Header, len(s.Header)+3)
	for name, values := range s.Header {
		header[name] = values
	}
	return &nats.Msg{Subject: s.Subject, Header: header, Data: s.Data}
}
