package source

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sozai/agents/effect"
)

func TestLooseReadsWhateverComes(t *testing.T) {
	t.Parallel()
	n := loose(json.RawMessage(`{"s":"12","n":7000000000000000001,"f":1.5,"b":true,"t":" True ","z":"0","x":null,"o":{"l":[1,"a",null]},"inf":"1e999","neg":-4}`))
	for got, want := range map[any]any{
		n.at("n").text():            "7000000000000000001",
		n.at("s").number():          12.0,
		n.at("o", "l", "deep").v:    nil,
		n.at("inf").number():        0.0,
		n.at("neg").count() + 10:    int64(10),
		n.at("f").count() + 20:      int64(21),
		len(n.at("o", "l").list(2)): 2,
	} {
		if got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if !n.at("b").yes() || !n.at("t").yes() || n.at("z").yes() || n.at("x").yes() || n.at("o").yes() || !n.at("s").yes() {
		t.Error("a flag is misread")
	}
	if got := (node{json.Number("1767225600000")}).unix(); !got.Equal(time.Unix(1767225600, 0)) {
		t.Errorf("milliseconds are read as %s", got)
	}
	if loose(json.RawMessage(`{"a":`)).v != nil {
		t.Error("half an object is something")
	}
}

func TestLinksLeadToTheWeb(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://www.tiktok.com/@a/video/1": true, "http://tiktok.com/x": true,
		"https://tiktok.com.evil.example/x": false, "https://eviltiktok.com/x": false, "javascript:alert(1)": false,
		"https://user:pw@tiktok.com/x": false, "//tiktok.com/x": false, "https://": false, "": false,
		"https://tiktok.com/" + strings.Repeat("x", 3_000): false,
	} {
		if got := webLink(address, "tiktok.com") != ""; got != want {
			t.Errorf("%q: %t", address, got)
		}
	}
	for id, want := range map[string]string{
		"7000000000000000001": "tiktok:7000000000000000001", "C_x-1.": "tiktok:C_x-1.",
		"": "", "../x": "", "a b": "", "a/b": "", "a:b": "", "-x": "", strings.Repeat("9", 101): "",
	} {
		if got := external("tiktok", id); got != want {
			t.Errorf("%q is %q", id, got)
		}
	}
}

// What a request without an answer may have cost depends on whether it was sent.
func TestWhatIsNotSentIsNotCharged(t *testing.T) {
	t.Parallel()
	s := &service{name: "x"}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx                     context.Context
		sent, repeatable        bool
		free, again, asCanceled bool
	}{
		"cancelled before":       {ended, false, false, true, false, true},
		"cancelled after":        {ended, true, false, false, false, true},
		"unreachable":            {t.Context(), false, false, true, true, false},
		"lost":                   {t.Context(), true, false, false, false, false},
		"lost, but it has a key": {t.Context(), true, true, false, true, false},
	} {
		err := s.broken(c.ctx, c.sent, c.repeatable)
		var failed *Error
		again := errors.As(err, &failed) && failed.tries > 1
		if errors.Is(err, effect.ErrNotDone) != c.free || again != c.again || errors.Is(err, context.Canceled) != c.asCanceled {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzAnswers reads whatever a platform may answer: it never panics, and what
// comes out is bounded and safe to store.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"code":200,"data":{"has_more":1,"cursor":20,"aweme_list":[],"search_item_list":[{"aweme_info":{"aweme_id":"7","desc":"x","video":{"duration":14600,"play_addr":{"url_list":["https://c.example/v.mp4"]}}}}]}}`,
		`{"data":{"data":{"items":[{"code":"C1","caption":null,"video_url":"https://c.example/v.mp4","like_count":null,"video_duration":"9.5"}]},"pagination_token":"t"}}`,
		`{"data":{"business_data":[{"type":1,"data":{"aweme_info":{"aweme_id":7,"aweme_type":"0","video":{"bit_rate":[{"bit_rate":"9","play_addr":{"url_list":["http://c.example/v"]}}]}}}}],"business_config":{"has_more":"true","next_page":{"cursor":"10"}}}}`,
		`{"data":[{"aweme_id":-1}]}`, `[]`, `{"data":{"search_item_list":{"0":1}}}`, `{"data":{"items":[null,1,"x",[[]]]}}`,
		`{"state":"succeeded","items":[{"id":"1","tags":"x","analysis":{"highlight":"high"}}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var list []Candidate
		for _, name := range []string{"tiktok", "instagram", "douyin"} {
			p, _ := platformOf(name)
			a := read(p, loose(json.RawMessage(body)), answer{More: true})
			if a.More && a.Next == (cursor{}) {
				t.Fatalf("%s goes on at the beginning", name)
			}
			list = append(list, a.Items...)
			p.candidate(p.readDetail(loose(json.RawMessage(body))))
		}
		r, _ := (&tasks{kind: "hot"}).read(loose(json.RawMessage(body)))
		for _, c := range append(list, r.Items...) {
			if !remote(c.ID) || len(c.ID) > 120 || utf8.RuneCountInString(c.Title) > maxTitle || !utf8.ValidString(c.Title+c.Author) ||
				len(c.Tags) > maxTags || c.Counts.Plays < 0 || c.Media.Seconds < 0 || c.Media.Width < 0 {
				t.Fatalf("%+v", c)
			}
			if _, err := json.Marshal(c); err != nil {
				t.Fatal(err)
			}
		}
	})
}
