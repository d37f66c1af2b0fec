package projections

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// wire writes values in Postgres's binary format, each behind its length: the
// form of a field of COPY as well as of an element of an array parameter.
type wire struct {
	buf []byte
	err error // the first value that does not fit
}

// errUnstorable marks a value that no row can hold: the event is poison.
var errUnstorable = errors.New("the value cannot be stored")

func (w *wire) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("%w: %s", errUnstorable, fmt.Sprintf(format, args...))
	}
	w.null()
}

func (w *wire) null() { w.buf = append(w.buf, 0xff, 0xff, 0xff, 0xff) }

func (w *wire) size(n int) { w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(n)) }

func (w *wire) short(n int) { w.buf = binary.BigEndian.AppendUint16(w.buf, uint16(n)) }

// text replaces NUL, which no text column holds, by U+FFFD.
func (w *wire) text(s string) {
	s = clean(s)
	w.size(len(s))
	w.buf = append(w.buf, s...)
}

func (w *wire) integer(n int) {
	if n != int(int32(n)) {
		w.fail("%d does not fit an integer", n)
		return
	}
	w.size(4)
	w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(n))
}

func (w *wire) bigint(n int64) {
	w.size(8)
	w.buf = binary.BigEndian.AppendUint64(w.buf, uint64(n))
}

func (w *wire) real(f float64) {
	w.size(8)
	w.buf = binary.BigEndian.AppendUint64(w.buf, math.Float64bits(f))
}

func (w *wire) flag(v bool) {
	w.size(1)
	if v {
		w.buf = append(w.buf, 1)
		return
	}
	w.buf = append(w.buf, 0)
}

// epoch is Postgres's, in microseconds of Unix time.
const epoch = 946_684_800_000_000

// moment writes a zero time as NULL.
func (w *wire) moment(t time.Time) {
	if t.IsZero() {
		w.null()
		return
	}
	w.bigint(t.UnixMicro() - epoch)
}

// document writes nil as NULL, and JSON that was read before as it is.
func (w *wire) document(v any) {
	if v == nil {
		w.null()
		return
	}
	text, ready := v.(json.RawMessage)
	if !ready {
		var err error
		if text, err = json.Marshal(v); err != nil {
			w.fail("%v", err)
			return
		}
		text = cleanJSON(text)
	}
	w.size(len(text) + 1)
	w.buf = append(w.buf, 1) // version of jsonb's form
	w.buf = append(w.buf, text...)
}

// list writes text[].
func (w *wire) list(items []string) {
	at := len(w.buf)
	w.size(0)
	w.head(pgtype.TextOID, len(items))
	for _, s := range items {
		w.text(s)
	}
	w.close(at)
}

// head begins an array of one dimension; an empty one has none.
func (w *wire) head(oid uint32, n int) {
	dimensions := 1
	if n == 0 {
		dimensions = 0
	}
	w.size(dimensions)
	w.size(1) // there may be NULLs
	w.buf = binary.BigEndian.AppendUint32(w.buf, oid)
	if n > 0 {
		w.size(n)
		w.size(1) // the first index
	}
}

// close writes the length of what was written since at, where size(0) stands.
func (w *wire) close(at int) {
	binary.BigEndian.PutUint32(w.buf[at:], uint32(len(w.buf)-at-4))
}

// literal writes a list in array syntax, as text: arrays of arrays cannot be
// unnested by one level.
func (w *wire) literal(items []string) {
	var b strings.Builder
	b.WriteByte('{')
	for i, s := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		for _, c := range []byte(s) {
			if c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
		b.WriteByte('"')
	}
	b.WriteByte('}')
	w.text(b.String())
}

// The readers take a value of the binary format; nil is NULL, read as zero.

func readInteger(raw []byte) int {
	if len(raw) != 4 {
		return 0
	}
	return int(int32(binary.BigEndian.Uint32(raw)))
}

func readBigint(raw []byte) int64 {
	if len(raw) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(raw))
}

func readReal(raw []byte) float64 { return math.Float64frombits(uint64(readBigint(raw))) }

func readFlag(raw []byte) bool { return len(raw) == 1 && raw[0] == 1 }

func readMoment(raw []byte) time.Time {
	if raw == nil {
		return time.Time{}
	}
	return time.UnixMicro(readBigint(raw) + epoch).UTC()
}

func readDocument(raw []byte) any {
	if len(raw) == 0 {
		return nil
	}
	return json.RawMessage(append([]byte(nil), raw[1:]...))
}

func readList(raw []byte) []string {
	if len(raw) < 20 { // NULL, or an array without dimensions
		return []string{}
	}
	n := int(binary.BigEndian.Uint32(raw[12:]))
	items, rest := make([]string, 0, n), raw[20:]
	for range n {
		size := int(int32(binary.BigEndian.Uint32(rest)))
		rest = rest[4:]
		if size < 0 {
			items = append(items, "")
			continue
		}
		items = append(items, string(rest[:size]))
		rest = rest[size:]
	}
	return items
}
