package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"sozai/streams"
)

// writeWait is how long an external log may take to write one message.
const writeWait = 5 * time.Second

// writes looks whether an external log takes writes, without writing an event. Our
// own server heals itself, and its disk is looked at anyway.
func (d *checkup) writes() {
	if d.NATSURL == "" {
		return
	}
	js, err := jetstream.New(d.n.conn)
	if err != nil {
		d.fail("writes", "", nil, "%s", sentence(err))
		return
	}
	ctx, cancel := context.WithTimeout(d.ctx, writeWait)
	defer cancel()
	stream, err := js.Stream(ctx, streams.EventsStream)
	if err != nil {
		d.fail("writes", "look at the log's servers", nil, "%s does not answer: %s", streams.EventsStream, sentence(err))
		return
	}
	info := stream.CachedInfo()
	if !d.copies(info.Cluster) {
		return
	}
	begun := time.Now()
	if err := tryWrite(ctx, js, info.Config.Replicas); err != nil {
		d.fail("writes", "make room on the disk of the log's servers and restart them: a store that once failed to write takes nothing more", nil,
			"the log's servers can be read, but take no writes: %s", sentence(err))
		return
	}
	d.ok("writes", nil, "the log's servers take writes (tried in %s on a stream of its own, which is removed)", time.Since(begun).Round(time.Millisecond))
}

// copies looks at the servers that keep the log; false if they cannot write. A
// single server tells nothing of copies.
func (d *checkup) copies(cluster *jetstream.ClusterInfo) bool {
	if cluster == nil {
		return true
	}
	away := 0
	for _, r := range cluster.Replicas {
		if r.Offline || !r.Current {
			away++
		}
	}
	switch {
	case cluster.Leader == "":
		d.fail("writes", "start the missing servers of the cluster: more than half must run", cluster,
			"%s has no leader: nothing can be written", streams.EventsStream)
		return false
	case away > 0:
		d.warn("copies", "start the servers that are missing, or wait until they have caught up", cluster,
			"%d of %d copies of %s are offline or behind", away, len(cluster.Replicas)+1, streams.EventsStream)
	}
	return true
}

// tryWrite has one message written to the same servers, in as many copies, but to
// a stream that is made for it. One that is left behind empties itself.
func tryWrite(ctx context.Context, js jetstream.JetStream, replicas int) (err error) {
	name := "DOCTOR-" + nuid.Next()
	_, err = js.CreateStream(ctx, jetstream.StreamConfig{
		Name: name, Description: "sozai doctor: may be deleted", Subjects: []string{"doctor." + name}, Storage: jetstream.FileStorage,
		MaxAge: time.Minute, MaxMsgs: 1, Replicas: replicas,
	})
	if err != nil {
		return fmt.Errorf("make a stream: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeWait)
		defer cancel()
		if gone := js.DeleteStream(ctx, name); gone != nil && err == nil && !errors.Is(gone, jetstream.ErrStreamNotFound) {
			err = fmt.Errorf("remove the stream %s: %w", name, gone)
		}
	}()
	if _, err := js.Publish(ctx, "doctor."+name, make([]byte, 4096)); err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	return nil
}
