package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"sozai/projections"
)

// watcher is somebody who only looks at a room: it comes back by itself with its
// last sequence, as a browser does, and keeps the rows as it was shown them.
type watcher struct {
	*client
	agent string

	mu    sync.Mutex
	heard []string // a line a frame, for whoever reads a finding
	last  uint64
	rows  map[uint64]projections.Row
}

// watch follows a room until ctx ends.
func (c *client) watch(ctx context.Context, agent string) *watcher {
	w := &watcher{client: c, agent: agent, rows: map[uint64]projections.Row{}}
	go func() {
		for ctx.Err() == nil {
			w.connect(ctx)
			pause(ctx, 50e6)
		}
	}()
	return w
}

// shown is any frame, as far as a watcher reads it.
type shown struct {
	Type   string            `json:"type"`
	Seq    uint64            `json:"seq"`
	Reset  bool              `json:"reset"`
	Row    projections.Row   `json:"row"`
	Rows   []projections.Row `json:"rows"`
	Status json.RawMessage   `json:"status"` // its form depends on the type
}

func (w *watcher) connect(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	addr := w.addrs[w.rng.IntN(len(w.addrs))]
	conn, resp, err := websocket.Dial(ctx, "http://"+addr+room(w.agent, "/ws"), &websocket.DialOptions{
		HTTPHeader: http.Header{"Cookie": {"sozai_session=" + w.session}, "Origin": {"http://" + addr}},
	})
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(16 << 20)
	w.mu.Lock()
	hello := fmt.Sprintf(`{"type":"hello","after":%d}`, w.last)
	w.heard = append(w.heard, fmt.Sprintf("%s %s after %d", time.Now().Format("15:04:05.000"), addr, w.last))
	w.mu.Unlock()
	if conn.Write(ctx, websocket.MessageText, []byte(hello)) != nil {
		return
	}
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var frames []shown
		if err := json.Unmarshal(data, &frames); err != nil {
			w.find("room: a message is no array of frames: %v", err)
			return
		}
		for _, f := range frames {
			if f.Type == "sync" && f.Reset {
				w.reset(ctx)
			}
			w.take(f)
		}
	}
}

func (w *watcher) take(f shown) {
	w.mu.Lock()
	defer w.mu.Unlock()
	line := fmt.Sprintf("%s   %s %d row %d@%d", time.Now().Format("15:04:05.000"), f.Type, f.Seq, f.Row.Seq, f.Row.Rev)
	for _, row := range f.Rows {
		line += fmt.Sprintf(" %d@%d", row.Seq, row.Rev)
	}
	w.heard = append(w.heard, line)
	switch f.Type {
	case "hello":
		w.writes(f.Status)
		return // what it stands for comes with sync
	case "sync":
		for _, row := range f.Rows {
			w.keep(row)
		}
	case "chat.user", "timeline.entry":
		w.keep(f.Row)
	case "chat.status":
		w.writes(f.Status)
	}
	w.last = max(w.last, f.Seq)
}

// writes notes which answer is being written. One that has ended stays noted: a
// late stop is what people give.
func (w *watcher) writes(status json.RawMessage) {
	var room struct {
		Turn string `json:"turn"`
	}
	if json.Unmarshal(status, &room) != nil || room.Turn == "" {
		return
	}
	w.client.mu.Lock()
	defer w.client.mu.Unlock()
	w.turns[w.agent] = room.Turn
}

// keep needs the lock. A row only ever becomes newer.
func (w *watcher) keep(row projections.Row) {
	if old, known := w.rows[row.Seq]; !known || old.Rev <= row.Rev {
		w.rows[row.Seq] = row
	}
}

// reset reads the room anew, as the server asked.
func (w *watcher) reset(ctx context.Context) {
	rows := w.timeline(ctx, w.agent)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, row := range rows {
		w.keep(row)
	}
}

// timeline reads all rows of a room.
func (c *client) timeline(ctx context.Context, agent string) []projections.Row {
	var all []projections.Row
	for after := uint64(1); ; {
		var page struct {
			Rows []projections.Row `json:"rows"`
		}
		if !c.get(ctx, room(agent, fmt.Sprintf("/timeline?after=%d&limit=200", after)), &page) {
			return all
		}
		all = append(all, page.Rows...)
		if len(page.Rows) < 200 {
			return all
		}
		after = page.Rows[len(page.Rows)-1].Seq
	}
}

// differs says how what was shown differs from the room as it is.
func (w *watcher) differs(rows []projections.Row) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, row := range rows {
		got, known := w.rows[row.Seq]
		switch {
		case !known:
			return fmt.Errorf("room %s: row %d (%s) was never shown", w.agent, row.Seq, row.Type)
		case got.Rev != row.Rev:
			return fmt.Errorf("room %s: row %d (%s) was shown as of %d, it is as of %d", w.agent, row.Seq, row.Type, got.Rev, row.Rev)
		}
	}
	if len(w.rows) != len(rows) {
		return fmt.Errorf("room %s: %d rows were shown, there are %d", w.agent, len(w.rows), len(rows))
	}
	return nil
}
