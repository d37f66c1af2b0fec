package gene_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sozai/domain"
	"sozai/domain/domaintest"
	"sozai/domain/gene"
)

// A small vocabulary, so that lines collide, extend and negate each other often.
func word() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"红", "火", "近景", "slow", "Red", "15", "不", "not", "≤", "，", "-"})
}

func line() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word(), 1, 4).Draw(t, "words"), " ")
	})
}

func document() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line(), 0, 5).Draw(t, "lines"), "\n")
	})
}

// revision changes a document as a butler might: by rewriting, dropping, adding
// and moving lines, and by adding words to them.
func revision(t *rapid.T, text string) string {
	lines := strings.Split(text, "\n")
	for range rapid.IntRange(1, 4).Draw(t, "changes") {
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "where")
		switch rapid.SampledFrom([]string{"extend", "extend", "add", "move", "drop", "rewrite"}).Draw(t, "change") {
		case "extend":
			words := strings.Fields(lines[i])
			at := rapid.IntRange(0, len(words)).Draw(t, "at")
			lines[i] = strings.Join(slices.Insert(words, at, word().Draw(t, "word")), " ")
		case "add":
			lines = slices.Insert(lines, i, line().Draw(t, "line"))
		case "move":
			j := rapid.IntRange(0, len(lines)-1).Draw(t, "to")
			lines[i], lines[j] = lines[j], lines[i]
		case "drop":
			if len(lines) > 1 {
				lines = slices.Delete(lines, i, i+1)
			}
		case "rewrite":
			lines[i] = line().Draw(t, "line")
		}
	}
	return strings.Join(lines, "\n")
}

// world is a gene with everything that happened to it.
type world struct {
	state  gene.State
	events []domain.Recorded
	cards  int
}

func (w *world) record(t *rapid.T, by domain.Actor, events []domain.Decision) {
	for _, e := range events {
		r := domain.Recorded{
			Meta:  domain.Meta{Seq: uint64(len(w.events) + 1), Time: domaintest.Now(), Actor: by},
			Event: e,
		}
		w.events = append(w.events, r)
		next, err := gene.Evolve(w.state, r)
		if err != nil {
			t.Fatalf("evolve %T: %v", e, err)
		}
		w.state = next
	}
}

// propose and, if it is accepted, apply a butler's revision; it says whether.
func (w *world) propose(t *rapid.T) bool {
	w.cards++
	id := domain.ID(fmt.Sprint("c", w.cards))
	text := revision(t, w.state.Search)
	proposed, err := w.state.Propose(gene.Proposed{
		Card: id, BaseVersion: w.state.Version, Search: &text, Summary: "s", Reason: "r",
	}, domaintest.Butler, domaintest.Now())
	if errors.Is(err, gene.ErrPersonLines) || errors.Is(err, gene.ErrNothingChanged) {
		return false
	}
	if err != nil {
		t.Fatalf("propose: %v", err)
	}
	w.record(t, domaintest.Butler, proposed)
	applied, err := w.state.Apply(gene.ApplyCard{Card: id}, domaintest.Bob, domaintest.Now())
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	w.record(t, domaintest.Bob, applied)
	return true
}

func newWorld(t *rapid.T) *world {
	w := &world{}
	created, err := w.state.Create(document().Draw(t, "document"), "", domain.Constraints{})
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	w.record(t, domaintest.Ann, created)
	return w
}

// own lists the words of people that a gene holds, by author.
func own(s gene.State) []string {
	var list []string
	for _, line := range s.Lines(domain.Search) {
		if strings.Trim(line.Own, " ，-") != "" {
			list = append(list, string(line.Author)+" "+line.Own)
		}
	}
	slices.Sort(list)
	return list
}

// Whatever butlers propose and people apply as it is, every line that a person
// wrote is still there as that person's, with all its words in their order.
func TestPropertyAPersonsWordsAreNeverLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		want := own(w.state)
		for range rapid.IntRange(1, 8).Draw(t, "cards") {
			w.propose(t)
			if got := own(w.state); !slices.Equal(got, want) {
				t.Fatalf("people's lines were %q, are %q in\n%s", want, got, w.state.Search)
			}
			for _, line := range w.state.Lines(domain.Search) {
				if !within(line.Own, line.Text) {
					t.Fatalf("%q does not hold its author's words %q", line.Text, line.Own)
				}
			}
		}
	})
}

// within is a plain reading of "words may be added, none removed": all words of
// own, in order, in text. The test vocabulary separates words by spaces.
func within(own, text string) bool {
	left := strings.Fields(strings.NewReplacer("，", " ", "-", " ").Replace(own))
	for _, word := range strings.Fields(text) {
		if len(left) > 0 && left[0] == word {
			left = left[1:]
		}
	}
	return len(left) == 0
}

// A document always keeps itself, and everything added below it.
func TestPropertyWhatIsKeptIsAccepted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(0, 3).Draw(t, "cards") {
			w.propose(t)
		}
		lines := w.state.Lines(domain.Search)
		text := w.state.Search + "\n" + line().Draw(t, "more")
		if broken := gene.CheckPersonLines(lines, text); broken != nil {
			t.Fatalf("%q is said to break %v", text, broken)
		}
	})
}

// So does a document of any characters at all.
func TestPropertyAnyTextKeepsItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + rapid.SampledFrom([]string{"\n", "\r\n", "：\n", ""}).Draw(t, "end") +
			rapid.String().Draw(t, "more")
		var s gene.State
		created, err := s.Create(text, text, domain.Constraints{})
		if errors.Is(err, domain.ErrText) {
			return
		}
		if err != nil {
			t.Fatalf("create: %v", err)
		}
		s, err = gene.Evolve(s, domain.Recorded{Meta: domain.Meta{Actor: domaintest.Ann}, Event: created[0]})
		if err != nil {
			t.Fatal(err)
		}
		for _, again := range []string{text, s.Search} {
			if broken := gene.CheckPersonLines(s.Lines(domain.Search), again); broken != nil {
				t.Fatalf("%q is said to break its own lines %q", again, broken)
			}
		}
	})
}

// Folding a history again, in one go or step by step, gives the same state.
func TestPropertyFoldIsDeterministic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(0, 8).Draw(t, "steps") {
			text := revision(t, w.state.Search)
			switch rapid.SampledFrom([]string{"card", "edit", "rollback"}).Draw(t, "step") {
			case "card":
				w.propose(t)
			case "edit":
				events, _ := w.state.Edit(w.state.Version, gene.Edit{Search: &text}, "", nil, domaintest.Bob)
				w.record(t, domaintest.Bob, events)
			case "rollback":
				to := rapid.IntRange(1, w.state.Version).Draw(t, "to")
				events, _ := w.state.Rollback(w.state.Version, to, nil, domaintest.Ann)
				w.record(t, domaintest.Ann, events)
			}
		}
		var again gene.State
		for _, r := range w.events {
			var err error
			if again, err = gene.Evolve(again, r); err != nil {
				t.Fatalf("evolve again: %v", err)
			}
		}
		if !reflect.DeepEqual(w.state, again) {
			t.Fatalf("folded again:\n%+v\nwas\n%+v", again, w.state)
		}
	})
}
