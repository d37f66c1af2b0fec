package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/turn"
	"sozai/streams"
)

// marker stands once in every frame that counts, and nowhere else; the time of
// publishing follows it, in nanoseconds.
const marker = '^'

const stampDigits = 19

// speaker streams an answer into the room as a turn's worker does: a person says
// something, the turn starts in the log, deltas follow on the live subject.
type speaker struct {
	h      *hall
	key    domain.Key
	by     *visitor
	turn   domain.ID
	offset int
	filler string
}

// begin opens a turn.
func (s *speaker) begin(ctx context.Context) error {
	if err := s.by.call(ctx, "POST", s.h.room+"/messages", map[string]any{"text": "说说看"}, nil); err != nil {
		return err
	}
	s.turn, s.offset = newID(), 0
	_, err := s.decide(ctx, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		t := turn.Started{Turn: s.turn, Slot: 1, GeneVersion: st.Gene.Version}
		for _, m := range st.Chat.After(st.Turn.Settled) {
			t.Messages = append(t.Messages, m.ID)
		}
		return st.Turn.Start(t)
	})
	return err
}

// end closes the turn and waits until the room has settled.
func (s *speaker) end(ctx context.Context) error {
	res, err := s.decide(ctx, func(st *streams.State, _ time.Time) ([]domain.Decision, error) {
		return st.Turn.Finish(turn.Finished{Turn: s.turn, Attempt: 1, Reason: string(run.ReasonFinished)})
	})
	if err != nil {
		return err
	}
	if err := s.h.p.store.Wait(ctx, res.Seq); err != nil {
		return err
	}
	pause(ctx, 300*time.Millisecond) // its last frames go out
	return ctx.Err()
}

func (s *speaker) decide(ctx context.Context, decide func(*streams.State, time.Time) ([]domain.Decision, error)) (streams.Result, error) {
	return s.h.p.log.Decide(ctx, s.key, streams.Command{ID: string(newID()), Actor: domain.Butler(s.turn)}, decide)
}

type delta struct {
	Type    string    `json:"type,omitempty"`
	Turn    domain.ID `json:"turn"`
	Attempt int       `json:"attempt"`
	Offset  int       `json:"offset"`
	Text    string    `json:"text"`
}

// next is a delta that is frameSize bytes when a socket gets it.
func (s *speaker) next() delta {
	d := delta{Type: "chat.delta", Turn: s.turn, Attempt: 1, Offset: s.offset}
	const quotes = 2
	frame := len(`{"type":"chat.delta","turn":"","attempt":1,"offset":,"text":`) + len(s.turn) + len(strconv.Itoa(s.offset)) + quotes + 1
	d.Text = string(marker) + fmt.Sprintf("%0*d", stampDigits, time.Now().UnixNano()) + s.filler[:frameSize-frame-1-stampDigits]
	s.offset += len(d.Text)
	return d
}

func (s *speaker) say() error {
	d := s.next()
	d.Type = "" // the room adds it
	return s.h.live.Publish(s.key, "chat.delta", d)
}

// window is how many frames may be under way to the slowest socket. A socket is
// cut off at 1,024.
const window = 512

// saturate streams as fast as the slowest socket takes it; deliveries a second.
func (h *hall) saturate(ctx context.Context, sockets int, span time.Duration) (float64, error) {
	if err := h.speaker.begin(ctx); err != nil {
		return 0, err
	}
	if err := h.crowd.reset(ctx, false); err != nil {
		return 0, err
	}
	began := time.Now()
	frames := int64(0)
	for time.Since(began) < span {
		if frames-h.crowd.least() >= window {
			pause(ctx, 200*time.Microsecond)
			if ctx.Err() != nil {
				return 0, ctx.Err()
			}
			continue
		}
		for range 16 {
			if err := h.speaker.say(); err != nil {
				return 0, err
			}
			frames++
		}
	}
	if err := h.crowd.await(ctx, frames); err != nil {
		return 0, err
	}
	took := time.Since(began)
	return float64(frames) * float64(sockets) / took.Seconds(), h.speaker.end(ctx)
}

// paced streams at a pace and returns the p99 of the time from publishing to
// reading, in milliseconds.
func (h *hall) paced(ctx context.Context, sockets int, span time.Duration) (float64, error) {
	if err := h.speaker.begin(ctx); err != nil {
		return 0, err
	}
	pause(ctx, 200*time.Millisecond)
	if err := h.crowd.reset(ctx, true); err != nil {
		return 0, err
	}
	began := time.Now()
	frames := int64(0)
	for ; time.Since(began) < span && ctx.Err() == nil; frames++ {
		pause(ctx, time.Duration(frames)*time.Second/pacedRate-time.Since(began))
		if err := h.speaker.say(); err != nil {
			return 0, err
		}
	}
	if err := h.crowd.await(ctx, frames); err != nil {
		return 0, err
	}
	p99, seen, err := h.crowd.latency(ctx)
	if err == nil && seen != frames*int64(sockets) {
		err = fmt.Errorf("%d deliveries were timed, %d were made", seen, frames*int64(sockets))
	}
	if err != nil {
		return 0, err
	}
	return p99, h.speaker.end(ctx)
}

// bare writes the same frames, 16 joined, to as many plain connections of the
// same process as fast as they take it.
func (h *hall) bare(ctx context.Context, sockets int, span time.Duration) (float64, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	accepted := make(chan net.Conn, sockets)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	}()
	if err := h.crowd.dial(ctx, listener.Addr().String(), sockets); err != nil {
		return 0, err
	}
	conns := make([]net.Conn, sockets)
	for i := range conns {
		select {
		case conns[i] = <-accepted:
			defer conns[i].Close()
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	message, err := h.speaker.joined()
	if err != nil {
		return 0, err
	}
	if err := h.crowd.reset(ctx, false); err != nil {
		return 0, err
	}
	began := time.Now()
	var writers sync.WaitGroup
	for _, conn := range conns {
		writers.Go(func() {
			for time.Since(began) < span {
				if _, err := conn.Write(message); err != nil {
					return
				}
			}
		})
	}
	writers.Wait()
	took := time.Since(began)
	total, err := h.crowd.total(ctx)
	if err == nil && total == 0 {
		err = errors.New("nothing arrived on the plain connections")
	}
	return float64(total) / took.Seconds(), err
}

// joined is a WebSocket message of 16 frames, as the room's sockets get them.
func (s *speaker) joined() ([]byte, error) {
	payload := []byte("[")
	for i := range 16 {
		if i > 0 {
			payload = append(payload, ',')
		}
		frame, err := json.Marshal(s.next())
		if err != nil {
			return nil, err
		}
		payload = append(payload, frame...)
	}
	payload = append(payload, ']')
	return append([]byte{0x81, 126, byte(len(payload) >> 8), byte(len(payload))}, payload...), nil //nolint:gosec // below 64 KiB
}
