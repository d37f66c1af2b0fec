package streams_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/streams"
)

var update = flag.Bool("update", false, "write missing golden files (an existing one that changes is a breaking change)")

// golden is one released event as it stands in the log.
type golden struct {
	Subject string              `json:"subject"`
	Header  map[string][]string `json:"header"`
	Body    json.RawMessage     `json:"body"`
}

// TestGoldenEvents holds every event type to its released form: encoding gives
// the same bytes, decoding the same value.
func TestGoldenEvents(t *testing.T) {
	t.Parallel()
	codec := streams.NewCodec()
	for _, known := range streams.Catalogue() {
		t.Run(known.Type, func(t *testing.T) {
			t.Parallel()
			want := sample(known)
			msg, err := codec.Encode(want, 0)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(golden{Subject: msg.Subject, Header: msg.Header, Body: msg.Data}, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			path := filepath.Join("testdata", "events", fmt.Sprintf("%s.v%d.json", known.Type, known.Version))
			stored, err := os.ReadFile(path)
			if os.IsNotExist(err) && *update {
				if err := os.WriteFile(path, got, 0o600); err != nil {
					t.Fatal(err)
				}
				stored = got
			} else if err != nil {
				t.Fatalf("no golden file; run the test with -update once: %v", err)
			}
			if !bytes.Equal(stored, got) {
				t.Fatalf("the wire form of %s changed (-stored +now):\n%s", known.Type, cmp.Diff(string(stored), string(got)))
			}
			var g golden
			if err := json.Unmarshal(stored, &g); err != nil {
				t.Fatal(err)
			}
			back, err := codec.Decode(g.Subject, g.Header, g.Body, want.Seq)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, back); diff != "" {
				t.Fatalf("decoded event differs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGoldenFilesAreKnown fails when a released event type disappears, or when a
// released version of one can no longer be read.
func TestGoldenFilesAreKnown(t *testing.T) {
	t.Parallel()
	codec := streams.NewCodec()
	files, err := os.ReadDir(filepath.Join("testdata", "events"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		stored, err := os.ReadFile(filepath.Join("testdata", "events", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		var g golden
		if err := json.Unmarshal(stored, &g); err != nil {
			t.Fatal(err)
		}
		if _, err := codec.Decode(g.Subject, g.Header, g.Body, 1); err != nil {
			t.Errorf("%s was released: %v", f.Name(), err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	codec := streams.NewCodec()
	known := streams.Catalogue()[0]
	for name, spoil := range map[string]func(subject *string, header map[string][]string, body *[]byte){
		"a foreign subject":    func(s *string, _ map[string][]string, _ *[]byte) { *s = "evt.a.b" },
		"an unknown type":      func(_ *string, h map[string][]string, _ *[]byte) { h["ce-type"] = []string{"agent.exploded"} },
		"another kind":         func(s *string, _ map[string][]string, _ *[]byte) { *s = "evt.p.01HZ0000000000000000000000.gene" },
		"a newer version":      func(_ *string, h map[string][]string, _ *[]byte) { h["ce-dataversion"] = []string{"9"} },
		"no version":           func(_ *string, h map[string][]string, _ *[]byte) { delete(h, "ce-dataversion") },
		"no time":              func(_ *string, h map[string][]string, _ *[]byte) { delete(h, "ce-time") },
		"a body of other form": func(_ *string, _ map[string][]string, b *[]byte) { *b = []byte(`{"name":7}`) },
		"a cut body":           func(_ *string, _ map[string][]string, b *[]byte) { *b = (*b)[:len(*b)-1] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			msg, err := codec.Encode(sample(known), 0)
			if err != nil {
				t.Fatal(err)
			}
			subject, body := msg.Subject, msg.Data
			spoil(&subject, msg.Header, &body)
			if r, err := codec.Decode(subject, msg.Header, body, 7); err == nil {
				t.Fatalf("decoded %v", r)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	codec := streams.NewCodec()
	for _, known := range streams.Catalogue() {
		msg, err := codec.Encode(sample(known), 0)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(msg.Subject, known.Type, "1", msg.Data)
	}
	f.Fuzz(func(t *testing.T, subject, typ, version string, body []byte) {
		header := map[string][]string{"ce-type": {typ}, "ce-dataversion": {version}, "ce-time": {"2026-11-30T00:00:00Z"}}
		r, err := codec.Decode(subject, header, body, 1)
		if err == nil {
			if _, err := codec.Encode(r, 0); err != nil {
				t.Fatalf("a decoded event does not encode: %v", err)
			}
		}
	})
}

// sample fills every field of an event with a value of its own.
func sample(known streams.Registered) domain.Recorded {
	n := 0
	value := reflect.New(reflect.TypeOf(known.Zero)).Elem()
	fill(value, &n)
	event, ok := value.Interface().(domain.Event)
	if !ok {
		panic("not an event: " + known.Type)
	}
	return domain.Recorded{Event: event, Meta: domain.Meta{
		ID: "01HZ0000000000000000000001", Type: known.Type, Version: known.Version, Kind: known.Kind, Seq: 42,
		Key:  domain.Key{Product: "demo", Agent: "01HZ0000000000000000000002"},
		Time: time.Date(2026, 7, 16, 9, 30, 0, 123456789, time.UTC), Actor: "user:01HZ0000000000000000000003",
		Command: "01HZ0000000000000000000004", Causation: "01HZ0000000000000000000005",
	}}
}

func fill(v reflect.Value, n *int) {
	*n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 7, 16, 9, 0, *n, 0, time.UTC)))
		return
	case domain.ID:
		v.SetString(fmt.Sprintf("01HZ%022d", *n))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("文字 text %d", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic("no sample for " + v.Kind().String())
	}
}
