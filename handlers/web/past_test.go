package web

import (
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/projections"
)

// What a room was like is what it showed then, whatever happened since.
func TestTheRoomAsItWas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("past")
	key := b.key(created.Agent)
	b.boss.post(path+"/messages", body{"text": "the first words"}).want(200)
	card, seq := b.propose(key, 1, moreSearch)
	then := b.boss.rows(path, seq)

	var a applied
	b.boss.post(path+"/cards/"+string(card)+"/apply", body{}).want(200).into(&a)
	var m said
	b.boss.post(path+"/messages", body{"text": "the last words"}).want(200).into(&m)
	now := b.boss.rows(path, m.Seq)
	if len(now.Rows) <= len(then.Rows) {
		t.Fatalf("%d rows, then %d", len(then.Rows), len(now.Rows))
	}

	look := func(asOf string) timelineView {
		t.Helper()
		var v timelineView
		b.boss.get(path + "/timeline?limit=200&as_of=" + url.QueryEscape(asOf)).want(200).into(&v)
		return v
	}
	got := look(fmt.Sprint(seq))
	if diff := cmp.Diff(then.Rows, got.Rows); diff != "" || got.AsOf != seq {
		t.Fatalf("as of %d (-then +now): %s", got.AsOf, diff)
	}

	var v projections.GeneVersion
	b.boss.get(fmt.Sprintf("%s/gene/versions/2?min_seq=%d", path, a.Seq)).want(200).into(&v)
	got = look("V2")
	if got.AsOf != v.Seq || hasAll(string(encode(got)), "the last words") || !hasAll(string(encode(got)), "the first words", "card_applied") {
		t.Fatalf("as of version 2, event %d: %s", v.Seq, encode(got))
	}
	if diff := cmp.Diff(now.Rows, look(time.Now().Add(time.Hour).Format(time.RFC3339)).Rows); diff != "" {
		t.Fatalf("as of later than the end (-now +then): %s", diff)
	}

	// Pages of it are pages.
	var page timelineView
	b.boss.get(fmt.Sprintf("%s/timeline?limit=1&as_of=%d", path, seq)).want(200).into(&page)
	if len(page.Rows) != 1 || !page.More || page.Rows[0].Seq != then.Rows[len(then.Rows)-1].Seq {
		t.Fatalf("the last page: %+v", page)
	}

	var s projections.Scores
	b.boss.get(fmt.Sprintf("%s/performance?as_of=%d", path, seq)).want(200).into(&s)
	if s.AsOf != seq || len(s.Versions) != 1 || s.Versions[0].Version != 1 {
		t.Fatalf("scores as of %d: %+v", seq, s)
	}
	b.boss.get(fmt.Sprintf("%s/performance/rows?version=1&metric=found&as_of=%d", path, seq)).want(200)
}

func TestNoSuchPast(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := time.Now().Add(-time.Hour)
	path, created := b.boss.agent("past")
	b.boss.rows(path, created.Seq)
	for asOf, want := range map[string]struct {
		status int
		reason string
	}{
		"V9":                               {404, "version_unknown"},
		"v0":                               {404, "version_unknown"},
		"yesterday":                        {400, "as_of"},
		"-1":                               {400, "as_of"},
		"0":                                {400, "not_yet"},
		"999999":                           {400, "not_yet"},
		before.Format(time.RFC3339):        {404, "not_yet_there"},
		url.QueryEscape("2026-01-01T00:0"): {400, "as_of"},
	} {
		b.boss.get(path+"/timeline?as_of="+url.QueryEscape(asOf)).problem(want.status, want.reason)
	}
	// One that failed is not kept: later the log reaches that far.
	b.person("stranger").get(path+"/timeline?as_of=V1").problem(404, "")
}

// Looks at the past are made once for all who ask, kept a while, and dropped at
// the end.
func TestPastsAreShared(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, created := b.boss.agent("past")
	b.boss.get(fmt.Sprintf("%s/gene/versions/1?min_seq=%d", path, created.Seq)).want(200)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { b.boss.get(path + "/timeline?as_of=V1").want(200) })
	}
	all.Wait()
	b.server.pasts.mu.Lock()
	n := len(b.server.pasts.list)
	var one *past
	var at pastKey
	for key, p := range b.server.pasts.list {
		at, one = key, p
	}
	b.server.pasts.mu.Unlock()
	if n != 1 || one.users != 0 {
		t.Fatalf("%d looks, %d users", n, one.users)
	}
	// Somebody came back meanwhile: it stays.
	b.server.dropPast(at, one, one.idle-1)
	if _, err := one.view.Timeline(t.Context(), at.key, projections.Page{}); err != nil {
		t.Fatalf("it was dropped too early: %v", err)
	}
	b.server.dropPast(at, one, one.idle)
	if _, err := one.view.Timeline(t.Context(), at.key, projections.Page{}); err == nil {
		t.Fatal("it was not dropped")
	}
	b.boss.get(path + "/timeline?as_of=V1").want(200)
}
