package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/streams"
)

// sampleArchive is an exported log of n events.
func sampleArchive(t testing.TB, n int) (text []byte, events []streams.Stored, footer archiveFooter) {
	t.Helper()
	var buf bytes.Buffer
	w, err := newArchiveWriter(&buf, archiveHeader{
		Format: archiveFormat, Version: archiveVersion, First: 1, Last: uint64(n), Program: "test",
		Stream: streams.Identity{Stream: streams.EventsStream, Created: time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		e := streams.Stored{
			Seq: uint64(2*i + 1), Subject: "evt.games." + string(tower.Agent) + ".chat",
			Header: map[string][]string{
				"ce-specversion": {"1.0"}, "ce-id": {fmt.Sprintf("01KBDEM00000000000000%05d", i)}, "ce-type": {"chat.said"},
				"ce-dataversion": {"1"}, "ce-time": {"2026-07-01T00:00:00Z"}, "ce-actor": {"user:ada"}, "ce-command": {"c"},
			},
			Data: []byte(fmt.Sprintf(`{"message":"01KBDEM00000000000000%05d","text":"塔 \u003c %d"}`, i, i)),
		}
		events = append(events, e)
		if err := w.add(e); err != nil {
			t.Fatal(err)
		}
	}
	if footer, err = w.close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes(), events, footer
}

func readAll(text []byte) (events []streams.Stored, footer archiveFooter, err error) {
	_, footer, err = readArchive(bytes.NewReader(text), func(_ int, e streams.Stored) error {
		events = append(events, e)
		return nil
	})
	return events, footer, err
}

func TestArchiveRoundTrip(t *testing.T) {
	t.Parallel()
	text, want, wrote := sampleArchive(t, 20)
	got, footer, err := readAll(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("events (-want +got):\n%s", diff)
	}
	if footer != wrote || footer.Count != 20 || len(footer.SHA256) != 64 {
		t.Fatalf("footer %+v, want %+v", footer, wrote)
	}
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		if !json.Valid(line) {
			t.Fatalf("line %d is not JSON: %s", i+1, line)
		}
	}
	if _, footer, err := readAll(firstOf(sampleArchive(t, 0))); err != nil || footer.Count != 0 {
		t.Fatalf("an empty log: %+v, %v", footer, err)
	}
}

func firstOf(text []byte, _ []streams.Stored, _ archiveFooter) []byte { return text }

// A file that was cut anywhere, or in which any byte of an event was changed, is
// refused.
func TestArchiveRefusesCutAndAltered(t *testing.T) {
	t.Parallel()
	text, _, _ := sampleArchive(t, 3)
	for n := range len(text) - 1 { // without its last newline it is still whole
		if _, _, err := readAll(text[:n]); err == nil {
			t.Fatalf("cut after %d of %d bytes, it was taken for whole", n, len(text))
		}
	}
	header := bytes.IndexByte(text, '\n') + 1
	for at := header; at < len(text)-1; at++ {
		changed := bytes.Clone(text)
		changed[at] ^= 1
		if _, _, err := readAll(changed); err == nil {
			t.Fatalf("byte %d changed from %q to %q, it was taken for unaltered:\n%s", at, text[at], changed[at], changed)
		}
	}
	lines := strings.SplitAfter(string(text), "\n")
	for what, wrong := range map[string][]string{
		"an event missing":        {lines[0], lines[1], lines[3], lines[4]},
		"two events exchanged":    {lines[0], lines[2], lines[1], lines[3], lines[4]},
		"an event twice":          {lines[0], lines[1], lines[2], lines[2], lines[3], lines[4]},
		"something after it":      {lines[0], lines[1], lines[2], lines[3], lines[4], "{}\n"},
		"no header":               lines[1:],
		"another format":          {strings.Replace(lines[0], archiveFormat, "other", 1), lines[1], lines[2], lines[3], lines[4]},
		"a later format":          {strings.Replace(lines[0], `"version":1`, `"version":2`, 1), lines[1], lines[2], lines[3], lines[4]},
		"a footer of another log": {lines[0], lines[1], lines[2], lines[3], `{"count":3,"sha256":"` + strings.Repeat("0", 64) + `"}` + "\n"},
	} {
		_, _, err := readAll([]byte(strings.Join(wrong, "")))
		var broken *archiveError
		if !errors.As(err, &broken) || broken.line == 0 {
			t.Errorf("%s: %v, want a refusal that names the line", what, err)
		}
	}
}

func FuzzReadArchive(f *testing.F) {
	text, _, _ := sampleArchive(f, 2)
	f.Add(text)
	f.Add([]byte("{}\n"))
	f.Add(bytes.Replace(text, []byte(`"body"`), []byte(`"data"`), 1))
	codec := streams.NewCodec()
	f.Fuzz(func(t *testing.T, text []byte) {
		n := 0
		_, footer, err := readArchive(bytes.NewReader(text), func(_ int, e streams.Stored) error {
			n++
			if e.Check() == nil {
				if r, err := codec.Decode(e.Subject, e.Header, e.Data, e.Seq); err == nil && r.Product == "" {
					t.Fatalf("an event of no product was decoded: %+v", e)
				}
			}
			return nil
		})
		if err == nil && footer.Count != n {
			t.Fatalf("a footer of %d was taken for %d events", footer.Count, n)
		}
	})
}

func TestFindAgent(t *testing.T) {
	t.Parallel()
	names := map[domain.Key]string{tower: "末日塔防 Tower", pots: "Tower of Pots"}
	for want, key := range map[string]domain.Key{string(tower.Agent): tower, "末日": tower, "of pots": pots, "Tower of Pots": pots} {
		if got, err := findAgent(names, want); err != nil || got != key {
			t.Errorf("%q: %v, %v", want, got, err)
		}
	}
	for _, want := range []string{"tower", "nobody", "01KBDEM0000000000000000009", ""} {
		if got, err := findAgent(names, want); err == nil {
			t.Errorf("%q was taken for %v", want, got)
		}
	}
}
