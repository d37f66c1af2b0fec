package renderer_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sozai/agents/effect"
	"sozai/agents/fetch"
	"sozai/agents/renderer"
	"sozai/agents/renderer/renderertest"
	"sozai/domain"
)

const token = "s3cret-token"

// newService is a render service and what it takes to use it.
func newService(t testing.TB, sign func(string, time.Duration) (string, error)) (*renderertest.Service, renderer.RemoteConfig) {
	t.Helper()
	s := &renderertest.Service{
		Token: token, Price: 150_000, Dir: t.TempDir(),
		Make: func(dir string, short int) (renderer.Renderer, error) {
			return renderer.NewLocal(renderer.LocalConfig{Dir: dir, Video: renderertest.Analyzer(t), ShortSide: short})
		},
	}
	server := httptest.NewServer(s)
	t.Cleanup(s.Close)
	t.Cleanup(server.Close)
	return s, renderer.RemoteConfig{
		URL: server.URL, Token: token, Dir: t.TempDir(), Ledger: new(effect.Memory), Video: renderertest.Analyzer(t),
		Fetch:   fetch.New(fetch.Config{Allow: []string{strings.TrimPrefix(server.URL, "http://")}}),
		SignURL: sign, ShortSide: renderertest.ShortSide, Poll: 10 * time.Millisecond, Patience: 3 * time.Second,
	}
}

func newRemote(t testing.TB, c renderer.RemoteConfig) *renderer.Remote {
	t.Helper()
	r, err := renderer.NewRemote(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRemote(t *testing.T) {
	t.Parallel()
	clips := renderertest.NewClips(t)
	sign := clips.Serve(t)
	renderertest.Run(t, clips, func(t *testing.T) renderertest.Subject {
		_, c := newService(t, sign)
		return renderertest.Subject{Renderer: newRemote(t, c), Dir: c.Dir}
	})
}

// card is a film of one card, which takes little time.
func card(seconds float64, attempt int) renderer.Job {
	return renderer.Job{
		Product: "p", Agent: "a", Run: "r", Attempt: attempt,
		Panels: []renderer.Panel{{Number: 1, Seconds: seconds, Caption: "hi"}},
	}
}

func ignore(int, int) {}

func noClips(string, time.Duration) (string, error) { return "", errors.New("there are no clips") }

// An attempt that dies while the service renders leaves the order alone; the next
// one goes on with it, and nothing is paid twice, whether or not the first one
// heard its answer.
func TestSecondAttemptGoesOnWithTheRender(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]renderertest.Faults{
		"after the answer": {Hang: true},
		"answer cut off":   {Hang: true, Cut: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := newService(t, noClips)
			s.Set(faults)
			first := card(0.5, 1)
			first.Dropped = func() bool { return false }
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if _, err := newRemote(t, c).Render(ctx, first, ignore); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("got %v", err)
			}
			if got := s.Counts(); got.Renders != 1 || got.Stopped != 0 {
				t.Fatalf("got %+v", got)
			}
			ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := newRemote(t, c).Render(ctx, card(0.5, 2), ignore)
			if got := s.Counts(); !errors.Is(err, context.DeadlineExceeded) || got.Renders != 1 || got.Charged != 150_000 || got.Stopped != 1 {
				t.Fatalf("got %v, %+v", err, got)
			}
		})
	}
}

func TestRemoteTellsTheCostOfEveryAttempt(t *testing.T) {
	t.Parallel()
	s, c := newService(t, noClips)
	remote := newRemote(t, c)
	if spent, err := remote.Spent(t.Context(), card(0.2, 1)); spent != 0 || err != nil {
		t.Fatalf("spent %d before anything, %v", spent, err)
	}
	for attempt := 1; attempt <= 2; attempt++ {
		r, err := newRemote(t, c).Render(t.Context(), card(0.2, attempt), ignore)
		if err != nil {
			t.Fatal(err)
		}
		r.Discard()
		spent, err := newRemote(t, c).Spent(t.Context(), card(0.2, attempt))
		if r.Cost != 150_000 || spent != r.Cost || err != nil {
			t.Errorf("attempt %d cost %d, spent %d, %v", attempt, r.Cost, spent, err)
		}
	}
	edited := card(0.2, 3)
	edited.Panels[0].Caption = "edited"
	r, err := newRemote(t, c).Render(t.Context(), edited, ignore)
	if err != nil {
		t.Fatal(err)
	}
	r.Discard()
	if got := s.Counts(); got.Orders != 2 || got.Renders != 2 {
		t.Errorf("an edited board is another film: %+v", got)
	}
}

func TestRemoteWaitsForABusyService(t *testing.T) {
	t.Parallel()
	s, c := newService(t, noClips)
	s.Set(renderertest.Faults{Busy: 4})
	r, err := newRemote(t, c).Render(t.Context(), card(0.2, 1), ignore)
	if err != nil {
		t.Fatal(err)
	}
	r.Discard()
}

// What a service does wrong is an error with its reason, never a film, and never
// says the token.
func TestRemoteRefusals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		faults renderertest.Faults
		change func(*renderer.RemoteConfig)
		clip   bool
		code   domain.Code
	}{
		"a film too short":      {faults: renderertest.Faults{Short: true}, code: domain.Unavailable},
		"a render that failed":  {faults: renderertest.Faults{Fails: true}, code: domain.Unprocessable},
		"a forgotten render":    {faults: renderertest.Faults{Forgets: true}, code: domain.Unavailable},
		"a service that's busy": {faults: renderertest.Faults{Busy: 1e6}, change: impatient, code: domain.Unavailable},
		"a wrong token":         {change: func(c *renderer.RemoteConfig) { c.Token += "x" }, code: domain.Unavailable},
		"no service":            {change: func(c *renderer.RemoteConfig) { c.URL = "http://127.0.0.1:1"; impatient(c) }, code: domain.Unavailable},
		"another service":       {change: func(c *renderer.RemoteConfig) { c.URL += "/elsewhere" }, code: domain.Unavailable},
		"a film inside":         {change: func(c *renderer.RemoteConfig) { c.Fetch = fetch.New(fetch.Config{}) }, code: domain.Unavailable},
		"never done": {faults: renderertest.Faults{Hang: true},
			change: func(c *renderer.RemoteConfig) { c.Longest = 200 * time.Millisecond }, code: domain.Unavailable},
		"no public address": {change: func(c *renderer.RemoteConfig) { c.SignURL = nil }, code: domain.Unavailable},
		"no signature":      {clip: true, code: domain.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := newService(t, noClips)
			s.Set(test.faults)
			if test.change != nil {
				test.change(&c)
			}
			job := card(1.2, 1)
			if test.clip || c.SignURL == nil {
				job.Panels[0].Clip, job.Panels[0].Hash = "clip", "hash"
			}
			_, err := newRemote(t, c).Render(t.Context(), job, ignore)
			if domain.CodeOf(err) != test.code || strings.Contains(err.Error(), token) {
				t.Errorf("got %v", err)
			}
			if left, _ := filepath.Glob(filepath.Join(c.Dir, "films", "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func impatient(c *renderer.RemoteConfig) { c.Patience = 50 * time.Millisecond }
