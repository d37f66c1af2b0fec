package streams_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sozai/domain"
	"sozai/streams"
)

// Whatever an event holds is what is read back, also through an exported line.
func TestEveryEventSurvivesPacking(t *testing.T) {
	t.Parallel()
	codec, catalogue := streams.NewCodec(), streams.Catalogue()
	rapid.Check(t, func(r *rapid.T) {
		known := rapid.SampledFrom(catalogue).Draw(r, "type")
		want := sample(known)
		value := reflect.New(reflect.TypeOf(known.Zero)).Elem()
		draw(r, value)
		event, ok := value.Interface().(domain.Event)
		if !ok {
			r.Fatalf("%s is not an event", known.Type)
		}
		want.Event = event
		msg, err := codec.Encode(want, rapid.IntRange(0, 500).Draw(r, "index"))
		if err != nil {
			r.Fatal(err)
		}
		got, err := codec.Decode(msg.Subject, msg.Header, msg.Data, want.Seq)
		if err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			r.Fatalf("-packed +unpacked:\n%s", diff)
		}
		line, err := streams.Stored{Subject: msg.Subject, Header: msg.Header, Data: msg.Data}.MarshalJSON()
		if err != nil {
			r.Fatal(err)
		}
		var stored streams.Stored
		if err := stored.UnmarshalJSON(line); err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(string(msg.Data), string(stored.Data)); diff != "" {
			r.Fatalf("the body is another in an exported line:\n%s", diff)
		}
	})
}

// draw fills a value with anything that JSON can hold.
func draw(r *rapid.T, v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		at := time.Unix(rapid.Int64Range(0, 4e9).Draw(r, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(r, "nanoseconds"))
		v.Set(reflect.ValueOf(at.UTC()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.String().Draw(r, "text"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(r, "number"))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(r, "number"))
	case reflect.Float64:
		v.SetFloat(rapid.Float64().Draw(r, "number"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(r, "flag"))
	case reflect.Pointer:
		if rapid.Bool().Draw(r, "present") {
			v.Set(reflect.New(v.Type().Elem()))
			draw(r, v.Elem())
		}
	case reflect.Slice:
		if n := rapid.IntRange(0, 3).Draw(r, "length"); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				draw(r, v.Index(i))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			draw(r, v.Field(i))
		}
	default:
		r.Fatalf("no value for %s", v.Kind())
	}
}
