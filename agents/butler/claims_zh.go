package butler

import (
	"regexp"
	"slices"
	"strings"
)

// The Chinese half of the claim detector. A clause claims something when one of
// its verbs is completed (已…, …了, …完毕, 做了…, 把…进…), is neither denied nor
// planned nor asked, and is done by the butler: said so (我), left out, or in the
// passive. Words are looked at one clause at a time; object, condition and
// subject carry over to later clauses of the sentence.

// subject is who acts in a clause.
type subject int

const (
	nobody subject = iota // left out
	own                   // the butler
	other                 // a person, the system, a thing
)

// zhState is what earlier clauses of the sentence leave behind.
type zhState struct {
	sentence string
	names    *regexp.Regexp
	subject  subject // of the clause before
	if_      bool    // a condition came before
	acted    bool    // somebody else acted before (you applied it, …)
	gene     bool    // an earlier clause spoke of …
	order    bool
	report   bool // an earlier clause announced what has been done
	media    bool
}

// zhClaims finds the claims of a sentence. names matches the speakers of the
// room; it may be nil.
func zhClaims(sentence string, names *regexp.Regexp) []claim {
	s := zhPlain(sentence)
	st := &zhState{sentence: s, names: names}
	var clauses []string
	for _, c := range zhClause.Split(s, -1) {
		if strings.Trim(c, "。！!.？? \t") != "" {
			clauses = append(clauses, strings.TrimSpace(c))
		}
	}
	var out []claim
	if !zhIf.MatchString(s) && !zhAsk.MatchString(s) && !zhDeny.MatchString(s) {
		switch {
		case zhHereOr.MatchString(s):
			out = append(out, claim{deed: deedOrder, presence: true})
		case zhHere.MatchString(s):
			out = append(out, claim{deed: deedCard, presence: true})
		}
	}
	asked := zhAsk.MatchString(s)
	mark := ""
	if strings.HasSuffix(strings.TrimSpace(s), "？") || strings.HasSuffix(strings.TrimSpace(s), "?") {
		mark = "？"
	}
	if !asked {
		out = append(out, zhLabels(s)...)
	}
	for i, c := range clauses {
		last := i == len(clauses)-1
		if asked && last && (len(clauses) == 1 || !zhTag.MatchString(c)) && zhAsk.MatchString(c+mark) {
			continue // the question itself; what stands before it is still said
		}
		out = append(out, st.clause(c)...)
	}
	return out
}

// clause judges one clause and remembers what it leaves for the next.
func (st *zhState) clause(c string) []claim {
	body := zhCited.ReplaceAllString(c, "□的")
	if zhReadsTalk.MatchString(body) {
		return nil
	}
	cond := zhIf.MatchString(body)
	var found []claim
	for _, v := range zhVerbs {
		for _, at := range v.form.FindAllStringIndex(body, -1) {
			w := zhVerbAt{st: st, clause: body, pre: body[:at[0]], verb: body[at[0]:at[1]], post: body[at[1]:], deed: v.deed}
			if cl, ok := w.judge(cond); ok {
				found = append(found, cl)
			}
		}
	}
	if cl, ok := st.shape(body, cond); ok {
		found = append(found, cl)
	}
	if onlyLooked(found) {
		if cl, ok := st.unlisted(body, cond); ok {
			found = append(found, cl)
		}
	}
	if onlyLooked(found) {
		if cl, ok := st.wider(body, cond); ok {
			found = append(found, cl)
		}
	}
	if onlyLooked(found) {
		if cl, ok := st.strict(body, cond); ok {
			found = append(found, cl)
		}
	}
	who, _ := st.subjectOf(body, len(body), deedChange)
	st.acted = st.acted || who == other && zhActs.MatchString(body)
	if who != nobody {
		st.subject = who
	}
	st.report = st.report || zhReport.MatchString(body)
	st.if_ = st.if_ || cond
	st.gene = st.gene || zhGene.MatchString(body)
	st.order = st.order || zhOrder.MatchString(body) || zhHunt.MatchString(body)
	st.media = st.media || zhMedia.MatchString(body)
	return strongest(found)
}

// shape finds claims that lie in the build of a clause and not in a verb.
func (st *zhState) shape(c string, cond bool) (claim, bool) {
	if cond || st.if_ || st.acted || zhDeny.MatchString(c) {
		return claim{}, false
	}
	switch {
	case zhMinted.MatchString(c):
		return claim{deed: deedChange, impersonal: true, cited: c}, true
	case zhGeneNow.MatchString(c):
		return claim{deed: deedState, impersonal: true, cited: c}, true
	}
	return claim{}, false
}

// unlisted finds a completed action of the butler whose verb nobody listed.
func (st *zhState) unlisted(c string, cond bool) (claim, bool) {
	if cond || st.if_ || zhIsState.MatchString(c) {
		return claim{}, false
	}
	upto := len(c)
	if m := zhAlready.FindStringIndex(c); m != nil {
		upto = m[1]
	}
	who, at := st.subjectOf(c, upto, deedChange)
	if at >= 0 && zhOwnThink.MatchString(c[at:]) {
		return claim{}, false // 我注意到…
	}
	for _, m := range zhVerbEnd.FindAllStringSubmatch(c, -1) {
		if zhThinkEnd.MatchString(m[1]) {
			return claim{}, false // …说错了
		}
	}
	for _, m := range zhVerbHead.FindAllStringSubmatch(c, -1) {
		if zhThinkAt.MatchString(m[1]) {
			return claim{}, false // 已经听懂
		}
	}
	done := zhOwnDone.FindStringIndex(c[max(at, 0):])
	led := zhLeadDone.MatchString(c)
	if !(who == own && at >= 0 && done != nil) && !(who == nobody && led) {
		return claim{}, false
	}
	scope := c[max(at, 0):]
	if i := lastMatch(zhAlready, scope); i >= 0 {
		scope = scope[i:]
	}
	if zhDeny.MatchString(scope) || zhPlan.MatchString(scope) {
		return claim{}, false
	}
	return claim{deed: zhWorkOf(c, who == own), own: who == own, cited: c}, true
}

// leads says whether nothing but openers stand before a verb, so that its
// left-out subject is the speaker.
func leads(pre string) bool {
	p := strings.TrimLeft(pre, zhBullet)
	if at := lastMatch(zhBa, p); at >= 0 {
		p = p[:at]
	}
	p = zhAsked.ReplaceAllString(p, "")
	for _, re := range []*regexp.Regexp{zhForYou, zhNote, zhGene, zhOrder, zhHunt, zhCard, zhAlready, zhMade} {
		p = re.ReplaceAllString(p, "")
	}
	return strings.TrimSpace(zhOpener.ReplaceAllString(p, "")) == ""
}

// subjectOf finds who acts in the part of a clause before upto: the last person
// or thing that no preposition governs, and where it stands. A clause without
// one borrows it from the clause before.
func (st *zhState) subjectOf(c string, upto int, d deed) (subject, int) {
	pre := c[:upto]
	best, at := nobody, -1
	for _, re := range []*regexp.Regexp{zhOther, st.names} {
		if re == nil {
			continue
		}
		for _, m := range re.FindAllStringIndex(pre, -1) {
			word, after := pre[m[0]:m[1]], pre[m[1]:]
			switch {
			case m[0] < at, zhPrep.MatchString(pre[:m[0]]), lastMatch(zhBa, pre[:m[0]]) >= 0:
			case strings.HasPrefix(after, "的") && upto < len(c): // possessive: the subject follows
			case zhModifies.MatchString(after): // 字幕规则: what the rules are about
			case (d == deedCard || d == deedOrder || d == deedOther) && (strings.HasPrefix(word, "卡") || word == "提案"):
				// a card can be issued, it issues nothing
			default:
				best, at = other, m[0]
			}
		}
	}
	ownAt := -1
	for _, m := range zhOwn.FindAllStringIndex(pre, -1) {
		if !zhToMe.MatchString(pre[:m[0]]) && !strings.HasPrefix(pre[m[1]:], "的") || zhLetMe.MatchString(pre[:m[0]]) {
			ownAt = m[0]
		}
	}
	switch {
	case ownAt >= 0 && zhTold.MatchString(pre[:ownAt]) && !zhLetMe.MatchString(pre[:ownAt]):
		return other, ownAt // what somebody says about the butler
	case ownAt >= 0 && at > ownAt && zhSaw.MatchString(pre[ownAt:]):
		return other, at // 我看到你更新了规则
	case ownAt >= 0:
		return own, ownAt
	case best == nobody && !zhGene.MatchString(pre) && !zhCard.MatchString(pre):
		if st.subject == own || st.subject == other && !zhAlready.MatchString(pre) && !zhForYou.MatchString(pre) {
			return st.subject, -1
		}
	}
	return best, at
}

// strongest keeps one claim a clause: the one that is hardest to back.
func strongest(claims []claim) []claim {
	if len(claims) == 0 {
		return nil
	}
	best := claims[0]
	for _, c := range claims[1:] {
		if c.deed.weight() > best.deed.weight() {
			best = c
		}
	}
	return []claim{best}
}

// lastMatch is where the last match begins, -1 if there is none.
func lastMatch(re *regexp.Regexp, s string) int {
	all := re.FindAllStringIndex(s, -1)
	if len(all) == 0 {
		return -1
	}
	return all[len(all)-1][0]
}

// onlyLooked says that nothing, or only a look, was claimed so far.
func onlyLooked(claims []claim) bool {
	return !slices.ContainsFunc(claims, func(c claim) bool { return c.deed != deedView })
}
