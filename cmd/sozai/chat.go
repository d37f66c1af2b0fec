package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

type chatCommand struct {
	target  `embed:""`
	Agent   string   `arg:"" help:"Agent by name or id."`
	Message []string `arg:"" optional:"" help:"Say this, print the answer and end."`
	JSON    bool     `help:"Print the room's frames as JSON lines."`
}

// frame is any frame of the room's socket; see the API document for each.
type frame struct {
	Type    string          `json:"type"`
	Seq     uint64          `json:"seq"`
	Rows    []row           `json:"rows"`
	Row     *row            `json:"row"`
	People  json.RawMessage `json:"people"`
	Turn    string          `json:"turn"`
	Attempt int             `json:"attempt"`
	Offset  int             `json:"offset"`
	Text    string          `json:"text"`
	Tool    string          `json:"tool"`
	Object  string          `json:"object"`
	State   string          `json:"state"`
	Outcome string          `json:"outcome"`
	Seconds float64         `json:"seconds"`
	Model   struct {
		Name      string `json:"name"`
		Rehearsal bool   `json:"rehearsal"`
	} `json:"model"`
	Detail string `json:"detail"`
}

const chatHelp = `/apply [n] [search|steer]  apply a card, whole or one document of it
/reject [n] [reason]       reject a card
/confirm [n]  /decline [n] answer an order
/stop                      stop the answer
/help  /quit`

// Run is a terminal room: what everybody says and does, the butler's answer as
// it is written, and the cards that wait.
func (c *chatCommand) Run(p *process) error {
	api, err := c.connect(p)
	if err != nil {
		return err
	}
	a, err := api.agentOf(p.ctx, c.Agent)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	room := &terminalRoom{p: p, api: api, agent: a, json: c.JSON, answered: make(chan string, 64)}
	socket, err := api.openRoom(ctx, a.ID)
	if err != nil {
		return err
	}
	defer func() { _ = socket.CloseNow() }()
	ended := make(chan error, 1)
	go func() { ended <- room.listen(ctx, socket) }()

	if len(c.Message) > 0 {
		return room.ask(ctx, strings.Join(c.Message, " "), ended)
	}
	if p.terminal && !c.JSON {
		fmt.Fprintf(p.stdout, "〈%s〉 V%d · /help for commands\n", a.Name, a.GeneVersion)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		in := bufio.NewScanner(p.stdin)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			select {
			case lines <- in.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case err := <-ended:
			return err
		case line, more := <-lines:
			if !more || strings.TrimSpace(line) == "/quit" {
				return nil
			}
			if err := room.line(ctx, line, ended); err != nil {
				var refused *problem
				if !errors.As(err, &refused) {
					return err
				}
				fmt.Fprintln(p.stderr, "sozai:", err)
			}
		}
	}
}

// line is one line a person typed: a command, or something said. In a pipe each
// message waits for its answer.
func (r *terminalRoom) line(ctx context.Context, line string, ended <-chan error) error {
	line = strings.TrimSpace(line)
	switch {
	case line == "":
		return nil
	case strings.HasPrefix(line, "/"):
		return r.command(ctx, line)
	case r.p.terminal:
		_, err := r.say(ctx, line)
		return err
	default:
		return r.ask(ctx, line, ended)
	}
}

func (r *terminalRoom) say(ctx context.Context, text string) (message string, err error) {
	var answer struct {
		Message string `json:"message"`
	}
	err = r.api.call(ctx, http.MethodPost, "/api/agents/"+r.agent.ID+"/messages", map[string]string{"text": text}, &answer)
	return answer.Message, err
}

// ask says something and waits for the end of the answer that covers it.
func (r *terminalRoom) ask(ctx context.Context, text string, ended <-chan error) error {
	message, err := r.say(ctx, text)
	if err != nil {
		return err
	}
	for {
		select {
		case err := <-ended:
			if err == nil {
				err = errors.New("the server closed the room")
			}
			return err
		case covered := <-r.answered:
			if covered == message {
				return nil
			}
		}
	}
}

func (c *client) openRoom(ctx context.Context, agent string) (*websocket.Conn, error) {
	socket, resp, err := websocket.Dial(ctx, c.base+"/api/agents/"+agent+"/ws", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + c.token}, "Origin": {c.base}},
	})
	if err != nil {
		if resp != nil && resp.StatusCode >= http.StatusBadRequest && resp.Body != nil {
			return nil, readProblem(resp)
		}
		return nil, err
	}
	socket.SetReadLimit(16 << 20)
	// From the present end on: the past is in `sozai gene log` and the page.
	hello := fmt.Sprintf(`{"type":"hello","after":%d}`, c.end(ctx, agent))
	if err := socket.Write(ctx, websocket.MessageText, []byte(hello)); err != nil {
		return nil, err
	}
	return socket, nil
}

// end is the sequence of the room's newest row.
func (c *client) end(ctx context.Context, agent string) uint64 {
	var page struct {
		Rows []row `json:"rows"`
	}
	if err := c.call(ctx, http.MethodGet, "/api/agents/"+agent+"/timeline?limit=1", nil, &page); err != nil || len(page.Rows) == 0 {
		return 0
	}
	last := page.Rows[len(page.Rows)-1]
	return max(last.Seq, last.Rev)
}

// listen prints frames until the socket ends.
func (r *terminalRoom) listen(ctx context.Context, socket *websocket.Conn) error {
	for {
		_, data, err := socket.Read(ctx)
		switch {
		case ctx.Err() != nil, errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the room's connection ended: %w", err)
		}
		var frames []json.RawMessage
		if err := json.Unmarshal(data, &frames); err != nil {
			return fmt.Errorf("frame: %w", err)
		}
		for _, raw := range frames {
			var f frame
			if err := json.Unmarshal(raw, &f); err != nil {
				return fmt.Errorf("frame: %w", err)
			}
			if r.json {
				fmt.Fprintf(r.p.stdout, "%s\n", raw)
			}
			r.show(f)
		}
	}
}
