// Package videotest holds the contract server of the video worker, a host of media
// files that both sides read, and the suite that every video.Analyser passes. It
// may be imported by tests and by test harnesses only.
package videotest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sozai/agents/video"
	"sozai/domain"
)

// Service is a video worker as agents/video documents it: it fetches what it is
// to look at, and an analysis is made and charged once a key. The zero value asks
// for no key and charges nothing.
type Service struct {
	Key   string
	Price domain.Money // of an analysis

	mu       sync.Mutex
	faults   Faults
	answers  map[string]string // by idempotency key
	counts   Counts
	arrived  chan struct{} // a request has come; tests wait for it
	released chan struct{} // closed: hanging requests go on
}

// Faults are what the worker does wrong from now on. Numbers count requests.
type Faults struct {
	Broken     int           // are answered 500
	Throttled  int           // are answered 429
	RetryAfter string        // header of those and of Broken
	Garbage    int           // are answered by half an answer
	Cut        int           // are worked on, and their answer is cut off
	Hang       bool          // requests wait for Release, or until they are given up
	Status     int           // every request is answered by this problem
	Type       string        // of it, such as "blocked"
	Detail     string        // of it
	Without    []string      // sections that are missing
	Rating     string        // in place of "high"
	Words      string        // in place of every section and of the report
	Huge       bool          // the answer is larger than any that is read
	Delay      time.Duration // before an answer
}

// Counts are what the worker has been asked.
type Counts struct {
	Requests int // of /process
	Analyses int // of those, new ones
	Queries  int // new questions
	Charged  domain.Money
}

// NewService starts a worker for a test.
func NewService(t testing.TB) (s *Service, address string) {
	s = &Service{Key: "worker-secret", Price: 200_000}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Release()
		server.Close()
	})
	return s, server.URL
}

// Set replaces the faults.
func (s *Service) Set(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
	if f.Hang {
		s.arrived, s.released = make(chan struct{}, 100), make(chan struct{})
	}
}

// Arrived receives once for each request that hangs.
func (s *Service) Arrived() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arrived
}

// Release lets hanging requests go on.
func (s *Service) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.Hang = false
	if s.released != nil {
		close(s.released)
		s.released = nil
	}
}

// Counts is what the worker has been asked so far.
func (s *Service) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// ServeHTTP answers the interface.
func (s *Service) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if s.Key != "" && req.Header.Get("Authorization") != "Bearer "+s.Key {
		refuse(w, http.StatusUnauthorized, "", "who are you")
		return
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /process", s.process)
	mux.HandleFunc("POST /extract-frames", s.frames)
	mux.HandleFunc("POST /api/query", s.query)
	mux.ServeHTTP(w, req)
}

// order is what all three are asked with.
type order struct {
	VideoURL string    `json:"video_url"`
	ObjectID string    `json:"object_id"`
	Want     []string  `json:"want"`
	Language string    `json:"language"`
	Times    []float64 `json:"times_s"`
	Every    float64   `json:"every_s"`
	Max      int       `json:"max"`
	Question string    `json:"question"`
}

// take reads an order and passes the faults that come before any work.
func (s *Service) take(w http.ResponseWriter, req *http.Request) (o order, f Faults, ok bool) {
	body, err := io.ReadAll(io.LimitReader(req.Body, 1<<16))
	if err != nil || json.Unmarshal(body, &o) != nil || o.VideoURL == "" {
		refuse(w, http.StatusBadRequest, "", "an order needs a video_url")
		return o, f, false
	}
	s.mu.Lock()
	f = s.faults
	throttled, broken := f.Throttled > 0, f.Throttled == 0 && f.Broken > 0
	if throttled {
		s.faults.Throttled--
	} else if broken {
		s.faults.Broken--
	}
	arrived, released := s.arrived, s.released
	s.mu.Unlock()
	if f.Hang {
		arrived <- struct{}{}
		select {
		case <-released:
		case <-req.Context().Done():
			return o, f, false
		}
	}
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-req.Context().Done():
			return o, f, false
		}
	}
	if (throttled || broken) && f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	switch {
	case throttled:
		refuse(w, http.StatusTooManyRequests, "quota", "slow down")
	case broken:
		http.Error(w, "<html>upstream broke</html>", http.StatusInternalServerError)
	case f.Status != 0:
		refuse(w, f.Status, f.Type, f.Detail)
	default:
		return o, f, true
	}
	return o, f, false
}

func (s *Service) process(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	s.counts.Requests++
	s.mu.Unlock()
	o, f, ok := s.take(w, req)
	if !ok {
		return
	}
	key := req.Header.Get("Idempotency-Key")
	if key == "" || o.ObjectID == "" || o.Language == "" || !slices.Equal(o.Want, []string{"report", "digest", "highlight"}) {
		refuse(w, http.StatusBadRequest, "", "an analysis needs a key, an object, a language and what is wanted")
		return
	}
	s.remember(w, req, key, f, func() (any, int, string) {
		sum, status, kind := s.fetch(req, o.VideoURL)
		if status == 0 {
			s.counts.Analyses++
			s.counts.Charged += s.Price
		}
		return report(sum, f), status, kind
	})
}

func (s *Service) query(w http.ResponseWriter, req *http.Request) {
	o, f, ok := s.take(w, req)
	if !ok {
		return
	}
	s.remember(w, req, req.Header.Get("Idempotency-Key"), f, func() (any, int, string) {
		sum, status, kind := s.fetch(req, o.VideoURL)
		s.counts.Queries++
		return map[string]any{"answer": fmt.Sprintf("关于「%s」：视频 %s 里有三次爆炸。", o.Question, sum[:min(len(sum), 8)])}, status, kind
	})
}

func (s *Service) frames(w http.ResponseWriter, req *http.Request) {
	o, f, ok := s.take(w, req)
	if !ok {
		return
	}
	if _, status, kind := s.fetch(req, o.VideoURL); status != 0 {
		refuse(w, status, kind, "it cannot be used")
		return
	}
	if o.Every > 0 {
		for at := 0.0; at < 10 && len(o.Times) < o.Max; at += o.Every {
			o.Times = append(o.Times, at)
		}
	}
	list := []any{}
	for i, at := range o.Times {
		list = append(list, map[string]any{
			"time_s": at, "url": fmt.Sprintf("http://%s/frames/%d.jpg", req.Host, i), "width": 180, "height": 320,
		})
	}
	if f.Words != "" { // a picture that is none, and one of nowhere
		list = append(list, "nonsense", map[string]any{"time_s": "soon", "url": "javascript:alert(1)", "width": -1})
	}
	answer(w, map[string]any{"frames": list})
}

// remember answers a key that is known as before; a new one is worked on under
// the lock, so that two at a time are one.
func (s *Service) remember(w http.ResponseWriter, req *http.Request, key string, f Faults, work func() (any, int, string)) {
	s.mu.Lock()
	text, again := s.answers[key]
	if !again {
		made, status, kind := work()
		if status != 0 {
			s.mu.Unlock()
			refuse(w, status, kind, "it cannot be used: "+req.URL.Path)
			return
		}
		raw, _ := json.Marshal(made) // always a map of plain values
		text = string(raw)
		if s.answers == nil {
			s.answers = map[string]string{}
		}
		s.answers[key] = text
	}
	cut, garbage := s.faults.Cut > 0, s.faults.Garbage > 0
	if cut {
		s.faults.Cut--
	} else if garbage {
		s.faults.Garbage--
	}
	s.mu.Unlock()
	switch {
	case cut:
		panic(http.ErrAbortHandler)
	case garbage:
		text = text[:len(text)/2]
	case f.Huge:
		text = `{"report_markdown":"` + strings.Repeat("长", 1<<20) + `"}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, text)
}

// fetch copies the video, as the worker does before it looks at it, and returns
// its hash, or the problem with it.
func (s *Service) fetch(req *http.Request, address string) (sum string, status int, kind string) {
	get, err := http.NewRequestWithContext(req.Context(), http.MethodGet, address, nil)
	if err != nil {
		return "", http.StatusBadRequest, ""
	}
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Do(get)
	if err != nil {
		return "", http.StatusUnprocessableEntity, "unreachable-media"
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	switch {
	case err != nil || resp.StatusCode != http.StatusOK:
		return "", http.StatusUnprocessableEntity, "unreachable-media"
	case video.Sniff(data[:min(len(data), 4096)]) == "":
		return "", http.StatusUnsupportedMediaType, "unsupported-media"
	}
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:]), 0, ""
}

// report is an answer about a video; sections say which one it is.
func report(sum string, f Faults) map[string]any {
	digest := map[string]any{
		"shot_rhythm": "前三秒连切五镜，随后放慢。", "spoken_hook": "「你敢信这座塔能守住？」",
		"caption_points": []string{"守住最后一波", "下载即送英雄"}, "highlight": "high",
		"verdict": "开场冲突强，结尾转化弱（" + sum[:min(len(sum), 6)] + "）。",
	}
	rating := map[string]any{"rating": "high", "reason": "第 2 秒的反转让人停下来。"}
	text := "# 创意拆解\n\n## 结构\n开场冲突 → 升级 → 反转。\n"
	if f.Words != "" {
		for name := range digest {
			digest[name] = f.Words
		}
		rating["reason"], text = f.Words, f.Words
	}
	if f.Rating != "" {
		rating["rating"] = f.Rating
	}
	for _, name := range f.Without {
		delete(digest, name)
	}
	body := map[string]any{
		"analysis_id": "an-" + sum[:min(len(sum), 12)], "source": "gemini-mai", "model": "gemini-2.5-flash",
		"report_markdown": text, "digest": digest, "highlight": rating,
		"usage": map[string]any{"input_tokens": 4480, "output_tokens": 310}, "duration_ms": 29_000,
	}
	for _, name := range f.Without {
		delete(body, name)
	}
	return body
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // whoever asked may have gone
}

// refuse answers an RFC 9457 problem.
func refuse(w http.ResponseWriter, status int, kind, detail string) {
	if kind == "" {
		kind = "about:blank"
	} else {
		kind = "https://video-worker.example/problems/" + kind
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": kind, "title": http.StatusText(status), "status": status, "detail": detail,
	})
}
