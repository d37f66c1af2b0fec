package butler

import (
	"strings"
	"unicode"
)

// The last look at an English clause in which nothing claimed anything so far. It
// asks only for a form, of whatever verb: something is under way, newly so,
// finished or found by looking, and who did it is the butler, left out, or a thing
// that only this room handles. What it lets pass are closed lists.

// strict looks at a clause; raw is the clause as written.
func (st *enState) strict(c, raw string, cond bool, who subject) (claim, bool) {
	c = enAskedFor.ReplaceAllString(c, "$1")
	if enDelivers.MatchString(c) {
		return claim{deed: enDeedOf(c), impersonal: true, presence: true, cited: c}, !cond
	}
	if enSystemDid.MatchString(c) && !enHead(c) {
		return claim{deed: deedChange, impersonal: true, cited: c}, !cond
	}
	if cond || st.if_ && who != own || enTells.MatchString(raw) || enFirst.MatchString(c) {
		return claim{}, false
	}
	skip := len(c) - len(strings.TrimLeftFunc(c, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
	c, raw = strings.TrimRight(c[skip:], ".!? ✅👍✌️🎉"), raw[min(skip, len(raw)):]
	found := func(d deed) (claim, bool) {
		return claim{deed: d, own: who == own, impersonal: who != own, cited: c}, true
	}
	if m := enDoing.FindStringSubmatchIndex(c); m != nil && !enHead(c[:m[0]]) && !enMulls.MatchString(c[m[2]:]) {
		return found(enWorkOf(c[m[2]:m[3]], c[m[3]:]))
	}
	if m := enStartsDoing.FindStringSubmatch(c); m != nil && who != other && st.subject != own && !st.acted && !strings.Contains(st.low, "before "+m[1]) &&
		!enMulls.MatchString(m[1]+m[2]) && !enGerund.MatchString(m[2]) {
		if now := enAtOnce.MatchString(c); now || !st.story && (enHandles.MatchString(m[2]) || strings.TrimSpace(m[2]) == "") {
			return found(enWorkOf(m[1], m[2]))
		}
	}
	if m := enMyLook.FindStringSubmatch(c); m != nil && !enPlan.MatchString(c) {
		if strings.Contains(m[0], "search") || strings.Contains(m[0], "sweep") || strings.Contains(m[0], "hunt") {
			return found(deedSearch)
		}
		return found(deedView)
	}
	switch {
	case enHead(c):
		return claim{}, false
	case enHadLook.MatchString(c), enKeptEye.MatchString(c), enBeenOver.MatchString(c), enHaving.MatchString(c):
		return found(deedView)
	case st.openAct(c, raw):
		return found(enWorkOf(enOpen.FindStringSubmatch(c)[1], enOpen.FindStringSubmatch(c)[2]))
	case who == nobody && st.subject != other && !st.story && enTold2.MatchString(c) && !enAsideOf.MatchString(c):
		if enLookVerb2.MatchString(c) {
			return found(deedView)
		}
		return found(enWorkOf(enTold2.FindStringSubmatch(c)[1], c))
	case enLeftWord.MatchString(c):
		return found(deedOther)
	case enReplied.MatchString(c) && (enTeam.MatchString(c) || st.names != nil && st.names.MatchString(raw)):
		return found(deedOther)
	case enHadGo.MatchString(c):
		return found(deedAny)
	case enCameBy.MatchString(c):
		return found(deedSearch)
	}
	if who == other && !enThing.MatchString(c) || st.acted || enYours.MatchString(c) || st.bySomebody(raw) || pastName.MatchString(c) {
		return claim{}, false
	}
	for _, s := range enShapes {
		if s.form.MatchString(c) && (s.but == nil || !s.but.MatchString(c)) {
			d := s.deed
			if d == "" {
				d = enDeedOf(c)
			}
			return claim{deed: d, impersonal: true, presence: s.presence, cited: c}, true
		}
	}
	return claim{}, false
}

// openAct finds a deed of the speaker by any verb that is not known to tell of none.
func (st *enState) openAct(c, raw string) bool {
	m := enOpen.FindStringSubmatchIndex(c)
	if m == nil || enSaid.MatchString(c[:m[0]]) || enTold.MatchString(raw[:min(m[0], len(raw))]) {
		return false
	}
	verb, rest := c[m[2]:m[3]], c[m[4]:m[5]]
	return !enPresent.MatchString(verb) && !enThinks.MatchString(verb) && !enVague.MatchString(verb) && !enMind.MatchString(firstWords(rest, 3)) &&
		verb != "kept" && verb != "left"
}

// enHead says that what stands before something denies or plans it.
func enHead(c string) bool {
	return enDeny.MatchString(c) || enPlan.MatchString(enWaits.ReplaceAllString(c, ""))
}

// enWorkOf is what is going on, by its verb and what follows.
func enWorkOf(verb, rest string) deed {
	switch {
	case enLooks.MatchString(verb):
		return deedView
	case enSearches.MatchString(verb):
		return deedSearch
	case enRenders.MatchString(verb), enHunt.MatchString(rest) && !enOrder.MatchString(rest), enMedia.MatchString(rest) && !enGene.MatchString(rest):
		return deedStarted
	}
	if d := enDeedOf(rest); d != deedOther {
		return d
	}
	return deedAny
}

// labels finds the lines of a report: "Rules: refreshed", "Search – running".
func enLabels(low string) []claim {
	var out []claim
	for _, m := range enTicked.FindAllStringSubmatch(low, -1) {
		if d := enDeedOf(m[1]); d != deedOther {
			out = append(out, claim{deed: d, impersonal: true, cited: m[0]})
		} else {
			out = append(out, claim{deed: deedStarted, impersonal: true, cited: m[0]})
		}
	}
	for _, m := range enLabel.FindAllStringSubmatch(low, -1) {
		d := enDeedOf(m[1])
		if d == deedOther {
			d = deedStarted
			if !enHunt.MatchString(m[1]) && !enMedia.MatchString(m[1]) && !enRun.MatchString(m[1]) {
				d = deedAny
			}
		}
		out = append(out, claim{deed: d, impersonal: true, cited: m[0]})
	}
	return out
}
