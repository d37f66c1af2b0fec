package rehearsal

import (
	"strings"

	"sozai/domain"
)

// geneView is what read_gene returns.
type geneView struct {
	Version     int                `json:"version"`
	Search      docView            `json:"search"`
	Steer       docView            `json:"steer"`
	Constraints domain.Constraints `json:"constraints"`
	Versions    []versionView      `json:"versions"`
}

type docView struct {
	Text  string     `json:"text"`
	Lines []lineView `json:"lines"`
}

type lineView struct {
	Text string `json:"text"`
	By   string `json:"by"`
	Role string `json:"role"`
}

type versionView struct {
	Version int    `json:"version"`
	Origin  string `json:"origin"`
	Summary string `json:"summary"`
}

func (g geneView) doc(d domain.Document) docView {
	if d == domain.Search {
		return g.Search
	}
	return g.Steer
}

// ownedByButler says whether nobody but the butler wrote a line, so that it may
// be replaced. A line of unknown authorship is taken for a person's.
func (l lineView) ownedByButler() bool {
	return l.Role == "butler" || l.By == "butler" || strings.HasPrefix(l.By, "butler:")
}

// change is what a card would say.
type change struct {
	search, steer *string
	constraints   *domain.Constraints
	summary       []string // what moved, in words
	already       []string // what the gene says already
	disputed      []string // what people want moved both ways: theirs to settle
	used          map[string]map[domain.Document]bool
}

func (c change) empty() bool { return c.search == nil && c.steer == nil && c.constraints == nil }

func (c change) alters(d domain.Document) bool {
	return d == domain.Search && c.search != nil || d == domain.Steer && c.steer != nil
}

// targeted is a wish aimed at documents, with the feedback it came from.
type targeted struct {
	wish
	docs     []domain.Document
	feedback []string // ids
}

// draft works wishes into a gene: every line of a person stays as it is, new
// rules are added below, and an own line that says the opposite gives way.
func draft(g geneView, wishes []targeted, zh bool) change {
	c := change{used: map[string]map[domain.Document]bool{}}
	edited := map[domain.Document][]lineView{}
	for _, d := range []domain.Document{domain.Search, domain.Steer} {
		edited[d] = linesOf(g.doc(d))
	}
	touched := map[domain.Document]bool{}
	wishes, c.disputed = agreed(wishes, zh)
	for _, w := range wishes {
		if k, ok := limits(w.words, g.Constraints, zh); ok {
			if c.constraints == nil {
				c.constraints = &k.constraints
				c.summary = append(c.summary, k.summary)
			}
			if w.notion == nil || w.notion.key == "length" {
				continue
			}
		}
		for _, d := range w.docs {
			docZH := chinese(g.doc(d).Text) || strings.TrimSpace(g.doc(d).Text) == "" && zh
			lines, moved := work(edited[d], w, d, docZH)
			for _, id := range w.feedback {
				if c.used[id] == nil {
					c.used[id] = map[domain.Document]bool{}
				}
				c.used[id][d] = true
			}
			if !moved {
				c.already = append(c.already, w.label(zh))
				continue
			}
			edited[d] = lines
			touched[d] = true
			c.summary = append(c.summary, w.label(zh))
		}
	}
	if touched[domain.Search] {
		text := join(edited[domain.Search])
		c.search = &text
	}
	if touched[domain.Steer] {
		text := join(edited[domain.Steer])
		c.steer = &text
	}
	c.summary, c.already = unique(c.summary), unique(c.already)
	return c
}

// agreed leaves out the notions that are wanted both more and less.
func agreed(in []targeted, zh bool) (out []targeted, disputed []string) {
	ways := map[string]map[aim]bool{}
	for _, w := range in {
		if w.notion != nil {
			if ways[w.notion.key] == nil {
				ways[w.notion.key] = map[aim]bool{}
			}
			ways[w.notion.key][w.aim] = true
		}
	}
	for _, w := range in {
		if w.notion != nil && len(ways[w.notion.key]) > 1 {
			disputed = append(disputed, w.notion.name.in(zh))
			continue
		}
		out = append(out, w)
	}
	return out, unique(disputed)
}

// work puts one wish into a document's lines; false if they say it already.
func work(lines []lineView, w targeted, d domain.Document, zh bool) ([]lineView, bool) {
	rule := quoted(w.words, zh)
	if w.notion != nil {
		known, opposite := w.notion.line(d, w.aim, zh), w.notion.line(d, w.aim.turned(), zh)
		if at := index(lines, opposite); at >= 0 && opposite != known && lines[at].ownedByButler() {
			out := append([]lineView{}, lines...)
			out[at].Text = bullet(lines) + known
			return out, true
		}
		if index(lines, known) < 0 {
			rule = known
		}
	}
	if index(lines, rule) >= 0 {
		return lines, false
	}
	return append(append([]lineView{}, lines...), lineView{Text: bullet(lines) + rule, Role: "butler"}), true
}

func (a aim) turned() aim {
	if a == less {
		return more
	}
	return less
}

// quoted makes a rule of words that no notion covers.
func quoted(words string, zh bool) string {
	words = strings.Join(strings.Fields(words), " ")
	if r := []rune(words); len(r) > 120 {
		words = string(r[:120])
	}
	if zh {
		return "按反馈：" + words
	}
	return "From feedback: " + words
}

// label names a wish in a summary.
func (w wish) label(zh bool) string {
	if w.notion == nil {
		words := []rune(w.words)
		if len(words) > 24 {
			words = append(words[:24], '…')
		}
		if zh {
			return "「" + string(words) + "」"
		}
		return "“" + string(words) + "”"
	}
	name := w.notion.name.in(zh)
	switch {
	case w.aim == less && zh:
		return name + "收敛"
	case w.aim == less:
		return "less " + name
	case zh:
		return name + "加强"
	default:
		return "more " + name
	}
}

// linesOf prefers the lines with their authors; a document without them is
// split, and every line taken for a person's.
func linesOf(d docView) []lineView {
	authors := map[string]lineView{}
	for _, l := range d.Lines {
		authors[strings.TrimSpace(l.Text)] = l
	}
	var out []lineView
	for _, text := range strings.Split(strings.TrimRight(d.Text, " \n"), "\n") {
		l := authors[strings.TrimSpace(text)]
		l.Text = text
		out = append(out, l)
	}
	if len(out) == 1 && strings.TrimSpace(out[0].Text) == "" {
		return nil
	}
	return out
}

func join(lines []lineView) string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.Text
	}
	return strings.Join(texts, "\n")
}

// bullet is how the document begins its lines, if most of them agree.
func bullet(lines []lineView) string {
	count := map[string]int{}
	for _, l := range lines {
		for _, b := range []string{"- ", "* ", "· ", "• "} {
			if strings.HasPrefix(l.Text, b) {
				count[b]++
			}
		}
	}
	for b, n := range count {
		if n*2 > len(lines) {
			return b
		}
	}
	return ""
}

// index finds a rule among lines, whatever bullet stands before it.
func index(lines []lineView, rule string) int {
	if rule == "" {
		return -1
	}
	for i, l := range lines {
		if strings.TrimSpace(strings.TrimLeft(l.Text, "-*·• ")) == rule {
			return i
		}
	}
	return -1
}

func unique(in []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range in {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
