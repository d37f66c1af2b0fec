// Package effecttest is what every effect.Ledger must do. It may be imported by
// tests only.
package effecttest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sozai/agents/effect"
	"sozai/domain"
)

// bench is one case's ledger and how often its effect was done.
type bench struct {
	t *testing.T
	effect.Ledger
	done atomic.Int32
}

// once makes a call whose effect ends with err.
func (b *bench) once(c effect.Call, err error) (effect.Done, bool, error) {
	return b.Once(b.t.Context(), c, func(context.Context) (effect.Done, error) {
		n := b.done.Add(1)
		answer, jsonErr := json.Marshal(n)
		return effect.Done{Answer: answer, Cost: domain.Money(n) * 1000}, errors.Join(err, jsonErr)
	})
}

// dies makes a call whose attempt dies in it.
func (b *bench) dies(c effect.Call) {
	defer func() { _ = recover() }()
	_, _, _ = b.Once(b.t.Context(), c, func(context.Context) (effect.Done, error) {
		b.done.Add(1)
		panic("killed")
	})
}

// want checks the answer of a call; times is how often the effect was done by now.
func (b *bench) want(d effect.Done, again bool, err error, answer string, wantAgain bool, times int32) {
	b.t.Helper()
	if err != nil || string(d.Answer) != answer || again != wantAgain || b.done.Load() != times {
		b.t.Fatalf("answer %s again %v error %v after %d times; want %s, %v after %d",
			d.Answer, again, err, b.done.Load(), answer, wantAgain, times)
	}
	if again != (d.Cost == 0) {
		b.t.Fatalf("again is %v and the cost %d", again, d.Cost)
	}
}

func call(key string, paid bool) effect.Call {
	return effect.Call{
		Key: key, Kind: "tikhub", Product: "p", Agent: "01J00000000000000000000000", Run: "01J00000000000000000000001",
		Attempt: 1, Paid: paid,
	}
}

// Run checks a ledger; open returns an empty one.
func Run(t *testing.T, open func(t *testing.T) effect.Ledger) {
	t.Helper()
	broken := errors.New("connection reset")
	notDone := errors.Join(errors.New("429"), effect.ErrNotDone)
	for name, check := range map[string]func(b *bench){
		"done once": func(b *bench) {
			d, again, err := b.once(call("a", true), nil)
			b.want(d, again, err, "1", false, 1)
			second := call("a", true)
			second.Attempt = 2
			d, again, err = b.once(second, nil)
			b.want(d, again, err, "1", true, 1)
			d, again, err = b.once(call("b", true), nil)
			b.want(d, again, err, "2", false, 2)
		},
		"not done is tried again": func(b *bench) {
			if _, _, err := b.once(call("a", true), notDone); !errors.Is(err, effect.ErrNotDone) {
				b.t.Fatal(err)
			}
			d, again, err := b.once(call("a", true), nil)
			b.want(d, again, err, "2", false, 2)
		},
		"paid and unknown is not repeated": func(b *bench) {
			if _, _, err := b.once(call("a", true), broken); !errors.Is(err, broken) {
				b.t.Fatal(err)
			}
			b.dies(call("b", true))
			for _, key := range []string{"a", "b"} {
				for range 2 {
					if _, _, err := b.once(call(key, true), nil); !errors.Is(err, effect.ErrUnknown) || b.done.Load() != 2 {
						b.t.Fatalf("%s: error %v, done %d times", key, err, b.done.Load())
					}
				}
			}
		},
		"unpaid is repeated": func(b *bench) {
			_, _, _ = b.once(call("a", false), broken)
			b.dies(call("b", false))
			d, again, err := b.once(call("a", false), nil)
			b.want(d, again, err, "3", false, 3)
			d, again, err = b.once(call("b", false), nil)
			b.want(d, again, err, "4", false, 4)
			d, again, err = b.once(call("b", false), nil)
			b.want(d, again, err, "4", true, 4)
		},
		"two at a time": twoAtATime,
		"waiting ends with its context": func(b *bench) {
			_, _, err := b.Once(b.t.Context(), call("a", true), func(context.Context) (effect.Done, error) {
				short, cancel := context.WithTimeout(b.t.Context(), 30*time.Millisecond)
				defer cancel()
				_, _, err := b.Once(short, call("a", true), func(context.Context) (effect.Done, error) {
					return effect.Done{}, errors.New("done twice")
				})
				if !errors.Is(err, context.DeadlineExceeded) {
					b.t.Errorf("the second call: %v", err)
				}
				return effect.Done{Answer: json.RawMessage(`{}`)}, nil
			})
			if err != nil {
				b.t.Fatal(err)
			}
		},
		"what ends with its context is remembered": func(b *bench) {
			ctx, cancel := context.WithCancel(b.t.Context())
			_, _, err := b.Once(ctx, call("a", true), func(context.Context) (effect.Done, error) {
				cancel()
				return effect.Done{Answer: json.RawMessage(`"paid"`)}, nil
			})
			if err != nil {
				b.t.Fatal(err)
			}
			d, again, err := b.once(call("a", true), nil)
			b.want(d, again, err, `"paid"`, true, 0)
		},
		"odd answers are kept as they are": func(b *bench) {
			odd := "{\"a\":\"\\u0000\",\"b\":1.000,\"b\":\"\xff\"}"
			for range 2 {
				d, _, err := b.Once(b.t.Context(), call("a", true), func(context.Context) (effect.Done, error) {
					return effect.Done{Answer: json.RawMessage(odd)}, nil
				})
				if err != nil || string(d.Answer) != odd {
					b.t.Fatalf("%q, %v", d.Answer, err)
				}
			}
		},
		"calls without a name": func(b *bench) {
			noKind := call("a", true)
			noKind.Kind = ""
			for _, c := range []effect.Call{noKind, call("", true), call("a\x00", true), call(strings.Repeat("a", 401), true)} {
				if _, _, err := b.once(c, nil); domain.CodeOf(err) != domain.Invalid || b.done.Load() != 0 {
					b.t.Fatalf("%.20q: %v", c.Key, err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(&bench{t: t, Ledger: open(t)})
		})
	}
}

// twoAtATime: of many callers at once one does it, and all get its answer.
func twoAtATime(b *bench) {
	var wg sync.WaitGroup
	var first atomic.Int32
	for range 8 {
		wg.Go(func() {
			d, again, err := b.once(call("a", true), nil)
			if err != nil || string(d.Answer) != "1" {
				b.t.Errorf("answer %s, error %v", d.Answer, err)
			}
			if !again {
				first.Add(1)
			}
		})
	}
	wg.Wait()
	if first.Load() != 1 || b.done.Load() != 1 {
		b.t.Fatalf("%d callers did it, %d times", first.Load(), b.done.Load())
	}
}
