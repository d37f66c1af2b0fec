package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"sozai/domain"
	"sozai/streams"
)

// An exported log is a text of JSON lines: a header, one line an event, and a
// footer with the count and the digest of the event lines, so that a cut or
// altered file is recognised.
const (
	archiveFormat  = "sozai-log"
	archiveVersion = 1
	// archiveLine bounds one line: an event of 4 MiB in base64, with room.
	archiveLine = 16 << 20
)

// archiveHeader is the first line.
type archiveHeader struct {
	Format  string           `json:"format"`
	Version int              `json:"version"`
	Stream  streams.Identity `json:"stream"` // the log it was read from
	// Product and Agent are empty for the whole log.
	Product    string    `json:"product,omitempty"`
	Agent      domain.ID `json:"agent,omitempty"`
	First      uint64    `json:"first"` // the sequences that were read
	Last       uint64    `json:"last"`
	ExportedAt time.Time `json:"exported_at"`
	Program    string    `json:"program"`
}

// origin names the source log in events that come from it.
func (h archiveHeader) origin() string {
	return h.Stream.Stream + " " + h.Stream.Created.UTC().Format(time.RFC3339Nano)
}

// archiveFooter is the last line. SHA256 is that of the event lines, each with
// its newline.
type archiveFooter struct {
	Count  int    `json:"count"`
	SHA256 string `json:"sha256"`
}

// archiveWriter writes an exported log; without close it is recognisably cut.
type archiveWriter struct {
	w   *bufio.Writer
	sum hash.Hash
	n   int
}

func newArchiveWriter(w io.Writer, h archiveHeader) (*archiveWriter, error) {
	a := &archiveWriter{w: bufio.NewWriterSize(w, 1<<20), sum: sha256.New()}
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	_, err = a.w.Write(append(line, '\n'))
	return a, err
}

func (a *archiveWriter) add(e streams.Stored) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("event %d: %w", e.Seq, err)
	}
	line = append(line, '\n')
	a.sum.Write(line)
	a.n++
	_, err = a.w.Write(line)
	return err
}

func (a *archiveWriter) close() (archiveFooter, error) {
	f := archiveFooter{Count: a.n, SHA256: hex.EncodeToString(a.sum.Sum(nil))}
	line, err := json.Marshal(f)
	if err != nil {
		return f, err
	}
	if _, err := a.w.Write(append(line, '\n')); err != nil {
		return f, err
	}
	return f, a.w.Flush()
}

// archiveError is why a file is not a whole exported log.
type archiveError struct {
	line int
	text string
}

func (e *archiveError) Error() string {
	if e.line == 0 {
		return e.text
	}
	return fmt.Sprintf("line %d: %s", e.line, e.text)
}

// readArchive reads an exported log and calls each with every event. The file is
// known to be whole and unaltered only when the footer is returned without an
// error, after all calls.
func readArchive(r io.Reader, each func(line int, e streams.Stored) error) (h archiveHeader, f archiveFooter, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), archiveLine)
	n := 0
	next := func() bool { n++; return lines.Scan() }
	broken := func(format string, args ...any) (archiveHeader, archiveFooter, error) {
		if err := lines.Err(); err != nil && !errors.Is(err, bufio.ErrTooLong) {
			return h, f, err
		}
		return h, f, &archiveError{line: n, text: fmt.Sprintf(format, args...)}
	}
	if !next() {
		return broken("the file is empty")
	}
	if err := json.Unmarshal(lines.Bytes(), &h); err != nil || h.Format != archiveFormat {
		return broken("this is not an exported log: the first line is no header of format %q", archiveFormat)
	}
	if h.Version != archiveVersion {
		return broken("the file has version %d of the format, this program reads version %d", h.Version, archiveVersion)
	}
	sum := sha256.New()
	count, last := 0, uint64(0)
	for next() {
		line := lines.Bytes()
		if bytes.HasPrefix(line, []byte(`{"count":`)) {
			dec := json.NewDecoder(bytes.NewReader(line))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&f); err != nil || f.SHA256 == "" {
				return broken("the footer cannot be read")
			}
			break
		}
		var e streams.Stored
		if err := json.Unmarshal(line, &e); err != nil {
			return broken("this is not an event: %v", err)
		}
		if e.Seq <= last {
			return broken("event %d comes after event %d: the order is wrong", e.Seq, last)
		}
		last = e.Seq
		sum.Write(line)
		sum.Write([]byte{'\n'})
		count++
		if err := each(n, e); err != nil {
			return h, f, err
		}
	}
	switch got := hex.EncodeToString(sum.Sum(nil)); {
	case f.SHA256 == "":
		return broken("the file ends after %s without its footer: the export was cut short", plural(count, "event"))
	case f.Count != count:
		return broken("the footer counts %s, the file has %d: it was cut or altered", plural(f.Count, "event"), count)
	case f.SHA256 != got:
		return broken("the events do not have the digest of the footer: the file was altered")
	case next():
		return broken("something follows the footer")
	case lines.Err() != nil:
		return broken("the file cannot be read")
	}
	return h, f, nil
}
