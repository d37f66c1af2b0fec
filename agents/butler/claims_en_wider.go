package butler

import (
	"regexp"
	"strings"
)

// wider looks at a clause of an English sentence in which no listed verb claimed
// anything; raw is the clause as written.
func (st *enState) wider(c, raw string, cond bool, who subject) (claim, bool) {
	if cond || st.if_ && who != own || enPlan.MatchString(enWaits.ReplaceAllString(c, "")) || enTells.MatchString(raw) {
		return claim{}, false
	}
	c = strings.TrimRight(c, ".!? ✅👍")
	found := func(d deed) (claim, bool) {
		return claim{deed: d, own: who == own, impersonal: who != own, cited: c}, true
	}
	said := c
	switch {
	case who != nobody:
	case st.subject == own && enGoesOn.MatchString(c), st.subject == nobody && !st.story && enLeadOut.MatchString(c) && !strings.HasPrefix(c, "given"):
		said = "i " + c // I looked and updated; Just ran the comparison
	}
	if d, ok := st.ownAct(said, raw); ok {
		return claim{deed: d, own: true, cited: c}, true
	}
	switch {
	case st.acted, enDeny.MatchString(c):
		return claim{}, false
	case who == own && enCaused.MatchString(c):
		return found(deedOther)
	case enVersionAt.MatchString(c):
		return found(deedVersion)
	case st.bySomebody(raw), pastName.MatchString(c):
		return claim{}, false
	case enSettled.MatchString(c):
		return found(deedView)
	case enGone.MatchString(c):
		return found(deedOther)
	case enWent.MatchString(c), enInRules.MatchString(c):
		return found(deedChange)
	case enSaysNow.MatchString(c):
		return found(deedState)
	case enEntered.MatchString(c):
		return found(deedUnknown)
	case enHanded.MatchString(c):
		return found(deedOther)
	case enCrew.MatchString(c) && !enCrewEnd.MatchString(c):
		return claim{deed: deedStarted, cited: c}, true
	case enIsOut.MatchString(c), enKept.MatchString(c), enOnto.MatchString(c):
		return found(enDeedOf(c))
	case enRuns.MatchString(c) && !enStill.MatchString(c), enAtWork.MatchString(c) && !enStill.MatchString(c):
		return claim{deed: deedStarted, cited: c}, true
	case enDrafted.MatchString(c):
		return found(deedCard)
	case enFromNow.MatchString(c), enBecomes.MatchString(c), enTeamToo.MatchString(c):
		return found(enDeedOf(c))
	}
	if m := enOneWord.FindStringSubmatch(c); m != nil && !enMoodOnly.MatchString(m[1]) && !st.story {
		return found(deedAny)
	}
	if m := enBare2.FindStringSubmatch(c); m != nil && !enLogged.MatchString(m[3]) && !enRan.MatchString(c) && (m[2] == "" || !enMoods.MatchString(m[3])) {
		switch d := enDeedOf(m[1]); {
		case enHunt.MatchString(m[1]):
			return claim{deed: deedStarted, cited: c}, true
		case d == deedOther:
			return found(deedUnknown)
		default:
			return found(d)
		}
	}
	if m := enNowIs.FindStringSubmatchIndex(c); m != nil && !enStands.MatchString(c[m[4]:m[5]]) {
		if d := enDeedOf(c[m[2]:m[3]]); d != deedOther {
			return found(d)
		}
	}
	if m := enBecame.FindStringSubmatchIndex(c); m != nil && !enLogged.MatchString(c[m[4]:m[5]]) {
		switch d := enDeedOf(c[m[2]:m[3]]); {
		case d != deedOther || enOffice.MatchString(c):
			return found(d)
		case enHunt.MatchString(c[m[2]:m[3]]):
			return claim{deed: deedStarted, cited: c}, true
		}
	}
	return claim{}, false
}

// ownAct finds a completed action of the butler, whatever its verb: "I have …ed",
// "I …ed", "I went ahead and …", unless it is thinking or saying, or a verb that
// acts only on something of this room ("I put the line in", not "I put it badly").
func (st *enState) ownAct(c, raw string) (deed, bool) {
	if enWith.MatchString(raw) && !enDeny.MatchString(c) {
		return deedOther, true
	}
	for _, m := range enOwnDone.FindAllStringSubmatchIndex(c, -1) {
		at := max(m[2], m[4])
		word, rest := c[at:max(m[3], m[5])], c[max(m[3], m[5]):]
		before := c[:m[0]]
		switch {
		case enSaid.MatchString(before), enTold.MatchString(raw[:min(m[0], len(raw))]):
		case enDeny.MatchString(enBroken.ReplaceAllString(c[m[0]:], "")), enMind.MatchString(firstWords(rest, 3)):
		case enMessage.MatchString(rest): // reading what was said
		case enSawTo.MatchString(c[at:]):
			return deedAny, true
		case enLookOver.MatchString(c[at:]) && !enYours.MatchString(rest):
			return deedView, true
		case enThinks.MatchString(word):
		case word == "kept", word == "left": // leaving something as it is does nothing
		case enYours.MatchString(rest) && !enAllOf.MatchString(rest), enLaidOut.MatchString(c[at:]):
		case enLookVerb.MatchString(word):
			return deedView, true
		case enVague.MatchString(word) && enSpeech.MatchString(rest):
		default:
			if d := enDeedOf(rest); enCloses.MatchString(c[at:]) {
				return deedOther, true
			} else if d != deedOther {
				return d, true
			}
			return deedUnknown, true
		}
	}
	return "", false
}

// bySomebody says that a person of the room did it, or said it.
func (st *enState) bySomebody(raw string) bool {
	if enBy.MatchString(raw) {
		return true
	}
	raw = enFor.ReplaceAllString(enOwner.ReplaceAllString(raw, ""), "")
	if at := enObjectFirst.FindString(raw); at != "" {
		raw = at // a name behind the object does nothing
	}
	return st.names != nil && st.names.MatchString(raw) && !enJoins.MatchString(raw)
}

func firstWords(s string, n int) string {
	words := strings.Fields(s)
	return strings.Join(words[:min(n, len(words))], " ")
}

// enDeedOf is what words are about, by what would prove it.
func enDeedOf(c string) deed {
	c = enReply.ReplaceAllString(c, "order")
	switch {
	case enCard.MatchString(c):
		return deedCard
	case enOrder.MatchString(c):
		return deedOrder
	case enThumb.MatchString(c), enWords.MatchString(c) && !enGene.MatchString(c):
		return deedFeedback
	case enGene.MatchString(c), enThem.MatchString(c), enLines.MatchString(c):
		return deedChange
	}
	return deedOther
}

// enPast are the irregular past forms.
const enPast = `arose|beat|beaten|cast|burst|shed|hurt|sought|slid|sank|sunk|sprang|ground|leapt|swore|bred|fled|lain|became|began|begun|bent|bound|broke|broken|brought|built|bought|caught|chose|chosen|came|cut|dealt|did|done|drew|drawn|drove|driven|` +
	`fed|fell|felt|fought|found|flew|forgot|forgotten|froze|frozen|got|gotten|gave|given|went|gone|grew|grown|hung|had|heard|hid|hidden|hit|held|kept|knew|known|` +
	`laid|led|left|lent|let|lit|lost|made|meant|met|paid|put|quit|read|rang|rose|ran|run|said|saw|seen|sold|sent|set|shook|shown|shut|spoke|spoken|spent|spun|split|` +
	`spread|stood|struck|stuck|swept|swung|took|taken|taught|tore|told|thought|threw|thrown|understood|undid|undone|unwound|woke|wound|withdrew|withdrawn|wrote|written|` +
	`rewrote|rewritten|redid|redone|remade|rebuilt|re-?cut|re-?ran|re-?run|re-?sent|re-?set|overrode|overridden|took care|` +
	`dug|bit|bet|blew|crept|clung|flung|slung|strung|wrung|fit|rid|rode|shone|shot|stole|stung|swam|wore|snuck|upheld|outdid|overcame|overtook|cast|spelt|swapped|retook|retaken`

// enHelps are adverbs and helping verbs between the butler and what it did.
const enHelps = `(?: \w+ly| just| now| already| also| even| then| all| both| once| since| always| have| gone| ahead| and| went ahead and| managed to| was able to| were able to)*`

var (
	enOwnDone = regexp.MustCompile(`\b(?:i|we)(?:'ve| have| had)?` + enHelps + ` (\w+ed|` + enPast + `)\b|` +
		`\b(?:i|we)(?:'ve| have)? (?:managed to|was able to|were able to|went ahead and|took the liberty of|made sure to|got around to|took the chance to) (\w+)`)
	enThinks = regexp.MustCompile(`^(?:modelled|modeled|inspired|noticed|noticing|wanted|needed|tried|seen|saw|see|mentioned|understood|understand|suggested|wondered|assumed|been|had|received|listed|described|explained|agreed|appreciated|learned|missed|` +
		`misunderstood|misread|mistook|miscounted|overlooked|overread|mixed|forgotten|forgot|confused|considered|believed|hoped|guessed|liked|loved|enjoyed|decided|preferred|expected|summari[sz]ed|quoted|pointed|answered|replied|stopped|failed|offered|intended|` +
		`meant|thought|knew|known|heard|felt|said|worried|happened|waited|stayed|talked|spoke|spoken|referred|outlined|shown|concerned|tempted|interested|limited|allowed|asked|supposed|required|based|encountered|` +
		`skipped|spotted|identified|observed|concluded|estimated|figured|reali[sz]ed|recommended|refused|declined|mixed|summed|phrased|rephrased|worded|repeated|promised|cited|named|picked|chosen|chose|translated|` +
		`came|went|gone|became|got|gotten|lost|stood|met|began|fell|grew|led|ordered|counted|gathered|imagined|started|leaned|leant|doubted|feared|struggled|puzzled|surprised|convinced|inclined|prepared|proposed|drafted)$`)
	enMessage  = regexp.MustCompile(`^ (?:your|the|his|her|their|both) (?:\w+ )?(?:messages?|questions?|chat|conversation)\b`)
	enLookVerb = regexp.MustCompile(`^(?:glanced|peeked|eyeballed|rewatched|re-watched|combed|sifted|leafed|analy[sz]ed|viewed|watched|checked|reviewed|examined|inspected|studied|compared|scanned|skimmed|dug|read|reread|re-read)$`)
	enVague    = regexp.MustCompile(`^(?:put|set|cut|made|gave|given|left|written|wrote|looked|raised|added|opened|closed|covered|focused|placed|noted|marked|used|split|grouped|sorted|ranked|included|worked|found|read|run|ran|kept|taken|took|held|` +
		`brought|broke|broken|let|hit|sent|drew|drawn|built|turned|moved|checked|skimmed|compared|did|done|told|handled|dealt|showed|told|stuck|laid|shared|passed|threw|thrown|caught|struck|spent|paid|called|returned|reached|related)$`)
	enSpeech   = regexp.MustCompile(`^(?: \w+){0,4} (?:wrong|mixed up|confused|the (?:point|idea|message|impression|sense)|in mind|this way|it this way|that way|mistake|error|sense|questions?|example|joke|aside|untouched|unchanged|as (?:it|they) (?:is|are|was|were)|as is|alone|on what|part|place|care|time|out of|no|any)\b|^ your (?:point|idea|meaning|message)$|^(?: \w+ly)?$|^ (?:at|with|from|for|on|in|as|like|by|about|around) (?:you|me|us|mind|least|most|first|all|a loss|what|that|this|it)\b`)
	enLookOver = regexp.MustCompile(`^(?:went|gone|combed|looked|read|leafed|flicked|paged|sifted|skimmed|checked|ran|watched|compared|counted|reviewed|double-checked|cross-checked)(?: back)?(?: over| through| at| into| up| against)? (?:it|them|the|your|all|both|each|every|those|these|this|that|last|v\d|ben's|anna's)\b`)
	enSawTo    = regexp.MustCompile(`^(?:saw|seen) to (?:it|that|this|them|both)\b`)
	enYours    = regexp.MustCompile(`\byou(?:'ve| have)? (?:\w+ed|sent|gave|wrote|put)\b`)
	enWaits    = regexp.MustCompile(`\b(?:pending|waiting|wanted|needed|(?:your|the|this|her|his) ask|as (?:you |both )?(?:asked|wanted|requested|suggested|agreed)|like (?:you )?(?:asked|wanted))\b`)
	enBare2    = regexp.MustCompile(`^(?:(?:the|your|all|both|new|one|two|three|\w+) ){0,4}?(genes?|rules?|limits?|caps?|constraints?|documents?|brief|changes?|updates?|edits?|orders?|feedback|notes?|comments?|remarks?|likes?|dislikes?|search(?:es)?|cards?|proposals?|preferences?|request|comparison|analysis|review|render|wording|line|keywords?|schedule) (is |are )?(?:successfully |now |all |already |both )*(\w+ed|` + enPast + `)(?: (?:up|down|in|out|through|off|accordingly|successfully|as well|too|for you|now|with it))*$`)
	enLaidOut  = regexp.MustCompile(`^(?:laid|set|put|listed|written|wrote|spelled|sketched|noted|summed) (?:it |them |this |that |both |out |down |up |two |three |the |your |my |a |few |options? |wordings? |versions? |differences? |points? )*(?:above|below|here|side by side|for comparison)\b|^(?:laid|spelled|sketched) out\b`)
	enRan      = regexp.MustCompile(`\b(?:search(?:es)?|render|run)\b.* (?:finished|ended|failed|found|stopped|completed|timed)$`)
	enAllOf    = regexp.MustCompile(`^ (?:everything|all|what|as|exactly what|just what)\b`)
	enAdverbs  = regexp.MustCompile(`^\W*(?:just|already|also|now|then|quickly|sure|okay|done|finally|successfully|and|carefully|next|first|source|settings|render|schedule|status|aspect|keywords?|lines?|wording|likes?|dislikes?|words|points?|duplicates?|clips?|results?|both|music|titles?|logo|versions?|length|feedback|rules?|search|order|card|gene|rendering|searching|production|changes?|updates?|everything|comments?|notes?|captions?|panels?|boards?|films?|limit|cap|budget|work|export)\b`)
	enMoods    = regexp.MustCompile(`^(?:limited|mixed|closed|related|supposed|needed|required|used|based|rated|detailed|allowed|involved|expected|interested|written|called|meant|made|set|split|divided|mentioned|said|known|seen|found|based|left|asked|worded|focused|aimed|shown|cut|put)$`)
	enLines    = regexp.MustCompile(`\b(?:lines?|wording)\b`)
	enBroken   = regexp.MustCompile(`\b(?:failed|refused|unable) (?:tasks?|runs?|search(?:es)?|orders?|jobs?|renders?|cards?)`)
	enEntered  = regexp.MustCompile(`\b(?:has|have)(?: now| already| all| also)* been (?:\w+ed|put|written|taken) (?:in|into|to|onto|on) (?:the|your|our) (?:system|records?|log|rules?|gene|library|list|file|books|notes)\b|^(?:order|search|update|change|record|rules?|gene|feedback)s? (?:is |are )?(?:successful|successfully|complete)\b`)
	enHanded   = regexp.MustCompile(`^(?:your|the|both|all|these|those|\w+'s) (?:\w+ )?(?:edits?|changes?|comments?|feedback|notes?|points?|remarks?|suggestions?|words|requests?|wishes)\b.{0,12}\b(?:was|were|is|are|have been|has been)(?: \w+ly| now| already)? (?:forwarded|passed|sent|handed|relayed|delivered|routed|escalated)\b`)
	enOneWord  = regexp.MustCompile(`^(?:all |now |just |already )?(\w+ed|sent|done|set|fixed|gone|rewritten|redone|undone)$`)
	enMoodOnly = regexp.MustCompile(`^(?:agreed|indeed|excited|pleased|confused|disliked|liked|mixed|undecided|unsettled|expired|rejected|declined|confirmed|granted|need|speed|honored|honoured|delighted|intrigued|surprised|worried|tempted|convinced|unlimited|limited|related|detailed|noted|understood|failed|refused|blocked|finished|ended)$`)
	enCrew     = regexp.MustCompile(`\b(?:searcher|planner|renderer|worker)s? (?:has|have)(?: now| already| just)* (?:switched|changed|picked|taken|dropped|added|adopted|skipped|moved|gone|turned|\w+ed)\b`)
	enCrewEnd  = regexp.MustCompile(`\b(?:finished|failed|stopped|ended|timed|saved|cancelled|crashed|returned)\b`)
	enLeadOut  = regexp.MustCompile(`^(?:(?:just|already|also|now|ok|okay|sure|right|done) )*(?:\w+ed|` + enPast + `)(?: up| down| out| in| over| through| off)? (?:the|your|that|this|it|them|both|all|those|these|ben's|anna's|another|\d+)\b`)
	enGoesOn   = regexp.MustCompile(`^(?:(?:\w+ly|just|now|already|also|even|then|both|all|have) )*(?:\w+ed|` + enPast + `)\b`)
	enWith     = regexp.MustCompile(`\b(?:I|We|we)(?:'ve| have)? (?:\w+ly |already |just |also )?(?:checked|aligned|synced|confirmed|cleared|coordinated|talked|spoken|spoke|discussed|agreed)\b[\w ]{0,12}\b(?:with|to) (?:the team|everyone|everybody|them|him|her|[A-Z]\w+)\b`)
	enCaused   = regexp.MustCompile(`\b(?:i|we)(?:'ve| have)? (?:had|got|gotten) (?:the|your|a|an|this|that|these|those|all|it|them)\b(?: \w+){0,3} (?:\w+ed|re-?cut|cut|done|made|re-?done|re-?made|set|run|sent|put|written|re-?written|built|re-?built|\w+ing|under way|running|going|moving|started)\b|\b(?:i|we)(?:'ve| have)? (?:had|got|gotten) (?:the|your) \w+ (?:to|working|looking|searching|rendering|started)\b`)

	enVersionAt = regexp.MustCompile(`\b(?:gene|rules?|we|version|now|current(?:ly)?|it)(?: is|'s|'re| are| now|)*(?: now)?(?: at| on| up to)? v\d+\b|\bv\d+ is (?:now )?(?:live|out|in force|current|in effect|the current)\b`)
	enSettled   = regexp.MustCompile(`\b(?:feedback|comments?|notes?|remarks?|points?|request)\b[\w ]{0,12}\b(?:is|are|'s|has been|have been)(?: now| all| already| both)* (?:settled|resolved|closed|dealt with|handled)\b`)
	enWent      = regexp.MustCompile(`\b(?:rules?|genes?|limit|cap|length|constraints?|budget|wording)\b[\w' ]{0,20}\b(?:went|moved|dropped|came down|goes|is down|is up|jumped|shrank|grew)\b(?: down| up)? (?:from|to)\b|\b(?:rules?|wording|version|line)\b(?: is| are|'s)(?: now)? (?:out|gone|in)$|\bnew (?:rules?|wording|line|limit)\b[\w ]{0,10}\b(?:is|are) in\b`)
	enInRules   = regexp.MustCompile(`\b(?:it|that|this|they|both|all|everything)(?:'s|'re| is| are)(?: all| both)?(?: now| just)? in (?:the|your) (?:\w+ )?(?:genes?|rules?|steer|search document|brief)\b.*\b(?:now|as of now|just|today)\b|\b(?:now in|is now part of) (?:the|your) (?:\w+ )?(?:genes?|rules?|steer|search document|brief)\b|\b(?:reflected|captured|included|incorporated|built) (?:in|into) (?:the|your) (?:\w+ )?(?:genes?|rules?|steer|search document|brief)\b`)
	enSaysNow   = regexp.MustCompile(`\b(?:rules?|genes?|line|document|brief|limit) (?:now (?:also )?|also now )(?:says?|reads?|asks?|requires?|has|have|includes?|allows?|forbids?|is|are)\b`)
	enIsOut     = regexp.MustCompile(`\b(?:order|card|proposal|feedback|dislike|like|vote|note|comment|remark|opinion|request|schedule|search|thumbs-(?:up|down))s?\b(?: is| are|'s|'re)(?: now| all| already| both| switched| turned| back)* (?:out|in|in place|up|through|set|sorted|off|on|on (?:its|their) way|sent|lodged|placed|pinned|locked|queued(?: up)?|scheduled|lined up|booked|in the queue)(?: again| now| too| as well)*$|^(?:\w+ )?(?:yours|hers|his|theirs)(?: is|'s) in\b|\b(?:versions?|boards?|films?|searches)(?: are| is)(?: now| all| both)* (?:queued|lined up|in the queue|booked|scheduled|ordered)\b|^order in\b`)
	enKept      = regexp.MustCompile(`\b(?:your|the|both|all|her|his|their) (?:\w+ ){0,2}(?:words|thoughts|input|remarks?|comments?|opinions?|feedback|notes?|points?|views?)\b(?: is| are|'s|'re| have been| has been)(?: now| all| already| both| safely)* (?:stored|kept|saved|on (?:file|record)|down|written down|in the (?:record|log|books)|captured|preserved|banked)\b`)
	enOnto      = regexp.MustCompile(`\b(?:points?|words|ideas?|wish(?:es)?|comments?|remarks?|suggestions?|it|both|all|everything)\b[\w ]{0,16}\b(?:made it|went|has gone|have gone|found (?:its|their) way|ended up|are now|is now|landed) (?:on|onto|into|in|to) (?:the|your|a) (?:\w+ )?(?:card|proposal|order|record|rules?|gene|feedback|brief|guidelines|steer|document|rulebook|log|books)\b`)
	enRuns      = regexp.MustCompile(`\b(?:your|the|a|new) (?:\w+ ){0,2}(?:search|film|board|render|run|job|batch)(?: is|'s)(?: now| already| currently)* (?:rendering|running|searching|in progress|under ?way|in the works|on its way|being (?:rendered|made|cut|built|searched|prepared)|cooking|going)\b`)
	enGone      = regexp.MustCompile(`\b(?:gone|out|off|missing) (?:from|of) (?:the|your) (?:library|rules?|gene|list|card|board)\b`)
	enDrafted   = regexp.MustCompile(`\bdraft(?: is|'s)(?: now| all)? (?:written|ready|done|finished)\b`)
	enFromNow   = regexp.MustCompile(`\b(?:rules?|gene|search(?:es)?|limit|it|they)\b.*\b(?:from now on|from here on|as of (?:now|today)|effective immediately|going forward)\b`)
	enBecomes   = regexp.MustCompile(`\b(?:is|are|'s) now (?:a|an|the|part of|one of)\b[\w -]*\b(?:feedback|card|order|rules?|gene|record|document)\b`)
	enTeamToo   = regexp.MustCompile(`\b(?:team|everyone|everybody|colleagues?|ben|anna)(?: \w+)? (?:has|have) (?:been|already been|now been) (?:\w+ed)\b`)
	enAtWork    = regexp.MustCompile(`\b(?:searcher|planner|renderer|worker|machine|system)s? (?:is|are|has|have)(?: now| already| just)* (?:begun|started|been|at work|at it|on it|working|searching|rendering|paging|looking|picked)\b`)
	enNowIs     = regexp.MustCompile(`^((?:[\w'’-]+ ){0,6}?[\w'’-]+)(?: is| are|'s|'re)(?: now| already)+(?: all| both| fully| \w+ly)* ([\w-]+)`)
	enStands    = regexp.MustCompile(`^(?:pending|waiting|open|expired|below|declined|rejected|confirmed|applied|about|there|here|at|too|very|clear|strict|covered|asks?|says?|what|why|how|used|short|long|fine|good|enough|unsettled|old|due|overdue)$`)
	enStill     = regexp.MustCompile(`\bstill\b`)
	enWords     = regexp.MustCompile(`\b(?:feedback|notes?|comments?|opinions?|remarks?|complaints?|suggestions?|ideas?|wish(?:es)?|requests?|words|thoughts|input|likes?|dislikes?|votes?|points?|views?)\b`)
	enThumb     = regexp.MustCompile(`\bthumbs?\b`)

	// enBecame is the perfect passive of something that this room handles: what it
	// is, and what was done. enLogged is what people and rules do to such things,
	// which the log tells.
	enBecame = regexp.MustCompile(`^((?:[\w'’-]+ ){0,6}?[\w'’-]+) (?:has|have)(?: now| just| already| also| all| both| since| \w+ly)* been(?: \w+ly| now)? (\w+ed|` + enPast + `)\b`)
	enLogged = regexp.MustCompile(`^(?:ran|lapsed|expired|declined|rejected|confirmed|applied|approved|found|used|viewed|shown|ignored|downloaded|liked|disliked|watched|analy[sz]ed|based|made|seen|filmed|said|asked|discussed|met|mentioned|covered|tried|proposed)$`)
	enOffice = regexp.MustCompile(`\b(?:member|admin|viewer|schedule|budget|library|agent|name|source)\b`)

	// How a person may stand in a clause without acting in it.
	enFor         = regexp.MustCompile(`^(?:\W*)(?:per|as per|following|at|on|thanks to|based on|for|given|after|with) [A-Z]\w+(?:'s)?\b|\b(?:per|for|under|from|of|to|with) [A-Z]\w+(?:'s)?\b`)
	enOwner       = regexp.MustCompile(`\b[A-Z]\w+['’]s `)
	enObjectFirst = regexp.MustCompile(`^(?:The|Your|Both|All|That|This|the|your|both|all|that|this)\b[\w ]*?\b(?:rules?|genes?|limit|card|order|feedback|comments?|notes?|search|points)\b`)
	enJoins       = regexp.MustCompile(`^[A-Z]\w+ (?:has|have) been \w+`)
)
