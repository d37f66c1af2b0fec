package butler

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sozai/agents"
	"sozai/domain"
)

// gate is the claim gate: it cuts the model's words into sentences and shows
// each as soon as it claims nothing, or what it claims is proved, and tells no
// result that nobody has shown the model. A claim that
// nothing proves yet waits for the end of its round, and what follows it waits
// too, so that the order stays; then it is shown, or withheld with a note.
type gate struct {
	names *regexp.Regexp // the speakers of the room; nil if there are none

	mu       sync.Mutex // tools prove things while sentences are judged
	evidence evidence
	numbers  figures // that the model has been shown; nil = not kept

	open     string   // the sentence that is being written
	held     []string // sentences that wait, the first of them a claim
	spoke    bool     // words were shown in this round
	withheld int      // sentences withheld in this round
	total    int      // in the whole shift
}

var _ agents.Gate = (*gate)(nil)

// What is listed under a heading is said by the heading: "Done so far:".
var (
	headsList = regexp.MustCompile(`[:：][\s*_]*$`)
	listItem  = regexp.MustCompile(`^\s*(?:[-*•·✅✔☑]|\d+[.)、])`)
)

// newGate starts from what the log holds already.
func newGate(logged logged, speakers []string) *gate {
	g := &gate{evidence: evidence{receipts: map[string]int{}, logged: logged}}
	var quoted []string
	for _, name := range speakers {
		if len([]rune(name)) > 1 {
			quoted = append(quoted, regexp.QuoteMeta(name))
		}
	}
	// The longest first, so that a name is not cut by one that it begins with.
	slices.SortFunc(quoted, func(a, b string) int { return len(b) - len(a) })
	if len(quoted) > 0 {
		g.names = regexp.MustCompile(strings.Join(quoted, "|"))
	}
	return g
}

// Open begins a round.
func (g *gate) Open(int) {
	g.open, g.held, g.spoke, g.withheld = "", nil, false, 0
}

// Text takes the next words.
func (g *gate) Text(words string) []agents.Piece {
	done, rest := splitSentences(g.open + words)
	g.open = rest
	var shown strings.Builder
	for _, sentence := range done {
		if len(g.held) > 0 || g.doubtful(sentence) {
			g.held = append(g.held, sentence)
			continue
		}
		shown.WriteString(sentence)
	}
	return g.show(nil, shown.String())
}

// Close ends the round: what waits is shown if it is proved now.
func (g *gate) Close(receipts []agents.Receipt) []agents.Piece {
	for _, r := range receipts {
		g.prove(r.Kind)
	}
	if g.open != "" {
		g.held = append(g.held, g.open)
		g.open = ""
	}
	var out []agents.Piece
	var shown strings.Builder
	missing := 0
	note := func() {
		if missing > 0 {
			out = append(out, agents.Piece{Note: true, Text: withheldNote(missing)})
			g.withheld += missing
			g.total += missing
			missing = 0
		}
	}
	list := false // under a withheld heading
	for _, sentence := range g.held {
		if missing > 0 && wordless(sentence) {
			continue // what closes a withheld sentence goes with it
		}
		list = list && listItem.MatchString(sentence)
		if list || g.doubtful(sentence) {
			list = list || headsList.MatchString(sentence)
			out = g.show(out, shown.String())
			shown.Reset()
			missing++
			continue
		}
		note()
		shown.WriteString(sentence)
	}
	out = g.show(out, shown.String())
	note()
	g.held = nil
	return out
}

func (g *gate) show(out []agents.Piece, text string) []agents.Piece {
	if text == "" {
		return out
	}
	g.spoke = g.spoke || strings.TrimSpace(text) != ""
	return append(out, agents.Piece{Text: text})
}

// doubtful says whether a sentence claims what nothing proves so far.
func (g *gate) doubtful(sentence string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.evidence.unbacked(sentence, g.names) || g.numbers != nil && g.numbers.invents(sentence)
}

// prove counts an effect of this shift. Safe for concurrent use.
func (g *gate) prove(kind string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.evidence.receipts[kind]++
}

// looked counts a successful look: at an object or numbers, or at the gene.
// Safe for concurrent use.
func (g *gate) looked(gene bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if gene {
		g.evidence.read = true
		return
	}
	g.evidence.viewed = true
}

// shown takes in what the model gets to read: its numbers may be told. Safe for
// concurrent use.
func (g *gate) shown(texts ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.numbers == nil {
		g.numbers = figures{}
	}
	for _, t := range texts {
		g.numbers.add(t)
	}
}

// silenced says that the last round showed nothing because all it said was
// withheld.
func (g *gate) silenced() bool { return g.withheld > 0 && !g.spoke }

func withheldNote(n int) string {
	if n == 1 {
		return "有一句话没有凭据，已扣下 · one sentence without evidence was withheld"
	}
	return fmt.Sprintf("有 %d 句话没有凭据，已扣下 · %d sentences without evidence were withheld", n, n)
}

// loggedOf is what the log lets a sentence about the past cite.
func loggedOf(versions int, cards, orders, runs []domain.ID) logged {
	l := logged{version: versions, ids: map[string]bool{}, cards: len(cards) > 0, orders: len(orders) > 0}
	for _, ids := range [][]domain.ID{cards, orders, runs} {
		for _, id := range ids {
			l.ids[string(id)] = true
		}
	}
	return l
}
