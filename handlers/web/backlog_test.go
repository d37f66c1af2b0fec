package web

import (
	"sync"
	"testing"
)

// What waits goes out in messages of at most joinFrames frames, put together once
// for all who are at the same place.
func TestMessagesAreShared(t *testing.T) {
	t.Parallel()
	first := &note{}
	if msg, upto, err := first.message(); msg != nil || upto != first || err != nil {
		t.Fatalf("a message of nothing: %v %v %v", msg, upto, err)
	}
	last := first
	for range joinFrames + 3 {
		last = last.add([]byte(`{"type":"x"}`))
	}
	a, upto, err := first.message()
	if err != nil || upto.count != joinFrames {
		t.Fatalf("%d frames in a message, error %v", upto.count, err)
	}
	if b, _, _ := first.message(); b != a {
		t.Fatal("the same frames were joined twice")
	}
	if _, end, _ := upto.message(); end != last {
		t.Fatalf("the rest ends at %d, want %d", end.count, last.count)
	}
}

// A short message that a quick socket took does not make everybody's messages short.
func TestMessagesGrow(t *testing.T) {
	t.Parallel()
	first := &note{}
	last := first.add([]byte("1"))
	if _, upto, _ := first.message(); upto != last {
		t.Fatalf("ends at %d", upto.count)
	}
	last = last.add([]byte("2"))
	if _, upto, _ := first.message(); upto.count != 1 {
		t.Fatalf("half of what waits is enough, got up to %d", upto.count)
	}
	last = last.add([]byte("3"))
	if _, upto, _ := first.message(); upto != last {
		t.Fatalf("ends at %d, want %d", upto.count, last.count)
	}
}

// Long frames are not joined into endless messages, but each goes out.
func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	first := &note{}
	last := first.add(make([]byte, joinBytes*2)).add(make([]byte, joinBytes/2)).add(make([]byte, joinBytes/2)).add([]byte("x"))
	var ends []uint64
	for at := first; at != last; {
		_, upto, err := at.message()
		if err != nil {
			t.Fatal(err)
		}
		ends, at = append(ends, upto.count), upto
	}
	if len(ends) != 3 || ends[0] != 1 || ends[1] != 3 {
		t.Fatalf("messages end at %v", ends)
	}
}

// However fast each reads, all readers pass every note while the room goes on.
func TestReadersPassEveryNote(t *testing.T) {
	t.Parallel()
	const notes = 20_000
	first := &note{}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for at := first; at.count < notes; {
				msg, upto, err := at.message()
				if err != nil || (msg == nil) != (upto == at) || upto.count < at.count || upto.count > at.count+joinFrames {
					t.Errorf("from %d to %d, error %v", at.count, upto.count, err)
					return
				}
				at = upto
			}
		})
	}
	last := first
	for range notes {
		last = last.add([]byte("{}"))
	}
	readers.Wait()
}
