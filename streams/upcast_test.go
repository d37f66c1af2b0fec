package streams_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/streams"
)

// renamed is an event whose body changed twice: {"title"} in version 1, {"name"}
// in version 2, {"names"} in version 3.
type renamed struct {
	Names []string `json:"names"`
}

func (renamed) EventType() string { return "test.renamed" }
func (renamed) EventVersion() int { return 3 }
func (renamed) Fact() domain.Kind { return domain.KindChat }

func renamedCodec() *streams.Codec {
	lift := func(change func(map[string]json.RawMessage)) streams.Upcast {
		return func(body []byte) ([]byte, error) {
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(body, &fields); err != nil {
				return nil, err
			}
			change(fields)
			return json.Marshal(fields)
		}
	}
	return streams.NewCodecOf(
		[]streams.Registered{{Type: "test.renamed", Version: 3, Kind: domain.KindChat, Zero: renamed{}}},
		map[streams.Shape]streams.Upcast{
			{Type: "test.renamed", Version: 1}: lift(func(f map[string]json.RawMessage) { f["name"] = f["title"] }),
			{Type: "test.renamed", Version: 2}: lift(func(f map[string]json.RawMessage) {
				f["names"] = append(append([]byte("["), f["name"]...), ']')
			}),
		})
}

func TestOldVersionsAreLifted(t *testing.T) {
	t.Parallel()
	codec := renamedCodec()
	now := time.Date(2026, 7, 16, 9, 30, 0, 0, time.UTC)
	msg, err := codec.Encode(domain.Recorded{Event: renamed{Names: []string{"塔防"}}, Meta: domain.Meta{
		ID: "01HZ0000000000000000000001", Key: domain.Key{Product: "demo", Agent: "01HZ0000000000000000000002"}, Time: now, Actor: "user:u", Command: "c",
	}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := msg.Header["ce-dataversion"]; !cmp.Equal(got, []string{"3"}) {
		t.Fatalf("packed as version %v", got)
	}
	for version, body := range map[string]string{
		"1": `{"title":"塔防"}`,
		"2": `{"name":"塔防"}`,
		"3": `{"names":["塔防"]}`,
	} {
		msg.Header["ce-dataversion"] = []string{version}
		r, err := codec.Decode(msg.Subject, msg.Header, []byte(body), 1)
		if err != nil {
			t.Fatalf("version %s: %v", version, err)
		}
		if diff := cmp.Diff(domain.Event(renamed{Names: []string{"塔防"}}), r.Event); diff != "" {
			t.Errorf("version %s (-want +got):\n%s", version, diff)
		}
		if got := string('0' + rune(r.Version)); got != version {
			t.Errorf("version %s is reported as %s", version, got)
		}
	}
	for version, body := range map[string]string{"1": `{"title":`, "4": `{}`, "0": `{}`, "-1": `{}`} {
		msg.Header["ce-dataversion"] = []string{version}
		if r, err := codec.Decode(msg.Subject, msg.Header, []byte(body), 1); err == nil {
			t.Errorf("version %s of %s was read as %+v", version, body, r.Event)
		}
	}
}

// A program that cannot read its own past does not start.
func TestCodecNeedsEveryStep(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Fatal("a codec was made that cannot lift version 2")
		}
	}()
	streams.NewCodecOf(
		[]streams.Registered{{Type: "test.renamed", Version: 3, Kind: domain.KindChat, Zero: renamed{}}},
		map[streams.Shape]streams.Upcast{{Type: "test.renamed", Version: 1}: func(b []byte) ([]byte, error) { return b, nil }})
}
