package butler

import (
	"regexp"
	"strings"
	"unicode"
)

// deed is what a sentence says the butler did, by what would prove it.
type deed string

const (
	deedCard     deed = "card"     // proposed a gene card
	deedOrder    deed = "order"    // proposed an order
	deedFeedback deed = "feedback" // wrote feedback down
	deedAdd      deed = "add"      // put something somewhere unsaid: a card at best
	deedView     deed = "view"     // looked at an object or at numbers
	deedState    deed = "state"    // what the gene now says
	deedUnknown  deed = "unknown"  // something completed on nothing that a tool acts on: no tool does that
	deedAny      deed = "any"      // "done": any effect of this turn
	deedStarted  deed = "started"  // a search or render is under way
	deedSearch   deed = "search"   // searched by itself: the butler never does
	deedChange   deed = "change"   // changed the gene: the butler never does
	deedVersion  deed = "version"  // that the gene is at a version
	deedOther    deed = "other"    // notified, rendered, confirmed…: the butler never does
)

// weight orders the deeds of one clause: the one that is hardest to back counts.
func (d deed) weight() int {
	return strings.Index("state version view any add feedback order card started unknown search change other", string(d))
}

// claim is one thing that a sentence says the butler did.
type claim struct {
	deed       deed
	own        bool   // the butler is named as the doer (I, 我)
	impersonal bool   // passive: the doer is left out
	presence   bool   // that a card or order is there, not that it was made just now
	cited      string // the clause, to look for a citation in
}

var ratio = regexp.MustCompile(`(\d)[:：](\d)`)

var quotes = regexp.MustCompile(`[「『“"《][^「」『』“”"《》\n]{0,200}[」』”"》]`)

// claimsIn finds what a sentence says the butler did. names are the speakers of
// the room, who are not the butler.
func claimsIn(sentence string, names *regexp.Regexp) []claim {
	s := strings.TrimSpace(sentence)
	if strings.HasPrefix(s, ">") {
		return nil // a quotation
	}
	s = quotes.ReplaceAllStringFunc(s, func(q string) string {
		inner := strings.Trim(q, "「」『』“”\"《》")
		if len([]rune(inner)) <= 3 && !strings.ContainsAny(inner, "已了") {
			return inner
		}
		return "□"
	})
	s = ratio.ReplaceAllString(s, "$1∶$2") // 9:16 is one word
	s = strings.NewReplacer("**", "", "__", "", "`", "", "#", "", "*", "", "~~", "").Replace(s)
	var out []claim
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		out = append(out, zhClaims(s, names)...)
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r < 0x250 && unicode.IsLetter(r) }) {
		out = append(out, enClaims(s, names)...)
	}
	return out
}

// evidence is what may back a claim: what this turn's tools did, and what the
// log already holds.
type evidence struct {
	receipts map[string]int // successful effects of this turn, by receipt kind
	viewed   bool           // something was looked at, in this turn or the conversation
	read     bool           // read_gene or a look at the gene's text
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
	versionName = regexp.MustCompile(`(?i)\bv(\d+)|version (\d+)|版本 ?(\d+)|第 ?(\d+) ?版`)
	ulidName    = regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`)
	pastName    = regexp.MustCompile(`(?i)之前|上次|上一[轮次张单]|昨天|前天|早些时候|earlier|previously|last (?:time|turn|week|night)|yesterday|the other day|\bago\b`)
)

// cites says whether the clause names a version or an object that exists.
func (l logged) cites(s string) bool {
	for _, m := range versionName.FindAllStringSubmatch(s, -1) {
		n := 0
		for _, d := range strings.Join(m[1:], "") {
			n = min(n*10+int(d-'0'), 1<<20)
		}
		if n >= 1 && n <= l.version {
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

// backs says whether the evidence proves a claim.
func (e evidence) backs(c claim) bool {
	past := pastName.MatchString(c.cited)
	switch c.deed {
	case deedCard:
		return e.receipts["card"] > 0 || c.presence && e.logged.pendingCard || e.logged.cards && (past || e.logged.cites(c.cited))
	case deedOrder:
		return e.receipts["order"] > 0 || c.presence && e.logged.pendingOrder || e.logged.orders && (past || e.logged.cites(c.cited))
	case deedFeedback:
		return e.receipts["feedback"] > 0 || e.logged.feedback && past
	case deedAdd:
		return e.receipts["card"] > 0
	case deedView:
		return e.viewed || e.logged.viewed && past || e.read && (zhGene.MatchString(c.cited) || enGene.MatchString(c.cited))
	case deedState:
		return e.read || e.logged.cites(c.cited)
	case deedVersion:
		return e.logged.cites(c.cited)
	case deedAny:
		return e.receipts["card"]+e.receipts["order"]+e.receipts["feedback"] > 0
	case deedStarted:
		return !c.own && e.logged.running
	case deedChange:
		return c.impersonal && e.logged.cites(c.cited)
	}
	return false
}

// unbacked says whether a sentence claims something that the evidence does not prove.
func (e evidence) unbacked(sentence string, names *regexp.Regexp) bool {
	for _, c := range claimsIn(sentence, names) {
		if !e.backs(c) {
			return true
		}
	}
	return false
}
