package behavior_test

import (
	"errors"
	"fmt"
	"testing"

	"sozai/domain"
	"sozai/domain/behavior"
	"sozai/domain/domaintest"
)

func beacon(n int, change func(*behavior.Observation)) behavior.Observed {
	o := behavior.Observed{Beacon: "b"}
	for i := range n {
		one := behavior.Observation{
			ID: domain.ID(fmt.Sprint(i)), Type: behavior.Viewed, Object: domain.Ref{Type: domain.Material, ID: "m"},
			Run: "r", GeneVersion: 2, At: domaintest.Now(),
		}
		if change != nil {
			change(&one)
		}
		o.Observations = append(o.Observations, one)
	}
	return o
}

func TestRules(t *testing.T) {
	t.Parallel()
	unnamed := beacon(1, nil)
	unnamed.Beacon = ""
	for _, c := range []struct {
		rule string
		by   domain.Actor
		o    behavior.Observed
		want error
	}{
		{"1 a person", domaintest.Ann, beacon(1, nil), nil},
		{"1 a butler", domaintest.Butler, beacon(1, nil), domain.ErrPersonOnly},
		{"2 no id", domaintest.Ann, unnamed, domain.ErrMissing},
		{"2 none", domaintest.Ann, beacon(0, nil), behavior.ErrEmpty},
		{"2 hundred", domaintest.Ann, beacon(domain.MaxObservations, nil), nil},
		{"2 hundred and one", domaintest.Ann, beacon(domain.MaxObservations+1, nil), behavior.ErrFull},
		{"2 same id", domaintest.Ann, beacon(2, func(o *behavior.Observation) { o.ID = "x" }), behavior.ErrTwice},
		{"2 empty id", domaintest.Ann, beacon(1, func(o *behavior.Observation) { o.ID = "" }), domain.ErrMissing},
		{"3 ignored", domaintest.Ann, beacon(1, func(o *behavior.Observation) { o.Type = behavior.Ignored }), nil},
		{"3 film downloaded", domaintest.Ann, beacon(1, func(o *behavior.Observation) {
			o.Type, o.Object = behavior.Downloaded, domain.Ref{Type: domain.Film, ID: "f"}
		}), nil},
		{"3 material downloaded", domaintest.Ann, beacon(1, func(o *behavior.Observation) { o.Type = behavior.Downloaded }), behavior.ErrObject},
		{"3 film viewed", domaintest.Ann, beacon(1, func(o *behavior.Observation) { o.Object.Type = domain.Film }), behavior.ErrObject},
		{"3 smelled", domaintest.Ann, beacon(1, func(o *behavior.Observation) { o.Type = "smelled" }), behavior.ErrType},
		{"3 no object", domaintest.Ann, beacon(1, func(o *behavior.Observation) { o.Object.ID = "" }), domain.ErrRef},
		{"4 unstamped", domaintest.Ann, beacon(1, func(o *behavior.Observation) { o.Run, o.GeneVersion = "", 0 }), nil},
		{"4 version without run", domaintest.Ann, beacon(1, func(o *behavior.Observation) { o.Run = "" }), behavior.ErrStamp},
		{"4 negative version", domaintest.Ann, beacon(1, func(o *behavior.Observation) { o.GeneVersion = -1 }), behavior.ErrStamp},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if err := c.o.Check(c.by); !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
		})
	}
}
