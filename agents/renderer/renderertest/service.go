package renderertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"sozai/agents/renderer"
	"sozai/domain"
)

// Service is a render service as agents/renderer documents it. It really renders,
// with a local renderer, from the addresses that it is given.
type Service struct {
	Token string       // that it asks for; "" = none
	Price domain.Money // of a render
	// Make returns a renderer of films with a short side; the service has a folder
	// of its own for each render.
	Make func(dir string, shortSide int) (renderer.Renderer, error)
	Dir  string

	mu      sync.Mutex
	faults  Faults
	renders map[string]*render // by id
	keys    map[string]string  // id by idempotency key
	counts  Counts
}

// Faults are what the service does wrong from now on.
type Faults struct {
	Busy    int  // so many requests are answered 503
	Cut     int  // so many orders are accepted, but their answer is cut off
	Hang    bool // renders stay where they are
	Short   bool // films are a second shorter than ordered
	Forgets bool // renders are not known any more
	Fails   bool // renders end as failed
}

// Counts are what the service has been asked.
type Counts struct {
	Orders  int // POST
	Renders int // of those, new ones
	Stopped int // DELETE of a known render
	Charged domain.Money
}

// render is one order and what came of it.
type render struct {
	state, path     string
	done, total     int
	message         string
	panel           int
	cancel          context.CancelFunc
	result          renderer.Result
	finishedOrEnded chan struct{}
}

// Set replaces the faults.
func (s *Service) Set(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// Counts is what the service has been asked so far.
func (s *Service) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Close stops what is being rendered and removes the films.
func (s *Service) Close() {
	s.mu.Lock()
	renders := make([]*render, 0, len(s.renders))
	for _, r := range s.renders {
		renders = append(renders, r)
	}
	s.mu.Unlock()
	for _, r := range renders {
		r.cancel()
		<-r.finishedOrEnded
		r.result.Discard()
	}
}

// ServeHTTP answers the interface and, under /films/, the films themselves.
func (s *Service) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if id, film := filmOf(req); film {
		s.film(w, req, id)
		return
	}
	if s.Token != "" && req.Header.Get("Authorization") != "Bearer "+s.Token {
		answer(w, http.StatusUnauthorized, map[string]any{"message": "who are you"})
		return
	}
	s.mu.Lock()
	busy := s.faults.Busy > 0
	if busy {
		s.faults.Busy--
	}
	s.mu.Unlock()
	if busy {
		w.Header().Set("Retry-After", "0")
		answer(w, http.StatusServiceUnavailable, map[string]any{"message": "later"})
		return
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /renders", s.order)
	mux.HandleFunc("GET /renders/{id}", s.look)
	mux.HandleFunc("DELETE /renders/{id}", s.stop)
	mux.ServeHTTP(w, req)
}

func filmOf(req *http.Request) (id string, film bool) {
	dir, file := filepath.Split(req.URL.Path)
	return file, req.Method == http.MethodGet && dir == "/films/"
}

type order struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	Frames int `json:"frames"`
	Panels []struct {
		Number  int     `json:"number"`
		Caption string  `json:"caption"`
		Seconds float64 `json:"seconds"`
		URL     string  `json:"url"`
		From    float64 `json:"from"`
		To      float64 `json:"to"`
	} `json:"panels"`
}

func (s *Service) order(w http.ResponseWriter, req *http.Request) {
	var o order
	key := req.Header.Get("Idempotency-Key")
	if err := json.NewDecoder(io.LimitReader(req.Body, 1<<20)).Decode(&o); err != nil || key == "" || o.Frames < 1 {
		answer(w, http.StatusBadRequest, map[string]any{"message": "an order needs a key and panels"})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Orders++
	id, again := s.keys[key]
	if !again {
		if s.keys == nil {
			s.keys, s.renders = map[string]string{}, map[string]*render{}
		}
		id = fmt.Sprintf("render-%d", len(s.keys)+1)
		s.keys[key] = id
		s.counts.Renders++
		s.counts.Charged += s.Price
		ctx, cancel := context.WithCancel(context.Background())
		r := &render{state: "queued", total: o.Frames, cancel: cancel, finishedOrEnded: make(chan struct{})}
		s.renders[id] = r
		go s.work(ctx, r, id, o, s.faults)
	}
	if s.faults.Cut > 0 {
		s.faults.Cut--
		panic(http.ErrAbortHandler) // accepted, and the connection breaks
	}
	answer(w, http.StatusAccepted, map[string]any{"render_id": id, "cost": s.Price})
}

func (s *Service) look(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.renders[req.PathValue("id")]
	if r == nil || s.faults.Forgets {
		answer(w, http.StatusNotFound, map[string]any{"message": "no such render"})
		return
	}
	body := map[string]any{"state": r.state, "frames_done": r.done, "frames_total": r.total}
	switch r.state {
	case "done":
		body["url"] = "http://" + req.Host + "/films/" + req.PathValue("id")
	case "failed":
		body["error"] = map[string]any{"message": r.message, "panel": r.panel}
	}
	answer(w, http.StatusOK, body)
}

func (s *Service) stop(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.renders[req.PathValue("id")]
	if r == nil {
		answer(w, http.StatusNotFound, map[string]any{"message": "no such render"})
		return
	}
	s.counts.Stopped++
	r.cancel()
	w.WriteHeader(http.StatusNoContent)
}

func (s *Service) film(w http.ResponseWriter, req *http.Request, id string) {
	s.mu.Lock()
	path := ""
	if r := s.renders[id]; r != nil {
		path = r.path
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "video/mp4")
	http.ServeFile(w, req, path)
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // whoever asked may have gone
}

// work renders one order.
func (s *Service) work(ctx context.Context, r *render, id string, o order, faults Faults) {
	defer close(r.finishedOrEnded)
	dir := filepath.Join(s.Dir, id)
	result, err := s.render(ctx, r, dir, o, faults)
	s.mu.Lock()
	defer s.mu.Unlock()
	r.result, r.path, r.state, r.done = result, result.Path, "done", r.total
	if err == nil {
		return
	}
	r.state, r.message = "failed", "it does not work"
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		r.message = refusal.Message
		r.panel, _ = refusal.Details["panel"].(int)
	}
}

func (s *Service) render(ctx context.Context, r *render, dir string, o order, faults Faults) (renderer.Result, error) {
	if faults.Fails {
		return renderer.Result{}, errors.New("the machine is on fire")
	}
	job := renderer.Job{Aspect: aspectOf(o.Width, o.Height)}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return renderer.Result{}, err
	}
	for i, p := range o.Panels {
		panel := renderer.Panel{Number: p.Number, Caption: p.Caption, Seconds: p.Seconds, From: p.From, To: p.To}
		if faults.Short && i == 0 {
			panel.Seconds--
		}
		if p.URL != "" {
			panel.Clip = filepath.Join(dir, fmt.Sprint("clip-", i))
			if err := download(ctx, p.URL, panel.Clip); err != nil {
				return renderer.Result{}, err
			}
		}
		job.Panels = append(job.Panels, panel)
	}
	local, err := s.Make(dir, min(o.Width, o.Height))
	if err != nil {
		return renderer.Result{}, err
	}
	if faults.Hang {
		<-ctx.Done()
		return renderer.Result{}, ctx.Err()
	}
	return local.Render(ctx, job, func(done, total int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		r.state, r.done, r.total = "rendering", done, total
	})
}

// aspectOf is the film's shape by its sides.
func aspectOf(w, h int) string {
	switch {
	case w > h:
		return "16:9"
	case w == h:
		return "1:1"
	case h*4 <= w*5+8:
		return "4:5"
	}
	return "9:16"
}

func download(ctx context.Context, address, to string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Timeout: time.Minute}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the clip's server answered %d", resp.StatusCode)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return err
	}
	return os.WriteFile(to, raw, 0o600)
}
