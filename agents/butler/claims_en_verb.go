package butler

import "strings"

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
	case w.verb == "applied" && (a.card || a.cardNear && cl.own) && !a.gene:
		return deedOther, !cl.impersonal // pressing a card's button is a person's
	case (w.verb == "wrote" || w.verb == "written") && !a.gene && !a.card:
		return "", false
	case enMind.MatchString(a.obj) && !enGene.MatchString(a.obj):
		return "", false
	case a.card, a.cardNear && !(cl.impersonal && a.gene) && (a.gene || w.st.gene || !a.media):
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
	case enNote.MatchString(a.obj) && w.deed == deedAdd && !a.bare && !(cl.impersonal && a.media):
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
