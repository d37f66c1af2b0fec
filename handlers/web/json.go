package web

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"sozai/domain"
)

// jsonFormat is JSON without HTML escapes, and without NUL in any string.
func jsonFormat() huma.Format {
	return huma.Format{
		Marshal: func(w io.Writer, v any) error {
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			return enc.Encode(v)
		},
		Unmarshal: decode,
	}
}

func decode(data []byte, v any) error {
	if jsonHasNUL(data) {
		return domain.Errorf(domain.Invalid, "text must not hold the character U+0000")
	}
	return json.Unmarshal(data, v)
}

// jsonHasNUL looks for an escaped or raw zero in JSON text.
func jsonHasNUL(data []byte) bool {
	if bytes.IndexByte(data, 0) >= 0 {
		return true
	}
	for {
		i := bytes.IndexByte(data, '\\')
		if i < 0 || i+1 >= len(data) {
			return false
		}
		if bytes.HasPrefix(data[i+1:], []byte("u0000")) {
			return true
		}
		data = data[i+2:]
	}
}
