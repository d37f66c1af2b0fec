package streams_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/streams"
	"sozai/streams/streamstest"
)

// The release whose log -update writes, if it is not there yet.
const thisRelease = "v0.1"

// export reads a log as the lines of a file.
func export(t *testing.T, log *streams.Log, key domain.Key) []byte {
	t.Helper()
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	out.SetEscapeHTML(false)
	err := log.ReadStored(t.Context(), 0, 0, key, func(events []streams.Stored) error {
		for _, e := range events {
			if err := out.Encode(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines.Bytes()
}

// lines reads exported events back.
func lines(data []byte) iter.Seq2[streams.Stored, error] {
	return func(yield func(streams.Stored, error) bool) {
		in := bufio.NewScanner(bytes.NewReader(data))
		in.Buffer(nil, 8<<20)
		for in.Scan() {
			var e streams.Stored
			err := json.Unmarshal(in.Bytes(), &e)
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// The logs that releases have left behind are read by this program: every event
// is known, the agents fold, and what is packed again is read as the same.
func TestReleasedLogs(t *testing.T) {
	t.Parallel()
	path := filepath.Join("testdata", "logs", thisRelease+".jsonl")
	if _, err := os.Stat(path); os.IsNotExist(err) && *update {
		s := streamstest.Start(t)
		history(t, s.Log, s.Key())
		if err := os.WriteFile(path, export(t, s.Log, domain.Key{}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "logs", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no released logs: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := streamstest.Start(t)
			if _, err := s.Log.Import(t.Context(), lines(data), nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(data), string(export(t, s.Log, domain.Key{}))); diff != "" {
				t.Fatalf("the log is another after import and export (-file +log):\n%s", diff)
			}
			codec := streams.NewCodec()
			for _, r := range readAll(t, s.Log, domain.Key{}) {
				if poison, ok := r.Event.(streams.Poison); ok {
					t.Fatalf("event %d, %s: %v", r.Seq, r.Type, poison.Err)
				}
				msg, err := codec.Encode(r, 0)
				if err != nil {
					t.Fatal(err)
				}
				again, err := codec.Decode(msg.Subject, msg.Header, msg.Data, r.Seq)
				if err != nil {
					t.Fatal(err)
				}
				again.Version = r.Version
				if diff := cmp.Diff(r, again); diff != "" {
					t.Fatalf("event %d is another after it was packed again:\n%s", r.Seq, diff)
				}
			}
			problems, err := s.Log.FoldAll(t.Context(), nil)
			if err != nil || len(problems) > 0 {
				t.Fatalf("does not fold: %v, %+v", err, problems)
			}
		})
	}
}

// The history that the released log was made of has every type there is.
func TestHistoryHasEveryType(t *testing.T) {
	t.Parallel()
	s := streamstest.Start(t)
	history(t, s.Log, s.Key())
	seen := map[string]bool{}
	for _, r := range readAll(t, s.Log, domain.Key{}) {
		seen[r.Type] = true
	}
	for _, known := range streams.Catalogue() {
		if !seen[known.Type] {
			t.Errorf("no %s: add one to the history, so that the next release's log has it", known.Type)
		}
	}
}
