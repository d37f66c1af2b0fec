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
	s := enPlain(sentence)
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
func bared(c string) string { return strings.TrimLeft(strings.TrimSpace(c), "-•*✅✔☑ ") }

// clause judges one clause and remembers what it leaves for the next.
func (st *enState) clause(c, raw string) []claim {
	cond := enIf.MatchString(c) || enPress.MatchString(c)
	who := nobody
	switch {
	case enOwn.MatchString(c):
		who = own
	case enWho.MatchString(c), enName.MatchString(raw), st.names != nil && st.names.MatchString(raw):
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
	if len(found) == 0 {
		if cl, ok := st.unlisted(c, cond); ok {
			found = append(found, cl)
		}
	}
	st.acted = st.acted || who == other && enActed.MatchString(c)
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

// unlisted finds a completed action of the butler whose verb nobody listed.
func (st *enState) unlisted(c string, cond bool) (claim, bool) {
	m := enOwnDone.FindStringSubmatchIndex(c)
	if m == nil || cond || st.if_ || enTold.MatchString(c[:m[0]]) || enSaid.MatchString(c[:m[0]]) || enDeny.MatchString(c) || enPlan.MatchString(c) {
		return claim{}, false
	}
	at := max(m[2], m[4])
	word := c[at:max(m[3], m[5])]
	return claim{deed: deedUnknown, own: true, cited: c}, !enThinks.MatchString(word) && !enMind.MatchString(c[at:])
}

// enVerbAt is one past form in a clause with what stands around it. raw is the
// clause as it was written, for names.
type enVerbAt struct {
	st              *enState
	clause, raw     string
	pre, verb, post string
	deed            deed
}

// judge decides whether the form claims something, and what.
func (w enVerbAt) judge(cond bool) (claim, bool) {
	cl := claim{cited: w.clause}
	from, subj := -1, -1 // where the butler is named, and where that ends
	if all := enOwn.FindAllStringIndex(w.pre, -1); len(all) > 0 {
		from, subj = all[len(all)-1][0], all[len(all)-1][1]
	}
	passive := enPassiv.MatchString(w.pre)
	scope := w.pre
	switch {
	case subj >= 0 && enInner.MatchString(w.pre[subj:]), subj >= 0 && w.verb == "done" && strings.TrimSpace(w.pre[subj:]) == "'m",
		subj >= 0 && !passive && enGotIt.MatchString(w.pre[subj:]):
		cl.own, scope = true, w.pre[from:]
		if enTold.MatchString(w.raw[:min(len(w.raw), from)]) {
			return claim{}, false // what somebody says about the butler
		}
	case subj < 0 && !cond && enNoun.MatchString(w.pre) && enEnds.MatchString(w.post):
		cl.impersonal = true // Rules updated.
	case passive:
		if w.doneBySomebody() || enTells.MatchString(w.raw) || enIs.MatchString(w.pre) && !w.isDone() {
			return claim{}, false
		}
		cl.impersonal = !enByMe.MatchString(w.clause)
		cl.own = !cl.impersonal
		if i := lastMatch(enSay, scope); i >= 0 {
			scope = scope[i:]
		}
	case subj < 0 && w.st.subject == own && strings.TrimSpace(enAdverb.ReplaceAllString(w.pre, "")) == "":
		cl.own = true // I looked and updated
	case subj < 0 && w.st.subject == nobody && !w.st.story && enLeft.MatchString(w.pre) && w.leftOut():
	default:
		return claim{}, false
	}
	if enDeny.MatchString(scope) || enPlan.MatchString(scope) {
		return claim{}, false
	}
	named := cl.own && subj >= 0
	if named && enIf.MatchString(w.pre[:from]) || !named && (cond || w.st.if_) {
		return claim{}, false
	}
	var ok bool
	cl.deed, ok = w.object(cl)
	if cl.deed == deedChange && cl.impersonal && w.st.acted {
		return claim{}, false
	}
	return cl, ok
}

// doneBySomebody is a passive whose doer or occasion is named.
func (w enVerbAt) doneBySomebody() bool {
	return enBy.MatchString(w.raw) || enBy.MatchString(w.post) || enWhen.MatchString(w.raw)
}

// isDone tells "the rules are updated." from "rules are set in the studio": in
// the present, only a bare end of the clause is a deed.
func (w enVerbAt) isDone() bool {
	return enEnds.MatchString(w.post) && !enTells.MatchString(w.raw) &&
		(enGene.MatchString(w.pre) || enNote.MatchString(w.pre) || enOrder.MatchString(w.pre) || enThem.MatchString(w.pre))
}

// leftOut checks that a past form at a clause's beginning is a verb with its
// object ("Updated the rules", "Added faster cuts to…"), not an adjective
// ("Recorded feedback stays open").
func (w enVerbAt) leftOut() bool {
	p := strings.TrimSpace(w.post)
	switch {
	case p == "", strings.HasPrefix(p, "."), strings.HasPrefix(p, "!"):
		return true
	case enObject.MatchString(p):
		return !enAdject.MatchString(p) && !(enFinite.MatchString(p) && strings.HasPrefix(p, "at "))
	case enFinite.MatchString(p):
		return false
	}
	return w.deed == deedAdd || w.deed == deedChange || w.deed == deedFeedback || w.deed == deedOrder
}

// enAbout is what a clause speaks of; obj is the part that was acted on.
type enAbout struct {
	card, cardNear, gene, order, hunt, note, media, data, bare bool
	obj                                                        string
}

func (w enVerbAt) about(cl claim) enAbout {
	c := enReply.ReplaceAllString(w.clause, "order")
	a := enAbout{
		card: enCard.MatchString(c), cardNear: enCard.MatchString(enReply.ReplaceAllString(w.st.low, "order")),
		gene: enGene.MatchString(c), order: enOrder.MatchString(c), hunt: enHunt.MatchString(c), note: enNote.MatchString(c),
		media: enMedia.MatchString(c), data: enData.MatchString(c), bare: enBare.MatchString(w.post), obj: w.post,
	}
	if cl.impersonal {
		a.obj = w.pre
	}
	return a
}

// object decides what was acted on, and so what would prove it.
func (w enVerbAt) object(cl claim) (deed, bool) {
	a := w.about(cl)
	switch w.deed {
	case deedChange, deedAdd:
		return w.changed(a, cl)
	case deedFeedback:
		return w.noted(a, cl)
	case deedOrder:
		return w.ordered(a, cl)
	case deedCard:
		return w.carded(a, cl)
	case deedStarted:
		return w.started(a, cl)
	case deedSearch:
		return w.searched(a, cl)
	case deedView:
		return deedView, !cl.impersonal && (a.media || a.data) && (w.verb != "read" || cl.own)
	case deedAny:
		return w.anything(a, cl)
	}
	return w.otherwise(a, cl)
}

func (w enVerbAt) changed(a enAbout, cl claim) (deed, bool) {
	loose := w.verb == "included" || w.verb == "worked" || w.verb == "built" || w.verb == "wrote" || w.verb == "written" || w.verb == "switched" || w.verb == "cut" || w.verb == "set"
	switch {
	case w.verb == "made" && !(cl.impersonal && enThem.MatchString(w.pre)):
		return "", false // made a change is a form of its own
	case w.verb == "made sure", w.verb == "ensured":
		return deedChange, enGene.MatchString(w.post)
	case w.verb == "applied" && a.card && !a.gene:
		return deedOther, !cl.impersonal // pressing a card's button is a person's
	case (w.verb == "wrote" || w.verb == "written") && !a.gene && !a.card:
		return "", false
	case enMind.MatchString(a.obj) && !enGene.MatchString(a.obj):
		return "", false
	case a.card, a.cardNear && (a.gene || w.st.gene || !a.media):
		return deedCard, !cl.impersonal || a.cardNear
	case a.gene && w.verb == "cut" && !enGene.MatchString(a.obj):
		return "", false
	case a.gene:
		return deedChange, !cl.impersonal || enGene.MatchString(w.pre) || enThem.MatchString(w.pre) || enToGene.MatchString(w.post)
	case loose && enAside2.MatchString(w.post):
		return "", false
	case a.order && w.deed == deedAdd, w.verb == "put" && a.hunt:
		return deedOrder, true
	case a.order:
		return deedOther, true
	case enNote.MatchString(a.obj) && w.deed == deedAdd && !a.bare:
		return deedFeedback, true
	case a.media:
		return deedOther, !cl.impersonal && !loose && w.verb != "put"
	case cl.impersonal && !enThem.MatchString(w.pre) && !enItAll.MatchString(w.pre):
		return "", false
	case enThem.MatchString(w.clause), a.bare, strings.HasPrefix(w.verb, "made"):
		return deedChange, true
	case loose && !cl.own:
		return "", false
	}
	return w.deed, !loose
}

func (w enVerbAt) noted(a enAbout, cl claim) (deed, bool) {
	switch {
	case w.verb == "attached" && (a.card || !a.note || !enNote.MatchString(a.obj)):
		return "", false
	case w.verb == "marked" && !a.note && !a.media, cl.impersonal && !enNote.MatchString(w.pre), w.verb == "filed" && (a.card || a.order):
		return "", false
	case w.verb == "saved" && a.media && !a.note:
		return deedOther, true
	case w.verb == "saved" && a.gene && !a.note && !strings.Contains(w.clause, "preference"):
		return deedChange, true
	case (w.verb == "noted" || w.verb == "documented") && !cl.impersonal && enThat.MatchString(w.post):
		return deedFeedback, enThatIt.MatchString(w.post) // "noted that the pace is slow" is an observation
	case a.gene && enToGene.MatchString(w.post):
		return deedChange, true
	}
	return deedFeedback, true
}

func (w enVerbAt) ordered(a enAbout, cl claim) (deed, bool) {
	switch {
	case w.verb == "ordered" && enSorted.MatchString(w.post), w.verb == "requested" && !cl.own, w.verb == "issued" && a.card && !a.order:
		return "", false
	case a.card && !a.order && !a.hunt:
		return deedCard, w.verb == "submitted" || w.verb == "put in" || w.verb == "issued"
	case a.order, a.hunt, w.verb == "ordered" && (a.media || cl.own || !cl.impersonal):
		return deedOrder, true
	}
	switch w.verb {
	case "queued", "scheduled", "submitted", "commissioned", "booked":
		return deedOrder, (a.media || a.bare) && !cl.impersonal
	}
	return "", false
}

func (w enVerbAt) carded(a enAbout, cl claim) (deed, bool) {
	switch {
	case a.card && (!cl.impersonal || enCard.MatchString(w.pre)):
		return deedCard, true
	case a.order && w.verb != "raised" && w.verb != "written" && w.verb != "wrote" && (!cl.impersonal || enOrder.MatchString(w.pre)):
		return deedOrder, !enInOrder.MatchString(w.clause)
	case w.verb == "drafted" || w.verb == "proposed":
		return deedCard, (a.gene || enThem.MatchString(w.clause)) && (!cl.impersonal || enThem.MatchString(w.pre))
	}
	return "", false
}

func (w enVerbAt) started(a enAbout, cl claim) (deed, bool) {
	switch {
	case !a.hunt && !a.media && !enRun.MatchString(w.clause), a.order && !a.hunt, (w.verb == "ran" || w.verb == "run") && !a.hunt:
		return "", false
	case w.verb == "run" && cl.impersonal && !enHunt.MatchString(w.pre), !a.hunt && a.media && !cl.own:
		return "", false
	case a.order && !cl.impersonal:
		return deedOrder, true
	}
	return deedStarted, true
}

func (w enVerbAt) searched(a enAbout, cl claim) (deed, bool) {
	switch {
	case cl.impersonal, enFinding.MatchString(w.post):
		return "", false
	case w.verb == "found":
		return deedView, cl.own && a.media
	case (w.verb == "gathered" || w.verb == "collected" || w.verb == "pulled in") && !a.media:
		return "", false
	}
	return deedSearch, true
}

func (w enVerbAt) anything(a enAbout, cl claim) (deed, bool) {
	switch {
	case cl.impersonal && (a.hunt || a.media || a.data || enRun.MatchString(w.clause) || !enItAll.MatchString(w.pre) && !enThem.MatchString(w.pre) && !enNote.MatchString(w.pre)):
		return "", false // a run ended: the system's record
	case enLooking.MatchString(w.post), w.verb == "addressed" && !cl.own, w.verb == "finished" && a.media && !cl.own:
		return "", false
	case enEditing.MatchString(w.post), enThem.MatchString(w.post), a.gene:
		if a.cardNear {
			return deedCard, true
		}
		return deedChange, true
	case a.media && (w.verb == "finished" || w.verb == "completed"):
		return deedOther, true
	}
	return deedAny, true
}

func (w enVerbAt) otherwise(a enAbout, cl claim) (deed, bool) {
	closing := enClosing.MatchString(w.verb)
	switch {
	case cl.impersonal:
		// Boards, films and searches end by the system's record, cards and orders
		// by people's; what is told as past is taken for the record.
		subject := enOrder.MatchString(w.pre) || enCard.MatchString(w.pre) || enNote.MatchString(w.pre) && !a.media && !a.data && !a.hunt
		return deedOther, subject && closing && !enWas.MatchString(w.pre) && !enIs.MatchString(w.pre)
	case enTelling.MatchString(w.verb) && enToTeam.MatchString(w.post), enFilming.MatchString(w.verb) && cl.own:
		return deedOther, true
	case a.card && enMaking.MatchString(w.verb), a.order && enMaking.MatchString(w.verb):
		return "", false // left to the verb of proposing
	case enTelling.MatchString(w.verb):
		return deedOther, !enYou.MatchString(w.post) && (cl.own && !enMind.MatchString(w.post) || enTeam.MatchString(w.post) || a.media || a.gene)
	case closing:
		named := cl.own && enGiven.MatchString(w.post) || a.order || a.card || a.note || a.media || a.gene || a.hunt || enRun.MatchString(w.clause) || cl.own && enHiding.MatchString(w.verb)
		return deedOther, named && (!enThatObj.MatchString(w.post) || enThatOrd.MatchString(w.post) || enHiding.MatchString(w.verb))
	case w.verb == "made" && enSure.MatchString(w.post):
		return "", false
	case a.media && (cl.own || enGiven.MatchString(w.post)):
		return deedOther, !a.gene && !(w.verb == "edited" && a.card)
	}
	return deedOther, w.verb == "paid"
}
