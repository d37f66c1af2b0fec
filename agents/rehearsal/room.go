package rehearsal

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"sozai/domain"
)

// The room as the butler writes it into the prompt: what is to be answered
// stands in <unanswered>, each message in <person name="…" cites="…">, escaped.
// Nothing else is read as a wish: not the history, not the system's <record>, not
// <quoted> words from outside.
var (
	unanswered = regexp.MustCompile(`(?s)<unanswered>(.*)</unanswered>`)
	personSaid = regexp.MustCompile(`(?s)<person([^>]*)>(.*?)</person>`)
	attribute  = regexp.MustCompile(`\b(name|cites)="([^"]*)"`)
	marked     = regexp.MustCompile(`(?s)<(record|quoted|butler)\b[^>]*>.*?</(?:record|quoted|butler)>|</?[a-z][^>]*>`)
	citation   = regexp.MustCompile(`\b(material|board|film|asset)\s+([0-9A-HJKMNP-TV-Z]{26})((?:\s+(?:panel|from|to)\s+[0-9.]+)*)`)
	narrowed   = regexp.MustCompile(`(panel|from|to)\s+([0-9.]+)`)
)

// asks are the messages to be answered, oldest first. A text without marks is
// one message.
func asks(texts []string) []ask {
	text := strings.Join(texts, "\n")
	if m := unanswered.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	var out []ask
	for _, m := range personSaid.FindAllStringSubmatch(text, -1) {
		a := ask{text: strings.TrimSpace(html.UnescapeString(m[2]))}
		for _, attr := range attribute.FindAllStringSubmatch(m[1], -1) {
			switch value := html.UnescapeString(attr[2]); attr[1] {
			case "name":
				a.speaker = value
			case "cites":
				a.refs = refs(value)
			}
		}
		if a.text != "" || len(a.refs) > 0 {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		if plain := strings.TrimSpace(marked.ReplaceAllString(text, " ")); plain != "" {
			out = append(out, ask{text: plain, refs: refs(plain)})
		}
	}
	return out
}

// refs are the objects, panels and stretches that a message cites, each once.
func refs(s string) []domain.Ref {
	var out []domain.Ref
	seen := map[domain.Ref]bool{}
	for _, m := range citation.FindAllStringSubmatch(s, -1) {
		id, err := domain.ParseID(m[2])
		if err != nil {
			continue
		}
		r := domain.Ref{Type: domain.ObjectType(m[1]), ID: id}
		for _, n := range narrowed.FindAllStringSubmatch(m[3], -1) {
			v, err := strconv.ParseFloat(n[2], 64)
			if err != nil {
				continue
			}
			switch n[1] {
			case "panel":
				r.Panel = int(v)
			case "from":
				r.From = v
			case "to":
				r.To = v
			}
		}
		if !seen[r] {
			seen[r] = true
			out = append(out, r)
		}
	}
	return out
}
