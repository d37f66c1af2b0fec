package butler

import (
	"regexp"
	"strings"
)

// The last look at a Chinese clause in which nothing claimed anything so far. It
// asks only for a mark, at whatever verb: 了, 已, 刚, 正在, 完毕, 成功…, and that who
// did it is the butler, left out, or a thing that only this room handles. What it
// lets pass are closed lists: who acts in a video, what people did, what things
// are, and what is thought.

// strict looks at a clause.
func (st *zhState) strict(c string, cond bool) (claim, bool) {
	c = zhRelative.ReplaceAllString(strings.TrimLeft(c, zhBullet+"✅✔☑\ufe0f🎉👌👍→>"), "那$1")
	bare := zhOwned.ReplaceAllString(zhTheirs.ReplaceAllString(c, ""), "")
	ownAt := zhSpeaker(bare)
	if cond || st.if_ && (ownAt < 0 || zhThen.MatchString(bare)) || zhQuestion.MatchString(c) {
		return claim{}, false
	}
	scope := bare[max(ownAt, 0):]
	found := func(d deed) (claim, bool) {
		own := ownAt >= 0 && d != deedStarted
		return claim{deed: d, own: own, impersonal: !own, cited: c}, true
	}
	if ownAt >= 0 && zhDelegates.MatchString(scope) && !zhPlan.MatchString(zhDelegates.FindString(scope)) && !zhDeny.MatchString(zhDelegates.FindString(scope)) {
		return found(deedOther)
	}
	mark := zhMark.FindStringIndex(scope)
	if mark == nil && ownAt >= 0 {
		mark = zhEffect.FindStringIndex(scope)
	}
	acts := st.someoneActs(bare, ownAt)
	switch {
	case acts:
		return claim{}, false
	case zhByLooking.MatchString(c) && !zhDeny.MatchString(c):
		return found(deedView)
	case zhLookFirst.MatchString(c) && !zhDeny.MatchString(c):
		return found(deedView)
	case st.report && zhVerbFirst.MatchString(c):
		return found(zhWorkOf(c, false))
	case zhNewly.MatchString(c):
		return found(deedState)
	case mark == nil:
		return claim{}, false
	}
	head := scope[:mark[0]]
	if i := strings.LastIndexAny(head, "把将"); i >= 0 && ownAt >= 0 {
		head = head[:i]
	}
	running := zhRunning.MatchString(scope)
	if zhDeny.MatchString(zhStill.ReplaceAllString(head, "")) || zhPlan.MatchString(zhKeeps.ReplaceAllString(head, "")) && !running {
		return claim{}, false
	}
	switch {
	case ownAt >= 0:
		if st.zhTold(scope) {
			return found(deedOther)
		}
		if zhMuses.MatchString(scope) || zhOwnThink.MatchString(scope) {
			return claim{}, false
		}
		return found(zhWorkOf(scope, true))
	case running && !zhIdle.MatchString(c) && !zhInFilm.MatchString(c) && (st.order || zhOurs.MatchString(c) || zhHunt.MatchString(c) || zhMedia.MatchString(c) || zhTask.MatchString(c)):
		return found(zhWorkOf(c, false))
	case running, st.acted, pastName.MatchString(c):
		return claim{}, false
	case zhCrew.MatchString(c) && !zhCrewEnd.MatchString(c):
		return found(deedStarted)
	case st.report && zhVerbFirst.MatchString(c):
		return found(zhWorkOf(c, false))
	case zhRemoved.MatchString(c) && !zhInFilm.MatchString(c):
		return found(deedOther)
	case zhGoneNow.MatchString(c):
		return found(deedChange)
	case st.zhTold(c):
		return found(deedOther)
	case zhComing.MatchString(c):
		return found(deedStarted)
	case zhFromStock.MatchString(c):
		return found(deedOther)
	case zhQuiet.MatchString(zhTail(c)), zhDeny.MatchString(zhStill.ReplaceAllString(c, "")):
		return claim{}, false
	case zhLaunched.MatchString(c):
		return found(deedStarted)
	case zhReshaped.MatchString(c):
		return found(deedOther)
	case (zhRedone.MatchString(c) || zhAgain.MatchString(c)) && !zhTimed.MatchString(c):
		return found(deedOther)
	case zhEdited.MatchString(c) && !zhTimed.MatchString(c):
		return found(deedOther)
	case zhOurs.MatchString(c) && !zhInFilm.MatchString(c):
		return found(zhWorkOf(c, false))
	case zhTerse.MatchString(c):
		switch {
		case st.order:
			return found(deedOrder)
		case st.gene:
			return found(deedChange)
		}
		return found(deedAny)
	case (zhHunt.MatchString(c) || zhTask.MatchString(c)) && !zhInFilm.MatchString(c) && !zhSystem.MatchString(c):
		return found(zhWorkOf(c, false))
	case st.leadsVerb(c):
		return found(zhWorkOf(c, false))
	case zhAllDone.MatchString(c):
		return found(deedAny)
	}
	return claim{}, false
}

// zhTail is a clause without what describes its subject, if that leaves what is
// told of it.
func zhTail(c string) string {
	if i := strings.LastIndex(c, "的"); i >= 0 && zhMark.MatchString(c[i:]) && zhSubjectOf.MatchString(c[i+len("的"):]) {
		return c[i+len("的"):]
	}
	return c
}

// zhTold says that the speaker has told or asked somebody something.
func (st *zhState) zhTold(c string) bool {
	m := zhTalked.FindStringSubmatch(c)
	return m != nil && (zhStaff.MatchString(m[1]) || zhPerson.MatchString(m[1]) && !strings.ContainsAny(m[1], "你您") || st.names != nil && st.names.MatchString(m[1]))
}

// leadsVerb says that a clause begins with its verb, so that who did it is left
// out: 加了一句, 顺手补上了.
func (st *zhState) leadsVerb(c string) bool {
	m := zhVerbLed.FindStringSubmatch(c)
	return m != nil && st.subject != other && !zhInFilm.MatchString(c) && !zhMedia.MatchString(c) && !zhThinkAt.MatchString(m[1]) && !zhThinkEnd.MatchString(m[1]) && !zhDrifts.MatchString(m[1]+m[2]) && !zhIsSo.MatchString(m[1])
}

// zhSpeaker is where the butler stands as the one who acts, -1 if it does not.
func zhSpeaker(c string) int {
	at := -1
	for _, m := range zhOwn.FindAllStringIndex(c, -1) {
		if !zhToMe.MatchString(c[:m[0]]) && !strings.HasPrefix(c[m[1]:], "的") && !zhTold.MatchString(c[:m[0]]) {
			at = m[0]
		}
	}
	return at
}

// someoneActs says whether a person stands in a clause as the one who acts: not
// behind the butler, nor governed by a preposition.
func (st *zhState) someoneActs(c string, ownAt int) bool {
	upto := len(c)
	if ownAt >= 0 {
		upto = ownAt
	}
	for _, re := range []*regexp.Regexp{zhPerson, st.names} {
		if re == nil {
			continue
		}
		for _, m := range re.FindAllStringIndex(c[:upto], -1) {
			if !zhPrep.MatchString(c[:m[0]]) && !zhByWay.MatchString(c[:m[0]]) && !strings.HasPrefix(c[m[1]:], "的") && !strings.HasPrefix(strings.TrimLeft(c[m[1]:], " "), "那") && !strings.HasPrefix(strings.TrimLeft(c[m[1]:], " "), "这") {
				return true
			}
		}
	}
	return ownAt < 0 && st.subject == other && zhSpeaker(st.sentence) < 0 && !zhOurs.MatchString(c) && !zhHunt.MatchString(c) && !zhTask.MatchString(c) && !zhAlready.MatchString(c)
}

// zhWorkOf is what a clause tells as done, by what would prove it.
func zhWorkOf(c string, own bool) deed {
	if zhCloses.MatchString(c) {
		return deedOther
	}
	switch d := zhDeedOf(c); {
	case zhTelling.MatchString(c):
		return deedOther
	case zhLooks.MatchString(c):
		return deedView
	case d != deedOther:
		return d
	case zhSeeks.MatchString(c) && own:
		return deedSearch
	case zhHunt.MatchString(c), zhTask.MatchString(c), zhShoots.MatchString(c):
		return deedStarted
	case zhEdited.MatchString(c):
		return deedOther
	}
	return deedUnknown
}

// zhLabels finds the lines of a report: 反馈：已登记, 检索：进行中.
func zhLabels(s string) []claim {
	var out []claim
	for _, m := range zhLabel.FindAllStringSubmatch(s, -1) {
		d := zhDeedOf(m[1])
		if d == deedOther {
			d = deedStarted
		}
		out = append(out, claim{deed: d, impersonal: true, cited: m[0]})
	}
	return out
}
