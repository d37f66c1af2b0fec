package projections_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"sozai/domain"
	"sozai/domain/chat"
	"sozai/projections"
)

func TestPositionsAreChecked(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	check := func() map[string]projections.PositionCheck {
		t.Helper()
		out := map[string]projections.PositionCheck{}
		for _, c := range must[[]projections.PositionCheck](t)(b.runner.Positions(ctx)) {
			out[c.Projection] = c
		}
		return out
	}
	poisoned(b.log)
	b.catchUp()
	for name, c := range check() {
		parked := name == "timeline" || name == "library" || name == "directory" || name == "performance"
		if !c.AtEnd || !c.Identity || c.Seq != c.End || c.OK() == parked || (c.Parked > 0) != parked {
			t.Errorf("%+v, want at the end, parked %t", c, parked)
		}
	}
	b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 9), Text: "x"})
	for _, c := range check() {
		if c.AtEnd || c.Seq != c.End-1 || c.OK() {
			t.Errorf("%+v, want one event behind", c)
		}
	}
	b.log.Restore(10)
	for name, c := range check() {
		if c.Identity || !strings.Contains(c.Problem, "log diverged") || !strings.Contains(c.Problem, "sozai rebuild "+name) {
			t.Errorf("%+v, want diverged and the way out", c)
		}
	}
}

// A check while events keep coming finds no difference that is not there.
func TestVerifyUnderLoad(t *testing.T) {
	b := setup(t)
	b.history(5)
	b.run(b.runner)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			seq := b.log.Add(key, domain.User(lin), chat.Said{Message: id("msg", 100+n), Text: "x"})
			if err := b.store.Wait(context.Background(), seq-min(seq, 50)); err != nil {
				t.Errorf("wait: %v", err)
				return
			}
		}
	}()
	for range 2 {
		b.same()
	}
	close(stop)
	<-done
	if err := b.store.Wait(context.Background(), uint64(len(b.log.Events()))); err != nil {
		t.Errorf("wait: %v", err)
	}
	for _, c := range must[[]projections.PositionCheck](t)(b.runner.Positions(context.Background())) {
		if !c.OK() {
			t.Errorf("%+v", c)
		}
	}
	if n := b.schemas("%\\_g%"); n != len(projections.All()) {
		t.Errorf("%d generations are left", n)
	}
}
