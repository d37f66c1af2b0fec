package web

import (
	"encoding/json"
	"strings"
	"testing"

	"sozai/domain"
)

// Whatever a client asks for, a range lies inside the file.
func FuzzParseRange(f *testing.F) {
	for _, s := range []string{"bytes=0-1", "bytes=-5", "bytes=7-", "bytes=1-2,3-4", "x"} {
		f.Add(s, int64(10))
	}
	f.Fuzz(func(t *testing.T, spec string, size int64) {
		if size < 0 {
			return
		}
		from, length, kind := parseRange(spec, size)
		if kind == rangeOne && (from < 0 || length < 1 || from+length > size) {
			t.Fatalf("%q of %d: %d+%d", spec, size, from, length)
		}
	})
}

// A string with U+0000 in it never passes, and nothing else is refused.
func FuzzJSONHasNUL(f *testing.F) {
	for _, s := range []string{`"a\u0000"`, `"a\\u0000"`, `"\\\u0000"`, `"plain"`, `"\"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s string
		if json.Unmarshal([]byte(text), &s) != nil {
			return
		}
		if got := jsonHasNUL([]byte(text)); got != strings.ContainsRune(s, 0) {
			t.Fatalf("%q: %v", text, got)
		}
	})
}

// Whatever as_of says, it is one moment or a refusal in our words.
func FuzzMoment(f *testing.F) {
	for _, seed := range []string{"V5", "v1", "V", "Vv2", "12", "0", "-1", "2026-11-30T10:00:00Z", "2026-11-30T10:00:00+08:00", "0001-01-01T00:00:00Z", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseMoment(text)
		if err != nil {
			if code := domain.CodeOf(err); code != domain.Invalid && code != domain.NotFound {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		kinds := 0
		for _, is := range []bool{m.version > 0, m.seq > 0, !m.at.IsZero()} {
			if is {
				kinds++
			}
		}
		if kinds > 1 {
			t.Fatalf("%q is %+v", text, m)
		}
	})
}
