package web

import (
	"encoding/json"
	"strings"
	"testing"
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
