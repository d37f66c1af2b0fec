package sourcetest

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/catalogue"
	"sozai/agents/source"
	"sozai/domain"
	"sozai/domain/library"
)

// Subject is a source under test, freshly made, with a product of its own.
type Subject struct {
	Who      source.Who
	Search   func(ctx context.Context, who source.Who, text string, page int) (source.Page, error)
	Examiner source.Examiner
	Words    string // finds all of Videos
	Videos   int    // ordinary ones that it has
	Hostile  string // finds one with dangerous text and links
	Dry      bool   // its videos have no files

	Desk    *Desk          // nil: nothing outside
	Fetches func() int     // how often files were asked for; nil: they are here
	Price   domain.Money   // of a charged call
	Restart func() Subject // the same as another process would have it
}

// Conform runs the suite: what every source keeps to, whatever lies behind it.
func Conform(t *testing.T, fresh func(t *testing.T) Subject) {
	for name, test := range map[string]func(t *testing.T, s Subject){
		"the same page twice is the same":       samePage,
		"pages until dry":                       untilDry,
		"an empty query is never sent":          emptyQuery,
		"a cancelled search is cancelled":       cancelled,
		"hostile text is bounded":               hostile,
		"a second attempt pays nothing":         secondAttempt,
		"a candidate is examined once":          examined,
		"a pause is kept":                       pause,
		"an empty account stops the source":     stopped,
		"a refused request is not repeated":     refusedOnce,
		"a failure that passes is tried again":  passes,
		"a failing source is left alone":        leftAlone,
		"an answer of nothing is charged, once": nothing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, fresh(t))
		})
	}
}

func (s Subject) page(t *testing.T, number int) source.Page {
	t.Helper()
	p, err := s.Search(t.Context(), s.Who, s.Words, number)
	if err != nil {
		t.Fatalf("page %d: %v", number, err)
	}
	return p
}

// counts are calls and charges outside.
func (s Subject) counts() [2]int {
	if s.Desk == nil {
		return [2]int{}
	}
	return [2]int{s.Desk.Calls(), s.Desk.Charges()}
}

func samePage(t *testing.T, s Subject) {
	first := s.page(t, 1)
	before := s.counts()
	second := s.page(t, 1)
	if diff := cmp.Diff(first.Items, second.Items); diff != "" || len(first.Items) == 0 {
		t.Fatalf("the second time (-first +second):\n%s", diff)
	}
	if after := s.counts(); after != before || second.Cost != 0 {
		t.Fatalf("asking again went from %v calls and charges to %v, cost %d", before, after, second.Cost)
	}
}

func untilDry(t *testing.T, s Subject) {
	seen := map[string]bool{}
	cost := domain.Money(0)
	last := 0
	for number := 1; ; number++ {
		p := s.page(t, number)
		cost += p.Cost
		if p.Page != number || p.Pages < number && p.More || number > 40 {
			t.Fatalf("page %d: says %d of %d, more %t", number, p.Page, p.Pages, p.More)
		}
		for _, c := range p.Items {
			if c.ID == "" || seen[c.ID] {
				t.Fatalf("page %d: %q has no id or was on a page before", number, c.ID)
			}
			if !s.Dry && !c.HasVideo() || !strings.Contains(c.Title, strings.Fields(s.Words)[0]) {
				t.Fatalf("page %d: %+v", number, c)
			}
			seen[c.ID] = true
		}
		if last = number; !p.More {
			break
		}
	}
	if len(seen) != s.Videos {
		t.Fatalf("%d videos on %d pages, want %d", len(seen), last, s.Videos)
	}
	before := s.counts()
	if p := s.page(t, last+1); len(p.Items) != 0 || p.More || p.Cost != 0 || s.counts() != before {
		t.Fatalf("beyond the last page: %+v, %v then %v", p, before, s.counts())
	}
	if s.Desk != nil && cost != s.Price*domain.Money(s.Desk.Charges()) {
		t.Fatalf("cost %d for %d charged calls at %d", cost, s.Desk.Charges(), s.Price)
	}
}

func emptyQuery(t *testing.T, s Subject) {
	for _, text := range []string{"", " \t\n", "\u3000"} {
		p, err := s.Search(t.Context(), s.Who, text, 1)
		var failed *source.Error
		if err != nil && (!errors.As(err, &failed) || failed.Kind != source.Refused) || len(p.Items) != 0 || p.Cost != 0 {
			t.Fatalf("%q finds %d, costs %d, %v", text, len(p.Items), p.Cost, err)
		}
	}
	if s.counts() != [2]int{} {
		t.Fatalf("an empty query made %v calls and charges", s.counts())
	}
}

func cancelled(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Search(ctx, s.Who, s.Words, 1)
	var failed *source.Error
	if !errors.Is(err, context.Canceled) || errors.As(err, &failed) || s.counts() != [2]int{} {
		t.Fatalf("got %v after %v calls and charges", err, s.counts())
	}
	if p := s.page(t, 1); len(p.Items) == 0 { // nothing was spent, so it may be asked
		t.Fatal("the page is empty afterwards")
	}
}

func hostile(t *testing.T, s Subject) {
	p, err := s.Search(t.Context(), s.Who, s.Hostile, 1)
	if err != nil || len(p.Items) == 0 {
		t.Fatalf("%d found, %v", len(p.Items), err)
	}
	for _, c := range p.Items {
		for _, text := range append([]string{c.ID, c.Title, c.Author, c.Platform}, c.Tags...) {
			if !utf8.ValidString(text) || utf8.RuneCountInString(text) > library.MaxTitle || strings.ContainsFunc(text, unicode.IsControl) || strings.ContainsAny(text, "\u202e\u2066") {
				t.Fatalf("%d characters, controls, or marks that turn the writing: %q", utf8.RuneCountInString(text), domain.Clip(text, 100))
			}
		}
		for _, link := range []string{c.URL, c.Play} {
			if u, err := url.Parse(link); err != nil || link != "" && u.Scheme != "http" && u.Scheme != "https" {
				t.Fatalf("link %q", link)
			}
		}
		if len(c.Tags) > library.MaxTags || min(c.Counts.Plays, c.Counts.Likes, c.Media.Bytes) < 0 || c.Media.Seconds < 0 {
			t.Fatalf("%+v", c)
		}
	}
}

func secondAttempt(t *testing.T, s Subject) {
	first := s.page(t, 1)
	var second source.Page
	if first.More {
		second = s.page(t, 2)
	}
	before := s.counts()
	again := s.Restart()
	again.Who.Attempt++
	p := again.page(t, 1)
	if diff := cmp.Diff(first.Items, p.Items); diff != "" || p.Cost != 0 {
		t.Fatalf("cost %d (-first +second attempt):\n%s", p.Cost, diff)
	}
	if first.More {
		if diff := cmp.Diff(second.Items, again.page(t, 2).Items); diff != "" {
			t.Fatalf("page 2 (-first +second attempt):\n%s", diff)
		}
	}
	if after := s.counts(); after != before {
		t.Fatalf("the second attempt went from %v calls and charges to %v", before, after)
	}
}

func examined(t *testing.T, s Subject) {
	c := s.page(t, 1).Items[0]
	got, err := s.Examiner.Examine(t.Context(), s.Who, c)
	if s.Dry {
		if !errors.Is(err, catalogue.ErrNoMedia) {
			t.Fatalf("got %v", err)
		}
		return
	}
	if err != nil || got.ID != c.ID || got.Media.Hash == "" || got.Media.Seconds <= 0 || got.Analysis == nil || got.Play != "" {
		t.Fatalf("%+v, %v", got, err)
	}
	fetches := 0
	if s.Fetches != nil {
		fetches = s.Fetches()
	}
	again, err := s.Restart().Examiner.Examine(t.Context(), s.Who, c)
	if diff := cmp.Diff(got, again); diff != "" || err != nil {
		t.Fatalf("examined again, %v (-first +second):\n%s", err, diff)
	}
	if s.Fetches != nil && (fetches != 1 || s.Fetches() != 1) {
		t.Fatalf("the file was fetched %d times, then %d", fetches, s.Fetches())
	}
	if s.Desk != nil && s.Desk.Charges() != 1 {
		t.Fatalf("%d charges for one search", s.Desk.Charges())
	}
}
