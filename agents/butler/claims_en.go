package butler

import (
	"regexp"
	"strings"
)

// The English half of the claim detector. A clause claims something when the
// butler is its subject (I have updated, I updated), when the subject is left out
// at its beginning (Updated the gene, Done), or when something that only the
// butler handles is in the passive (the rules have been updated), and it is
// neither denied, planned, conditional nor asked.

// enState is what earlier clauses of the sentence leave behind.
type enState struct {
	low     string // the whole sentence, in lower case
	names   *regexp.Regexp
	subject subject
	if_     bool // a condition came before
	acted   bool // somebody else acted before
	gene    bool // an earlier clause spoke of the gene
	story   bool // an earlier clause told of something else: what follows goes on with it
}

// enClaims finds the claims of a sentence. names matches the speakers of the
// room; it may be nil.
func enClaims(sentence string, names *regexp.Regexp) []claim {
	s := enReports.ReplaceAllString(enPlain(sentence), "")
	low := strings.ToLower(s)
	if len(low) != len(s) {
		s = low // a letter whose lower case has another length: positions must agree
	}
	st := &enState{low: low, names: names}
	var spans [][2]int
	start := 0
	for _, cut := range append(enClause.FindAllStringIndex(low, -1), []int{len(low), len(low)}) {
		if strings.Trim(low[start:cut[0]], ".!? \t") != "" {
			spans = append(spans, [2]int{start, cut[0]})
		}
		start = cut[1]
	}
	asked := strings.HasSuffix(strings.TrimSpace(low), "?")
	if asked && len(spans) > 0 && enAskF.MatchString(strings.TrimSpace(low[spans[0][0]:spans[0][1]])) {
		return nil
	}
	var out []claim
	if !asked && !enIf.MatchString(low) && !enDeny.MatchString(low) {
		switch {
		case enHereOr.MatchString(low):
			out = append(out, claim{deed: deedOrder, presence: true})
		case enHere.MatchString(low):
			out = append(out, claim{deed: deedCard, presence: true})
		}
	}
	if !asked {
		out = append(out, enLabels(low)...)
	}
	for i, sp := range spans {
		c, raw := bared(low[sp[0]:sp[1]]), bared(s[sp[0]:sp[1]])
		if asked && i == len(spans)-1 && (len(spans) == 1 || enAskF.MatchString(c) || enTagQ.MatchString(c)) && !enHave.MatchString(c) {
			continue
		}
		out = append(out, st.clause(c, raw)...)
	}
	return out
}

// bared is a clause without the bullet of its list.
func bared(c string) string {
	return strings.TrimLeft(enBox.ReplaceAllString(strings.TrimSpace(c), ""), "-•*✅✔☑ ")
}

// clause judges one clause and remembers what it leaves for the next.
func (st *enState) clause(c, raw string) []claim {
	if enNoOne.MatchString(c) || enGeneric.MatchString(c) {
		return nil
	}
	c, raw = enAsSaid.ReplaceAllString(c, ""), enAsSaid.ReplaceAllString(raw, "")
	cond := enIf.MatchString(c) || enPress.MatchString(c)
	who := nobody
	switch {
	case enOwn.MatchString(c):
		who = own
	case enWho.MatchString(c), enName.MatchString(raw) && !enAdverbs.MatchString(c), st.names != nil && st.names.MatchString(raw):
		who = other
	}
	var found []claim
	for _, v := range enVerbs {
		for _, at := range v.form.FindAllStringIndex(c, -1) {
			w := enVerbAt{st: st, clause: c, raw: raw, pre: c[:at[0]], verb: c[at[0]:at[1]], post: c[at[1]:], deed: v.deed}
			if cl, ok := w.judge(cond); ok {
				found = append(found, cl)
			}
		}
	}
	if cl, ok := st.shape(c, cond, who); ok {
		found = append(found, cl)
	}
	if onlyLooked(found) {
		if cl, ok := st.wider(c, raw, cond, who); ok {
			found = append(found, cl)
		}
	}
	if onlyLooked(found) {
		if cl, ok := st.strict(c, raw, cond, who); ok {
			found = append(found, cl)
		}
	}
	st.acted = st.acted || who == other && enActed.MatchString(c)
	if who == nobody && len(found) == 0 && enThingActs.MatchString(c) {
		st.subject = other
	}
	if who != nobody {
		st.subject = who
	}
	st.if_ = st.if_ || cond
	st.gene = st.gene || enGene.MatchString(c)
	st.story = st.story || who != own && len(found) == 0 && !enAside.MatchString(c) || who == other
	return strongest(found)
}

// shape finds claims that lie in the build of a clause and not in a past form.
func (st *enState) shape(c string, cond bool, who subject) (claim, bool) {
	if cond || st.if_ {
		return claim{}, false
	}
	switch m := enDid.FindStringSubmatch(c); {
	case m != nil && !enDeny.MatchString(c):
		return claim{deed: deedOf(m[1]), own: true, cited: c}, true
	case enDidSo.MatchString(c) && !enDeny.MatchString(c) && !enPlan.MatchString(c):
		return claim{deed: deedAny, own: true, cited: c}, true
	case enAllSet.MatchString(c) && who != other:
		if enNoted.MatchString(c) {
			return claim{deed: deedFeedback}, true
		}
		return claim{deed: deedAny}, true
	case enDeny.MatchString(c), enPlan.MatchString(c), st.acted:
		return claim{}, false
	case enAfter.MatchString(c) && (enMedia.MatchString(c) || enData.MatchString(c)):
		return claim{deed: deedView, cited: c}, true
	case enOnFile.MatchString(c):
		return claim{deed: deedFeedback, impersonal: true, cited: c}, true
	case enLive.MatchString(c):
		if strings.Contains(c, "order") {
			return claim{deed: deedOrder, impersonal: true, cited: c}, true
		}
		return claim{deed: deedChange, impersonal: true, cited: c}, true
	case enNow.MatchString(c), enPartOf.MatchString(c):
		return claim{deed: deedState, impersonal: true, cited: c}, true
	case enUnder.MatchString(c):
		return claim{deed: deedStarted, impersonal: true, cited: c}, true
	}
	return claim{}, false
}

// deedOf is what the base form of a verb would have done.
func deedOf(verb string) deed {
	switch verb {
	case "record", "note", "log", "register", "file":
		return deedFeedback
	case "order", "place", "submit":
		return deedOrder
	case "propose", "draft":
		return deedCard
	case "search":
		return deedSearch
	case "run", "start":
		return deedStarted
	case "cancel", "delete", "send", "notify", "render", "confirm":
		return deedOther
	case "do":
		return deedAny
	}
	return deedChange
}
