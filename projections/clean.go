package projections

import (
	"bytes"
	"encoding/json"
	"strings"
)

// clean replaces NUL characters, which no text column holds, by U+FFFD.
func clean(s string) string {
	if strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(s, "\x00", "\uFFFD")
}

// cleanJSON replaces the escape of NUL, which jsonb refuses, by that of U+FFFD.
func cleanJSON(text []byte) json.RawMessage {
	nul := []byte(`\u0000`)
	if !bytes.Contains(text, nul) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		switch {
		case bytes.HasPrefix(text[i:], nul):
			out = append(out, `\ufffd`...)
			i += len(nul)
		case text[i] == '\\':
			out = append(out, text[i:i+2]...)
			i += 2
		default:
			out = append(out, text[i])
			i++
		}
	}
	return out
}
