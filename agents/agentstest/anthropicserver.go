package agentstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"sozai/agents"
	"sozai/domain"
)

// ServerKey is the key that an AnthropicServer accepts.
const ServerKey = "key-of-the-contract-server"

// AnthropicServer speaks the Messages API, streaming, as the vendor does or, with
// Zen, as the ZenMux gateway does: its error bodies, usage inside the delta, no
// pings but comments. It refuses what the API refuses and counts usage with a
// prompt cache by the documented rules.
type AnthropicServer struct {
	URL string

	contract Contract
	server   *httptest.Server
	cache    Cache

	mu       sync.Mutex
	requests []agents.Request
	bodies   [][]byte
	usages   []domain.Usage
}

// NewAnthropicServer starts a server that asks play for a scene a request and
// ends with the test.
func NewAnthropicServer(t *testing.T, zen bool, play func(agents.Request) Scene) *AnthropicServer {
	t.Helper()
	s := StartAnthropic(Contract{Play: play, Zen: zen})
	t.Cleanup(s.Close)
	return s
}

// StartAnthropic starts a server on loopback; close it.
func StartAnthropic(c Contract) *AnthropicServer {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Minimum == nil {
		c.Minimum = MinimumTokens
	}
	s := &AnthropicServer{contract: c, cache: Cache{Now: c.Now}}
	mux := http.NewServeMux()
	base := ""
	if c.Zen {
		base = "/api/anthropic"
	}
	mux.HandleFunc("POST "+base+"/v1/messages", s.messages)
	s.server = httptest.NewServer(mux)
	s.URL = s.server.URL + base
	return s
}

// Close ends the server.
func (s *AnthropicServer) Close() { s.server.Close() }

// Requests are the valid requests so far, Bodies what was on the wire.
func (s *AnthropicServer) Requests() []agents.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]agents.Request(nil), s.requests...)
}

// Usages are what was counted of the requests that were answered, in order, the
// output included.
func (s *AnthropicServer) Usages() []domain.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]domain.Usage(nil), s.usages...)
}

// Bodies are the raw bodies of the valid requests so far.
func (s *AnthropicServer) Bodies() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.bodies...)
}

func (s *AnthropicServer) messages(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Api-Key") != ServerKey || r.Header.Get("Authorization") != "" {
		if s.contract.Zen {
			s.fail(w, Scene{Status: http.StatusForbidden, Type: "access_denied"}, "the key is not valid")
		} else {
			s.fail(w, Scene{Status: http.StatusUnauthorized, Type: "authentication_error"}, "invalid x-api-key")
		}
		return
	}
	in, err := readRequest(r)
	if err != nil {
		word := "invalid_request_error"
		if s.contract.Zen {
			word = "invalid_params"
		}
		s.fail(w, Scene{Status: http.StatusBadRequest, Type: word}, err.Error())
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, in.request)
	s.bodies = append(s.bodies, in.body)
	n := len(s.requests)
	s.mu.Unlock()
	if s.contract.Unmarked {
		for i := range in.blocks {
			in.blocks[i].mark = false
		}
	}
	usage, begin := s.cache.count(in.blocks, s.contract.Minimum(in.model))
	scene := s.contract.Play(in.request)
	if scene.Status != 0 && scene.Status != http.StatusOK {
		s.fail(w, scene, "scripted")
		return
	}
	usage.Output = outputTokens(scene.Reply)
	s.mu.Lock()
	s.usages = append(s.usages, usage)
	s.mu.Unlock()
	events := s.script(n, in.model, scene, usage)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Request-Id", fmt.Sprintf("req_%d", n))
	w.WriteHeader(http.StatusOK)
	begin()
	send(w, r, scene, events)
}

func (s *AnthropicServer) fail(w http.ResponseWriter, scene Scene, message string) {
	if scene.RetryAfter != "" {
		w.Header().Set("Retry-After", scene.RetryAfter)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(scene.Status)
	inner := map[string]any{"type": scene.Type, "message": message}
	body := map[string]any{"type": "error", "error": inner, "request_id": "req_failed"}
	if s.contract.Zen {
		inner["code"] = fmt.Sprint(scene.Status)
		body = map[string]any{"error": inner}
	}
	if scene.SpendLimit {
		inner["details"] = map[string]any{"error_code": "enforced_spend_limit_reached"}
	}
	// A client that is gone needs no answer.
	_ = json.NewEncoder(w).Encode(body)
}
