package projections

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// Batch collects the statements of one event after another, to be sent in one
// round trip. Statements write only; what they depend on stands in their WHERE.
type Batch struct {
	schema string
	queue  *pgx.Batch
	key    domain.Key
	err    error
}

// do queues a statement in which {s} stands for the generation's schema, $1 for
// the event's product and $2 for its agent; args begin at $3.
func (b *Batch) do(sql string, args ...any) {
	all := make([]any, 0, len(args)+2)
	all = append(all, b.key.Product, string(b.key.Agent))
	for _, a := range args {
		v, err := argument(a)
		if err != nil && b.err == nil {
			b.err = err
		}
		all = append(all, v)
	}
	b.queue.Queue(qualify(b.schema, sql), all...)
}

// qualify puts the schema in place of {s}.
func qualify(schema, sql string) string { return strings.ReplaceAll(sql, "{s}", schema) }

// asJSON marks a value to be written as jsonb.
type asJSON struct{ value any }

// argument turns a value into one that Postgres can store: zero times are NULL,
// and NUL characters, which no text column holds, become U+FFFD.
func argument(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int64, float64:
		return v, nil
	case int:
		if v != int(int32(v)) {
			return nil, fmt.Errorf("%d does not fit an integer", v)
		}
		return v, nil
	case uint64:
		return int64(v), nil
	case string:
		return clean(v), nil
	case *string:
		if v == nil {
			return nil, nil
		}
		return clean(*v), nil
	case time.Time:
		if v.IsZero() {
			return nil, nil
		}
		return v, nil
	case asJSON:
		text, err := json.Marshal(v.value)
		if err != nil {
			return nil, fmt.Errorf("write json: %w", err)
		}
		return cleanJSON(text), nil
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.String:
		return clean(r.String()), nil
	case reflect.Int:
		return r.Int(), nil
	case reflect.Int64:
		return r.Int(), nil
	case reflect.Slice:
		list := make([]string, r.Len())
		for i := range list {
			e := r.Index(i)
			if e.Kind() != reflect.String {
				return nil, fmt.Errorf("cannot store a slice of %s", e.Kind())
			}
			list[i] = clean(e.String())
		}
		return list, nil
	default:
		return nil, fmt.Errorf("cannot store a %T", v)
	}
}

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

// distinct returns the non-empty ids, each once, in order of first appearance.
func distinct(ids []domain.ID) []domain.ID {
	seen := make(map[domain.ID]bool, len(ids))
	var out []domain.ID
	for _, id := range ids {
		if id != "" && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
