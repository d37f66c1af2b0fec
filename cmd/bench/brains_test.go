package main

import (
	"testing"
)

// What a search costs is counted, so that its rows hold on any machine.
func TestSearchesReachTheirRows(t *testing.T) {
	t.Parallel()
	b := &bench{opt: options{rounds: 1, dir: t.TempDir()}, stderr: t.Output(), samples: map[string][]sample{}, wanted: map[string]bool{}}
	defer b.close()
	if err := brains(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups() {
		if g.name != "brains" {
			continue
		}
		for _, r := range g.rows {
			if got := r.conclude(b.samples[r.name], nil); !got.OK {
				t.Errorf("%s: %g beside %v", r.name, *got.Ours, got.Limit)
			}
		}
	}
}
