package butler

import (
	"regexp"
	"strings"
)

// kind is what proves a claim of the butler.
type kind int

const (
	kindCard     kind = iota // proposed a gene card
	kindOrder                // proposed an order
	kindFeedback             // wrote feedback down
	kindView                 // looked at an object, numbers or feedback
	kindRead                 // read the gene
	kindAny                  // is done: a card, an order or feedback
	kindNever                // what the butler never does: search, render, change the gene, tell people…
	kinds
)

// doubt is how likely a sentence must be to claim what nothing proves to be held
// back.
const doubt = 0.5

// evidence is what may prove a claim: what this turn's tools did, and what the
// log already holds.
type evidence struct {
	receipts map[string]int // successful effects of this turn, by receipt kind
	viewed   bool           // an object, numbers or feedback were looked at
	read     bool           // the gene was read
	logged   logged
}

// logged is what a sentence about the past may cite.
type logged struct {
	version  int             // versions 1…version exist
	ids      map[string]bool // cards, orders, runs by id
	cards    bool            // the butler has proposed a card before
	orders   bool
	feedback bool
	viewed   bool // something was looked at in an earlier answer that the room still shows
	running  bool // a run is under way

	pendingCard  bool // one of the butler's waits for an answer
	pendingOrder bool
}

var (
	quotes      = regexp.MustCompile(`[「『“"《][^「」『』“”"《》\n]{0,200}[」』”"》]`)
	versionName = regexp.MustCompile(`(?i)\bv(\d+)|version (\d+)|版本 ?(\d+)|第 ?(\d+) ?版`)
	ulidName    = regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`)
	pastName    = regexp.MustCompile(`(?i)之前|上次|上一[轮次张单]|昨天|前天|早些时候|earlier|previously|last (?:time|turn|week|night)|yesterday|the other day|\bago\b`)
	underWay    = regexp.MustCompile(`(?i)(?:检索|搜索|渲染|方案|成片|消化)[^，。]{0,6}(?:正在|还在|在跑|进行|中)|(?:正在|还在)[^，。]{0,4}(?:检索|搜索|渲染|跑)|\b(?:search|render|film|board|run)\b[^,.]{0,24}\b(?:running|under way|underway|in progress|going)\b`)
	waiting     = regexp.MustCompile(`(?i)等|待|还在|仍|在[上下]面|在这里|\b(?:here is|here's|above|below|waiting|waits|awaits|awaiting|pending|still|unanswered)\b`)
	ownName     = regexp.MustCompile(`(?i)我|\bI\b`)
)

// exists says whether the version that a match of versionName names exists.
func (l logged) exists(name string) bool {
	n := 0
	for _, d := range name {
		if '0' <= d && d <= '9' {
			n = min(n*10+int(d-'0'), 1<<20)
		}
	}
	return n >= 1 && n <= l.version
}

// cites says whether a sentence names a version or an object that exists.
func (l logged) cites(s string) bool {
	for _, name := range versionName.FindAllString(s, -1) {
		if l.exists(name) {
			return true
		}
	}
	for _, id := range ulidName.FindAllString(strings.ToUpper(s), -1) {
		if l.ids[id] {
			return true
		}
	}
	return false
}

// now says which kinds of claim this turn proves.
func (e evidence) now() [kinds]bool {
	p := [kinds]bool{
		kindCard: e.receipts[receiptCard] > 0, kindOrder: e.receipts[receiptOrder] > 0,
		kindFeedback: e.receipts[receiptFeedback] > 0, kindView: e.viewed, kindRead: e.read,
	}
	p[kindAny] = p[kindCard] || p[kindOrder] || p[kindFeedback]
	return p
}

// proves says which kinds of claim the log proves of a clause: one that speaks of
// the past, cites what exists, or says without naming the butler that something
// waits or runs.
func (l logged) proves(clause string) (p [kinds]bool) {
	past, own := pastName.MatchString(clause), ownName.MatchString(clause)
	older := past || l.cites(clause)
	waits := !own && waiting.MatchString(clause)
	p[kindCard] = l.cards && older || l.pendingCard && waits
	p[kindOrder] = l.orders && older || l.pendingOrder && waits
	p[kindFeedback] = l.feedback && past
	p[kindView] = l.viewed && past
	p[kindAny] = p[kindCard] || p[kindOrder] || p[kindFeedback]
	if l.running && !own && underWay.MatchString(clause) {
		for k := range p {
			p[k] = true // it says nothing else
		}
	}
	return p
}

// unbacked says whether a sentence claims something that the evidence does not
// prove. names are the speakers of the room, who are not the butler.
func (e evidence) unbacked(sentence string, names *regexp.Regexp) bool {
	return e.doubts(learnt(), sentence, names)
}

// doubts is unbacked with the weights of c. A clause of which the log proves
// something is judged by itself: what the log proves of it, it does not prove of
// what else the sentence says.
func (e evidence) doubts(c classifier, sentence string, names *regexp.Regexp) bool {
	if strings.HasPrefix(strings.TrimSpace(sentence), ">") {
		return false // a quotation
	}
	claims := func(words string, proved [kinds]bool) bool {
		return !wordless(words) && c.score(e.logged.features(words, names), proved) > doubt
	}
	rest := sentence
	for _, clause := range clauseCut.Split(sentence, -1) {
		proved := e.logged.proves(clause)
		if proved == [kinds]bool{} {
			continue
		}
		for k, now := range e.now() {
			proved[k] = proved[k] || now
		}
		if claims(clause, proved) {
			return true
		}
		rest = strings.Replace(rest, clause, "", 1)
	}
	return claims(rest, e.now())
}

// add counts one more piece of evidence: a receipt's kind, view or read.
func (e *evidence) add(kind string) {
	switch kind {
	case "view":
		e.viewed = true
	case "read":
		e.read = true
	default:
		e.receipts[kind]++
	}
}
