package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sozai/migrations"
	"sozai/streams"
)

// findingOf is the one check that a part of doctor makes.
func findingOf(t *testing.T, look func(d *checkup)) check {
	t.Helper()
	d := &checkup{doctorCommand: &doctorCommand{}, ctx: t.Context(), n: &node{}, now: time.Now()}
	look(d)
	if len(d.done) != 1 {
		t.Fatalf("found %+v", d.done)
	}
	return d.done[0]
}

func TestDoctorComparesTheMigrations(t *testing.T) {
	t.Parallel()
	newest, err := migrations.Newest()
	if err != nil || newest < 6 {
		t.Fatalf("the newest migration is %d, %v", newest, err)
	}
	for applied, want := range map[int64]check{
		newest:     {Status: checkOK, Says: "the newest"},
		newest - 1: {Status: checkWarn, Says: "this Sozai brings", Do: "sozai serve"},
		newest + 1: {Status: checkFail, Says: "newer Sozai", Do: "newer"},
	} {
		got := findingOf(t, func(d *checkup) { d.schema(applied) })
		if got.Status != want.Status || !strings.Contains(got.Says, want.Says) || !strings.Contains(got.Do, want.Do) {
			t.Errorf("%d: %+v", applied, got)
		}
	}
}

func TestDoctorLooksAtTheCopies(t *testing.T) {
	t.Parallel()
	here := &jetstream.PeerInfo{Name: "b", Current: true}
	d := &checkup{}
	if !d.copies(nil) || !d.copies(&jetstream.ClusterInfo{Leader: "a", Replicas: []*jetstream.PeerInfo{here}}) || len(d.done) != 0 {
		t.Errorf("all is well, but %+v", d.done)
	}
	got := findingOf(t, func(d *checkup) { d.copies(&jetstream.ClusterInfo{Replicas: []*jetstream.PeerInfo{here}}) })
	if got.Status != checkFail || !strings.Contains(got.Says, "no leader") {
		t.Errorf("%+v", got)
	}
	got = findingOf(t, func(d *checkup) {
		d.copies(&jetstream.ClusterInfo{Leader: "a", Replicas: []*jetstream.PeerInfo{here, {Name: "c", Offline: true}}})
	})
	if got.Status != checkWarn || !strings.Contains(got.Says, "1 of 3 copies") {
		t.Errorf("%+v", got)
	}
}

// An external server that has no room left is read as ever; doctor says that it
// takes no writes, and leaves nothing behind where it does.
func TestDoctorFindsALogThatTakesNoWrites(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		room   int64
		status string
	}{"with room": {0, checkOK}, "without": {2048, checkFail}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), JetStreamMaxStore: c.room, NoSigs: true, NoLog: true})
			if err != nil {
				t.Fatal(err)
			}
			go s.Start()
			t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
			until(t, "the server is ready", func() bool { return s.ReadyForConnections(time.Second) })
			conn, err := nats.Connect(s.ClientURL())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(conn.Close)
			js, err := jetstream.New(conn)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: streams.EventsStream, Subjects: []string{"evt.*.*.*"}}); err != nil {
				t.Fatal(err)
			}
			if _, err := js.Publish(t.Context(), "evt.a.b.c", make([]byte, 4096)); err != nil {
				t.Fatal(err)
			}
			got := findingOf(t, func(d *checkup) {
				d.NATSURL, d.n.conn = s.ClientURL(), conn
				d.writes()
			})
			if got.Status != c.status || strings.Contains(got.Says, "take no writes") != (c.status == checkFail) {
				t.Errorf("%+v", got)
			}
			var left []string
			for name := range js.StreamNames(t.Context()).Name() {
				left = append(left, name)
			}
			if diff := cmp.Diff([]string{streams.EventsStream}, left); diff != "" {
				t.Error(diff)
			}
			if stream, err := js.Stream(t.Context(), streams.EventsStream); err != nil || stream.CachedInfo().State.LastSeq != 1 {
				t.Errorf("an event was written: %v", err)
			}
		})
	}
}
