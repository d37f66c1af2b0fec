// Package sourcetest holds contract servers of the remote search sources, and the
// conformance suite that every source passes.
//
// The servers behave like the services they stand for, odd shapes, delays and
// errors included, can be told what goes wrong, and count what they are asked and
// what they charge. TikHub follows the vendor's documents. The competitor bridge
// and the hot engine have no public contract; theirs is ours:
//
//	POST {base}/tasks     Idempotency-Key, {"query","product"} → 202 {"task_id"}
//	GET  {base}/tasks/ID  → {"state":"queued|running|succeeded|failed","items":[…],"retry_after_s","reason"}
//	POST {base}/searches  Idempotency-Key, {"what","why","brief","search","target","product"} → 202 {"search_id"}
//	GET  {base}/searches/ID → the same, with "summary" and "progress":{"done","total"}
//
// An item is {"id","title","author","platform","url","tags","published_at",
// "seconds","width","height","counts":{"plays","likes","shares","comments"},
// "video_url","analysis":{"source","shot_rhythm","spoken_hook","caption_points",
// "highlight":{"rating","reason"},"verdict","report"}}; only "id" must be there. Errors are
// RFC 9457. Keys are bearer tokens.
//
// It may import domain and agents/{effect,source,catalogue}; production code may
// not import it.
package sourcetest

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Odd is a way in which a good answer is not what one hopes for.
type Odd string

// The ways. Each is charged.
const (
	Empty   Odd = "empty"   // nothing found
	Inner   Odd = "inner"   // an error inside
	Garbage Odd = "garbage" // no JSON
	Cut     Odd = "cut"     // the connection breaks before the answer
	Still   Odd = "still"   // the cursor does not advance
	Wrapped Odd = "wrapped" // payload wrapped once more, numbers as strings
	Loop    Odd = "loop"    // the same page again under another cursor
)

// Odds are all of them.
func Odds() []Odd { return []Odd{Empty, Inner, Garbage, Cut, Still, Wrapped, Loop} }

// Fault is what goes wrong.
type Fault struct {
	Status     int           // answered instead of anything else
	RetryAfter string        // header
	Reset      string        // header X-RateLimit-Reset
	Odd        Odd           // if there is no Status
	Delay      time.Duration // before the answer
	Times      int           // how often; 0 = for ever
}

// Desk is the front of a contract server: it checks the key, plays faults, and
// counts. Safe for concurrent use.
type Desk struct {
	Key string

	mu      sync.Mutex
	faults  []Fault
	calls   int
	charges int
	paths   map[string]int
}

// Break adds a fault; they are played in order.
func (d *Desk) Break(f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults = append(d.faults, f)
}

// Mend takes all faults away.
func (d *Desk) Mend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults = nil
}

// Calls is how many requests came with an accepted key, media not counted.
func (d *Desk) Calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

// CallsTo is how many of them asked for this path.
func (d *Desk) CallsTo(path string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.paths[path]
}

// Charges is how many of them were charged.
func (d *Desk) Charges() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.charges
}

func (d *Desk) charge() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.charges++
}

// admit counts a request and plays the fault whose turn it is. It returns the
// oddity of the answer to be given, or false if it was answered.
func (d *Desk) admit(w http.ResponseWriter, r *http.Request) (Odd, bool) {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+d.Key)) != 1 {
		problem(w, http.StatusUnauthorized, "bad key")
		return "", false
	}
	f := d.next(r.URL.Path)
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-r.Context().Done():
			return "", false
		}
	}
	if f.Status == 0 {
		return f.Odd, true
	}
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	if f.Reset != "" {
		w.Header().Set("X-RateLimit-Reset", f.Reset)
	}
	problem(w, f.Status, "told to fail")
	return "", false
}

func (d *Desk) next(path string) Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if d.paths == nil {
		d.paths = map[string]int{}
	}
	d.paths[path]++
	if len(d.faults) == 0 {
		return Fault{}
	}
	f := d.faults[0]
	if f.Times > 0 {
		if d.faults[0].Times--; d.faults[0].Times == 0 {
			d.faults = d.faults[1:]
		}
	}
	return f
}

// cut breaks the connection without an answer.
func cut() { panic(http.ErrAbortHandler) }

// object is a JSON object of which every field is said by hand, as those of the
// services are.
type object = map[string]any

func reply(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// problem answers with an error in the manner of RFC 9457 and of FastAPI at once:
// clients go by the status.
func problem(w http.ResponseWriter, status int, detail string) {
	reply(w, status, object{"type": "about:blank", "status": status, "title": http.StatusText(status), "detail": detail})
}
