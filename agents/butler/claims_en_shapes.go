package butler

import "regexp"

// The vocabulary of the last look at an English clause: the shapes that a sentence
// about a thing of this room takes, and the forms of what a speaker does.

// enShape is the build of a clause about a thing of this room.
type enShape struct {
	deed      deed // "" = by what the clause speaks of
	presence  bool
	form, but *regexp.Regexp
}

const (
	// enOurs are the things that this room handles and nobody else does.
	enOurs = `(?:genes?|rules?|ruleset|steer|constraints?|limits?|caps?|keywords?|documents?|docs?|brief|wording|lines?|settings?|budget|schedule|weights?|priority|priorities|thresholds?|filters?|cards?|proposals?|orders?|` +
		`feedback|verdicts?|complaints?|inputs?|concerns?|suggestions?|ideas?|duplicates?|actions?|notes?|comments?|remarks?|opinions?|points?|thoughts?|votes?|(?:dis)?likes?|thumbs-(?:up|down)|changes?|updates?|edits?|tweaks?|fix|request|wish|ask)`
	enBe     = `(?: is|'s been|'ve been|'s| are|'re| has been| have been| has now been| have now been)`
	enNowish = `(?: now| all| already| both| just| \w+ly| right| safely| back| well and truly| good and)*`
	enWork   = `(?:search(?:es)?|hunt|render|film|board|storyboard|batch|clips?|footage|results?|references?|run|job|cut)`
)

func shape(d deed, form string, but ...string) enShape {
	s := enShape{deed: d, form: regexp.MustCompile(form)}
	if len(but) > 0 {
		s.but = regexp.MustCompile(but[0])
	}
	return s
}

var enShapes = []enShape{
	// The gene says or does something newly.
	shape(deedState, `\b(?:genes?|rules?|documents?|docs?|brief|limits?|caps?|constraints?|lines?|keywords?|wording|version)(?: \d)? now (?:also )?(?:\w+ly )?[a-z]{3,}\b`, `\bnow (?:stands?|waits?|waiting|pending|open|and|but|or|that|because|which|with|the)\b`),
	shape(deedState, `\b(?:genes?|rules?|limits?|caps?|length|max(?:imum)?|constraints?)`+enBe+` (?:now )?(?:at|up to|down to|back (?:to|at)) \S+(?: \w+)? now$`),
	shape(deedChange, `\b(?:genes?|rules?|documents?|brief|limits?|caps?|constraints?|lines?|wording|it|they)\b.*\b(?:from today|from this (?:point|moment)(?: on)?|starting (?:now|today)|henceforth|from here on out)\b`),
	shape(deedChange, `\b(?:lines?|rules?|limit|cap|constraint|wording|caption rule)\b.{0,24}\bnolonger\b|\bnolonger (?:in|part of) the (?:rules?|gene|brief)\b`),
	shape(deedChange, `\b(?:lines?|rules?|limit|cap|constraint|wording|restriction|duplicates?|repeats?)`+enBe+enNowish+` (?:gone|history|out|off|away|toast|dead)(?: now| too| as well| for good)?$`),
	shape(deedChange, `\b(?:new|updated|changed|revised) (?:rules?|line|limit|version|wording|gene) (?:already |now |also )*(?:appl(?:y|ies)|counts?|holds?|works?|kicks? in|governs?|stands?)\b`),
	shape(deedChange, `\b(?:it|they|that|this|everything)`+enBe+enNowish+` (?:\w+er|more \w+|less \w+|cleaner|\w+ed) now$`),
	shape(deedChange, `\b(?:changes?|updates?|edits?|tweaks?|fix|rules?|wording|card|order|it|that|everything|request|feedback)(?: has| have)?(?: now| just| already)* (?:went through|gone through|went in|gone in|went live|gone live|took|took hold|taken hold|landed|stuck|made it (?:in|through)|got through|came through|kicked in)(?: now| fine| ok| okay| too| as planned| cleanly| smoothly)*$`),
	shape("", `\bthere(?:'s| is| are) (?:now )?(?:a|an|another|one|two|three) (?:brand-?new|new|fresh|extra|further|additional) (?:\w+ )?(?:lines?|rules?|versions?|orders?|cards?|constraints?|keywords?|proposal|cuts?|films?|boards?|batch|renders?|wording)\b`),
	shape(deedChange, `\b(?:wish|request|command)`+enBe+enNowish+` (?:granted|my command|fulfilled|done|honou?red)\b`),

	shape("", `\b`+enOurs+`(?: (?:\d+|on \w+|about \w+))? now (?:also )?[a-z]+\b`, enQuiet+`|\bnow (?:stands?|waits?|pending|open|and|but|or|that|because|which|with|the|needs?)\b`),
	shape(deedOther, `\b(?:captions?|titles?|subtitles?|logo|music|intro|opening|ending|panels?(?: \d+)?|settings|boards?|films?|cut)(?: is| are|'s|'re)? now (?:also )?\S+`, enQuiet+`|\bnow (?:stands?|waits?|pending|open|and|but|or|that|because|which|queued)\b`),

	shape("", `\b`+enOurs+`(?: has| have|'s|'ve)(?: now| just| already| since)* (?:become|turned|grown|evolved|made|found|entered|joined|moved|gone|come|landed)\b`, enQuiet),
	shape(deedStarted, `\b(?:search(?:es)?|renders?|runs?|orders?)(?: was| were| got| has been| have been|'s been)(?: now| just| already| \w+ly)* (?:re-?started|re-?launched|kicked off|started|launched|queued|re-?run|resubmitted|triggered|resumed|re-?fired)\b`),
	shape(deedOther, `\b(?:boards?|films?|storyboards?|cut)(?: is| are|'s|'re)(?: now| already)? (?:down|cut|up|back) to\b`),

	shape(deedUnknown, `^(?:the|your|all|both|this|that|these|those|everything) [\w' -]{1,40}?(?: has| have|'s|'ve)`+enNowish+` been`+enNowish+` (?:\w+ed|`+enPast+`)\b`, enQuiet+`|\b(?:clips?|videos?|films?|boards?|run|search|hero|author|camera|shot|viewers?|people|analy[sz]ed)\b`),

	shape(deedChange, `\b`+enOurs+enBe+enNowish+` (?:in|part of|inside|within) (?:the|your|our) (?:\w+ )?(?:rules?|genes?|brief|steer)\b.*\bnow$`),
	shape(deedState, `\b(?:genes?|rules?|lines?|brief|documents?|limits?)(?: \d+)?(?: already| now| also)* (?:has|have|carr(?:y|ies)|contains?|includes?|uses?) (?:the|a|your) (?:new|updated|revised)\b`),
	shape(deedOther, `\b(?:team|everyone|everybody|colleagues?|client)(?: has| have)(?: now| already)* (?:heard|seen|got|gotten|received|read)\b|\b(?:team|everyone|everybody) (?:knows?|heard)\b`),
	{"", true, regexp.MustCompile(`\b(?:card|order|proposal)` + enBe + enNowish + ` (?:up|out|posted|live)(?: (?:under|as|with|called|now|for you)\b.*)?$`), nil},

	// One of our things was done something to.
	shape("", `\b`+enOurs+`(?: (?:of|on|about|from) [\w' ]{1,30}?)?`+enBe+enNowish+` (?:\w+ed|`+enPast+`)(?: (?:up|down|in|out|through|off|over|back|away))?(?: (?:now|too|as well|for you|accordingly|automatically|into|to|from|in line|with it|per|as you|as requested|for good|under|on your|on (?:his|her|their)|at your|by me)\b.*)?$`, enQuiet),
	shape("", `^(?:(?:the|your|all|both|new|one|two|three|four|\d+|\w+) ){0,4}?(?:genes?|rules?|limits?|caps?|constraints?|documents?|brief|changes?|updates?|edits?|orders?|feedback|verdict|complaint|input|action|notes?|comments?|remarks?|cards?|proposals?|lines?|wording|keywords?)(?: \d+)? (?:now |all |both |duly |successfully )*(?:\w+ed|cut|put|set|sent|written|rewritten|taken|done|made|split|drawn|redone|withdrawn)\b(?: (?:up|down|in|out|through|off|over|back|away))*(?: (?:into|to|from|for|with|as|per|in|under|on|accordingly|too|now)\b.*)?$`, enQuiet+`|\b(?:is|are|was|were|has|have|had|came|made the|says?|asks?)\b|\b(?:asked|received|disliked|needed|wanted|worked|helped|helps|contradicted|mentioned|covered|required|called|named|used|caused|differed|failed|ended|pointed|changed (?:how|what|the))\b`),
	shape("", `\b(?:feedback|notes?|comments?|remarks?|points?|opinions?|words|cards?|orders?|rules?|genes?)\b(?:'s)? (?:has|have|is|are|sits?|lives?|rests?|found)\b.*\bnow$`, enQuiet+`|\d+ \w+ now$|\bright now$`),

	shape("", `^(?:\w+ ){1,3}(?:switched|updated|changed|informed|notified|briefed|removed|swapped|exchanged|replaced|adjusted|submitted|placed|recorded|logged|saved|fixed|trimmed|created|generated|scheduled|queued|cancel+ed|merged|closed|deleted|restarted|launched|rewritten|revised|drafted|filed|stored|tightened|loosened|refreshed|synced|cleaned|cleared|instructed|sent|told)(?: (?:to|from|with|into|as|for|at|up|out|over|accordingly)\b.*)?$`, enQuiet+`|^(?:you|he|she|they|i|we|it|who|someone|somebody|nobody|this|that|the|a|an|people|viewers?|and|but|so|what|is|are|was|were|never|not|if|when|once|after)\b|\b(?:is|are|was|were|has|have|had|be|been|being|by|author|camera|hero|scene|music|video|clip|ad|brand|competitor)\b`),

	// Cards and orders are there.
	{deedOrder, true, regexp.MustCompile(`\border(?: card)?(?: for \w+)?` + enBe + enNowish + ` (?:sitting|waiting|posted|up|found|listed|below|above)? ?(?:below|above|right here|here for you|in the (?:timeline|chat|room))\b`), nil},
	{deedCard, true, regexp.MustCompile(`\b(?:card|proposal)(?: for \w+)?` + enBe + enNowish + ` (?:sitting|waiting|posted|up|found|listed|attached)? ?(?:below|above|right here|here for you|in the (?:timeline|chat|room))\b|\b(?:card|proposal)\b.*\bsee (?:above|below)$`), nil},

	shape("", `\b`+enOurs+`(?: (?:just|also|has|have))* (?:got|gotten|underwent|undergone|joined|landed|entered|received) (?:a|an|the|its|some|into|in|on|another|their)\b`, enQuiet),
	shape(deedOther, `\b(?:is|are|has been|have been)(?: now| both| all| fully)* (?:in the loop|up to speed|looped in|notified|informed|briefed|cc'd|copied in)\b`),

	// Work is under way or on its way.
	shape(deedStarted, `\b(?:`+enWork+`|order|it|they|that|everything)\b.{0,20}`+enBe+enNowish+` (?:on (?:the|its|their) way|coming (?:in|up|right up|along)|rolling(?: in)?|arriving|streaming in|pouring in|in the (?:works|oven|making|pipeline|queue)|in (?:production|progress|motion)|under ?way|being (?:\w+ed|made|built|cut|found|put together)|cooking|running|rendering|searching)\b`, `\b(?:still|queued behind|\d+ ?%)`),
	shape(deedStarted, `\b(?:searcher|planner|renderer|worker|engine|crew)s?`+enBe+enNowish+` (?:on (?:it|the case|the job|this|that)|[a-z]+ing)\b`, `\b(?:waiting|missing|failing|idling|still|limiting)\b`),
	shape(deedStarted, `^(?:new |fresh |another )?(?:search|render|film|board|run|hunt)(?: (?:search|render|cut|export|build)(?:ing)?)?(?: is|'s)? (?:launched|started|kicked off|under ?way|running|rendering|in progress|fired up|rolling|dispatched|triggered)\b`),
	shape(deedStarted, `^(?:the |a |our )?(?:re-?)?(?:rendering|searching|production|work|filming|cutting|export(?:ing)?)(?: work| on \S+(?: \S+)?)?(?: has| have|'s| is)(?: now| just| already)* (?:begun|started|commenced|kicked off|under ?way|in progress|going|running|resumed)\b`),
	shape(deedOther, `\b(?:search(?:es)?|render|schedule)`+enBe+enNowish+` (?:set|scheduled|booked|lined up|timed|planned)(?: up)? (?:for|at|to|every|each)\b`),
	shape(deedOther, `\b(?:has|have|'s|'ve)(?: \w+)? been (?:sent|handed|passed|given|forwarded|dispatched|shipped|routed|assigned|escalated)(?: over| on| off)? (?:to|for)\b`),
	shape(deedOther, `\b(?:team|everyone|everybody|colleagues?|others?|client|searcher|renderer|planner|worker)`+enBe+enNowish+` (?:aware|informed|briefed|notified|in the loop|instructed|warned|asked|up to speed|told|copied)\b`),
	shape(deedOther, `\b(?:captions?|titles?|subtitles?|logo|music|intro|opening|ending|panels?(?: \d+)?|settings|boards?|films?|clips?|cut)`+enBe+enNowish+` (?:exchanged|changed|edited|adjusted|cropped|muted|shortened|swapped|replaced|redone|recut|re-cut|trimmed|reordered|rearranged|re-?rendered|fixed|updated|removed|extended|lengthened|exported|polished|remade|off|gone|tagged|flagged|starred|hidden|deleted|blacklisted|bookmarked|pinned)(?: (?:now|too|for you|to|the film|from|with|by me|as you)\b.*)?$`, `\b(?:by|in) [A-Z]|\bwhen\b|\bafter\b`),

	// Said of it all.
	shape(deedAny, `^(?:and |so )*(?:that|it|this|they|everything|all of it|all of that|both|there it)(?:'s| is|'re| are)(?: now| all| already| safely| both)* (?:on (?:the books|file|record|the record)|in the (?:system|log|bag|record|books|notes|gene|rules)|down|in|up|out|live|through|saved|stored|sorted|settled|fixed|handled|squared away|taken care of|wrapped up)(?: now| too| for you| as well)*$`),
	shape(deedAny, `^got (?:it|that|this|them|all that|both|everything|your \w+)(?: \w+){0,3}? (?:down|in|up|done|sorted|noted|logged|recorded|fixed|saved|through|out|set|written)\b`),
	shape(deedAny, `^(?:and )?(?:done and dusted|mission accomplished|job done|sorted|handled|voil[aà]|that's a wrap|all squared away|all wrapped up|consider (?:it|that|your \w+) (?:\w+ed|done|sent))\b`),
	shape(deedAny, `^(?:\w+ )?(?:ticked|checked|crossed) off\b|\b(?:both|all|everything|all three|all of (?:it|that|them))(?: of (?:it|them|those))?(?: \w+)?`+enBe+enNowish+` (?:done|complete|completed|finished|handled|sorted|in place|set|taken care of)$`),
}

// enQuiet are the participles of things that are so, that people did, or that
// the log tells; none is the butler's.
const enQuiet = `\b(?:ran out|run out|lapsed|timed out|expired|declined|rejected|refused|confirmed|applied|approved|found|used|viewed|shown|ignored|downloaded|liked|disliked|watched|based|asked|discussed|met|mentioned|covered|tried|limited|mixed|closed|related|supposed|needed|required|rated|detailed|allowed|involved|expected|interested|called|meant|split between|divided|known|left|worded|focused|aimed|exceeded|reached|granted by|unchanged|untouched|unsettled|undecided|written by|wanted|waited|pending|set (?:by|in|for|as)|contradicted|overdue|outdated|repeated|misunderstood|missed|attached to|tied|spread|opposed|agreed|phrased|addressed to|fixed by|red|bored|tired|detached|need|speed|indeed|so far|yet)\b`

var (
	// enGeneric is what holds for any card or order, not what became of one.
	enGeneric = regexp.MustCompile(`^(?:any|each|every|no) (?:\w+ )?(?:cards?|orders?|rules?|search|proposal|films?|boards?|runs?) (?:is|are|has)\b|^(?:an?|any|each|every|no) (?:\w+ )?(?:cards?|orders?|rules?|searches|search|proposal|films?|boards?|runs?|feedback) (?:that|which|gets|becomes|needs|takes|can|only|has to|stays|counts)\b`)
	// enAskedFor takes out of a clause what somebody wanted.
	enAskedFor = regexp.MustCompile(`\b(everything|all|what|whatever|the \w+|that) (?:that )?(?:you|he|she|they|you two|you both)(?: have|'ve)? (?:asked|wanted|requested|suggested|mentioned|needed|described|wished|called|hoped)(?: for)?\b`)
	enDelivers = regexp.MustCompile(`\b(?:please )?(?:find|see|check out|have a look at|take a look at|enjoy|here(?:'s| is| are)|behold|meet) (?:the|your|my|a|an) (?:brand-?new|new|updated|refreshed|revised|finished|reworked|fresh|latest|amended|re-?rendered|improved) (?:\w+ )?(?:gene|rules?|board|storyboard|film|card|version|order|brief|cut|search|results|draft)\b`)

	// enOpen is a verb of the speaker; enPresent are those that tell of no deed.
	enSystemDid = regexp.MustCompile(`\bsystem(?: has| have)?(?: now| just| already| automatically| also)+ (?:\w+ed|taken|set|put|run|begun)\b.*\b(?:rules?|gene|limit|search|order|card|feedback|brief)\b`)
	enOpen      = regexp.MustCompile(`\b(?:i|we)(?: (?:just|also|even|then|both|quickly|simply|personally|\w+ly|already|now|duly|went and|since))* ([a-z][a-z-]+)\b(.*)$`)
	enPresent   = regexp.MustCompile(`^(?:am|was|were|are|be|been|have|had|has|do|did|don|can|could|will|would|shall|should|may|might|must|need|needed|want|wanted|think|thought|see|saw|seen|understand|understood|suggest|recommend|agree|disagree|prefer|hear|heard|mean|meant|know|knew|lean|guess|assume|hope|believe|feel|felt|find|like|love|get|got|remember|recall|forget|forgot|appreciate|worry|doubt|wonder|take|read|say|said|promise|propose|offer|keep|notice|noticed|expect|imagine|suppose|suspect|trust|bet|ask|asked|wish|try|tried|start|begin|stand|stay|stick|gather|reckon|conclude|advise|consider|count|lack|miss|missed|follow|share|apologi[sz]e|respect|welcome|thank|look|owe|regret|rely|refer|speak|talk|tell|told|wait|work|call|care|insist|repeat|admit|answer|happen|help|hesitate|vote|picture|sense|side|favou?r|too|not|never|only|still|always|really|definitely|actually|personally|honestly|currently|sometimes|usually|rather|cannot|or|and|to|in|on|at|of|for|with|the|a|as|if|who|that|both|all|two|record|order|draft|write|note|put|come|came|go|went|make|made|leave|left|let|use|show|run|ran|set|cut|won|ought|stopped|failed|counted|misread|misunderstood|mistook|miscounted|overlooked|confused|mixed|liked|loved|agreed|preferred|believed|hoped|guessed|assumed|wondered|suggested|mentioned|lost|sound|seem|fear|dislike|hate|enjoy|value|support|second|object|differ|doubted|sort|fall|live|press|ignore|judge|weigh|rate|rank|grew|pause|close|end|sum|summari[sz]e|list|describe|explain|laid|lay|spotted|observed|reali[sz]ed|reali[sz]e|received|encountered|gathered|imagined|dis\w+)$`)

	// enTold2 is a clause that begins with what was done; enAsideOf are the words
	// that begin so and tell nothing.
	enTold2     = regexp.MustCompile(`^(?:(?:ok|okay|sure|yes|right|great|just|already|also|now|then|and|so|alright|absolutely|successfully|duly|quickly|finally) )*((?:[a-z]+-)?[a-z]+ed|threw|gave|made|took|sent|found|got|put|ran|wrote|drew|cut|went|did|built|brought|left|snuck|slid|shot|dug|set|swept|tore|threw|caught|chose|gone|redid|rewrote|retook|struck|undid|withdrew|woke)\b`)
	enAsideOf   = regexp.MustCompile(`^(?:(?:ok|okay|sure|yes|right|great|just|already|also|now|then|and|so) )*(?:put (?:differently|another|simply|briefly|bluntly|it)|based|given|compared|followed|modelled|modeled|inspired|taken from|drawn from|built (?:on|from)|made (?:of|from|with|in|by|for)|set (?:in|at|on|against)|shot|said|called|rated|seen|agreed|granted|understood|noted|needed|need|mixed|provided|related|limited|used|supposed|got (?:it|you|a|one|your message)|found (?:in|on|by|at|with)|taken|left (?:alone|as|out|untouched)|indeed|speed|feed|excited|pleased|confused|asked|wanted|liked|disliked|cut (?:to|from)|intended|meant|known|gone are|involved|attached|expired|declined|rejected|confirmed|applied|refused|downloaded|viewed \d|watched (?:by|\d)|used|worded|phrased|judged|measured|played|red|hundred|interested|tired|ran out|went (?:up|down)|did (?:you|anyone|somebody|he|she|they|i|we)|detailed|closed|unchanged|untouched|pending|sorry|recorded (?:feedback|material)|updated rules)\b|^\w+ (?:by|in) (?:you|ben|anna|the author|v\d)|^[a-z-]+ (?:\w+ ){0,3}(?:is|are|was|were|stays?|would|will|can|could|may|might|should|takes?|needs?|helps?|count|make)\b`)
	enLookVerb2 = regexp.MustCompile(`^(?:\w+ ){0,2}(?:watched|viewed|looked|checked|read|reviewed|compared|analy[sz]ed|skimmed|scanned|examined|studied|counted|went (?:through|over)|dug|pulled|inspected|combed)\b`)

	enFirst = regexp.MustCompile(`^(?:\W*)(?:please|let's|let me|try|consider (?:a|an|the|using|adding|making|whether)|how about|what about|why)\b`)

	enDoing = regexp.MustCompile(`\b(?:i|we)(?:'m| am|'re| are|'ve been| have been)(?: \w+ly| just| now| already| also| right now| still| even| both| busy)* ([a-z-]+ing)\b`)
	enMulls = regexp.MustCompile(`^(?:going to|going by|going with|going on|looking forward|looking for (?:more|a word|words|ways?|clear)|thinking|wondering|hoping|guessing|assuming|leaning|asking|trying|saying|suggesting|talking|waiting|missing|referring|seeing|keeping|holding|offering|planning|counting on|having (?:trouble|a hard)|getting|being|relying|quoting|basing|judging|speaking|according|depending|regarding|considering|concerning|including|following|starting (?:with|from|next)|nothing|something|anything|everything|morning|evening|during|king|thing|sing|bring|string|spring|ring|interesting|exciting|amazing|charming|leaving|assisting|helping|happening|understanding|lacking|wanting|struggling|stopping short|not|telling|answering|reading (?:it|this|that|you|your)|inclining|worrying|proposing to|wishing|feeling|staying|standing|sticking|willing|preparing to|intending|aiming|learning|using|given|doubting|sensing|picturing|imagining|mixing|failing|running (?:low|out|into)|repeating|explaining|listening|timing|pacing|lighting|framing|editing (?:style|pace|rhythm)|opening|ending|lagging|warning|building (?:on|up)|fitting|matching|pending|existing|missing|remaining|coming|amusing|promising)\b`)

	enStartsDoing = regexp.MustCompile(`^(?:(?:ok|okay|sure|yes|right|great|got it|now|currently|already|just|busy|also|and|meanwhile|still|so|there|on it|alright|absolutely|\w+ly) )*([a-z-]+ing)\b(.*)$`)
	enGerund      = regexp.MustCompile(`\b(?:is|are|was|were|takes?|needs?|helps?|makes?|made|would|will|can|could|should|may|might|created|costs?|means|works?|gives?|led|brought|has|have|had|tends?|does|do|isn't|seems?|feels?|requires?|remains?|stays?|came|hides?|shows?|loses?|keeps?)\b`)
	enAtOnce      = regexp.MustCompile(`\b(?:now|as we speak|as i (?:type|write|speak)|as (?:i|we) (?:type|write|speak) this|at the moment|in the background|this (?:minute|second)|for you|hang on|hold on|under your name)\b`)
	enHandles     = regexp.MustCompile(`\b(?:genes?|rules?|steer|constraints?|limits?|caps?|keywords?|documents?|brief|wording|lines?|cards?|proposals?|orders?|feedback|notes?|comments?|remarks?|opinions?|search(?:es)?|render|film|board|storyboard|batch|clips?|videos?|footage|numbers|data|stats|materials?|change|update|edit|version|it|that|this|them|searcher|renderer|team)\b`)
	enLooks       = regexp.MustCompile(`^(?:(?:re-)?(?:looking|watching|reviewing|checking|reading|scanning|analy[sz]ing|comparing|going|digging|inspecting|examining|studying|viewing|pulling|skimming|counting|combing|glancing|peeking|glanced|peeked|looked|watched|reviewed|checked|read|scanned|analy[sz]ed|compared|dug|inspected|examined|studied|viewed|skimmed|combed|sat|eyeballed|rewatched|played)|sift(?:ed|ing))$`)
	enSearches    = regexp.MustCompile(`^(?:searching|hunting|scouring|crawling|trawling|searched|hunted|scoured|trawled|crawled)$`)
	enRenders     = regexp.MustCompile(`^(?:(?:re-?)?rendering|launching|starting|kicking|firing|cutting|exporting|spinning|triggering|running|producing|generating|building)$`)

	enMyLook   = regexp.MustCompile(`\b(?:my|our) (?:own |quick |first |last |latest |recent |full |close |careful )?(?:review|analysis|search|check|scan|comparison|research|count|sweep|hunt|inspection|viewing|look|deep dive|pass through|read-?through)\b|\b(?:a|one|on) (?:quick|closer|close|second|careful|fresh|thorough|brief) (?:look|scan|pass|read|review|check|glance|viewing|inspection|search)\b`)
	enHadLook  = regexp.MustCompile(`\b(?:i|we)(?:'ve| have)?(?: \w+ly| just| also| already)* (?:had|took|taken|gave|given|did|done|ran|run)(?: [\w']+){0,3}?(?: a| an| another| one| some| the)(?: \w+){0,2} (?:look|peek|glance|read|scan|check|review|comparison|count|dig|dive|viewing|analysis|watch|onceover|skim)\b|^(?:just )?(?:took|had|gave|did|made|ran) (?:\w+ )?(?:a|an|another|one|some) (?:\w+ )?(?:look|peek|glance|read|scan|check|review|comparison)\b`)
	enLeftWord = regexp.MustCompile(`\b(?:i|we)(?:'ve| have)?(?: \w+ly| just| also| already)* (?:left|dropped|sent|wrote|written|shot|gave|given) (?:\w+ )?(?:a|an|another|the) (?:\w+ )?(?:message|line|word|ping|dm|e-?mail|heads-up|reminder|call)\b`)
	enCloses   = regexp.MustCompile(`\b(?:closed|cancel+ed|withdrew|withdrawn|dropped|applied|approved|pinned|revived|dismissed|retired|archived|shelved|killed|merged|deleted|removed|cleared|settled|resolved|reopened|pulled|voided|scrapped) (?:\w+ ){0,4}(?:cards?|orders?|proposals?|feedback|comments?)\b`)
	enReplied  = regexp.MustCompile(`\b(?:i|we)(?:'ve| have)?(?: \w+ly| just| also| already)* (?:replied|answered|written|wrote|spoken|spoke|talked|reached out|gotten back|got back|reported|passed it|mentioned it|flagged it|raised it)(?: back| on)? (?:to|with)\b`)
	enHadGo    = regexp.MustCompile(`\b(?:i|we)(?:'ve| have)?(?: \w+ly| just| also| already)* (?:had|took|taken|gave|given|did|done|made|ran|run)(?: \w+)?(?: a| an| another| one| some| the)(?: \w+){0,2} (?:pass|stab|go|sweep|round|run|search|cleanup|clean-up|polish|swap|trim|fix|refresh|update)\b|^(?:just )?(?:took|had|gave|did|made|ran) (?:\w+ )?(?:a|an|another|one|some) (?:\w+ )?(?:pass|stab|go|sweep|round|run|search|polish)\b`)
	enKeptEye  = regexp.MustCompile(`\b(?:i|we)(?:'ve| have)?(?: \w+ly| just| also| already)* kept (?:an|a close|my) eyes? on\b`)
	enBeenOver = regexp.MustCompile(`\b(?:i|we)(?:'ve| have)(?: \w+ly| just| also| already| now)* been (?:back |all |right )?(?:through|over|into|at|around)\b|\b(?:i|we)(?:'m| am|'re| are)(?: already| now| \w+ly)* (?:halfway|partway|most of the way|all the way|nearly|almost|done)? ?(?:through|over)\b`)
	enHaving   = regexp.MustCompile(`^(?:after|upon|on|having|by) (?:\w+ly |just )?(?:looking|watching|reviewing|checking|reading|scanning|analy[sz]ing|comparing|going|digging|combing|sifting|trawling|inspecting|examining|studying|viewing|skimming|counting|playing|running|stepping|scrubbing|paging|poring|flicking|sitting) (?:through|over|at|into|back|the|your|both|all|it|them|every|each|panels?)\b|^having (?:\w+ly |just |already |now )*(?:watched|seen|viewed|looked|read|reviewed|checked|compared|gone|analy[sz]ed|studied|been|scanned|counted|examined)\b`)
	enCameBy   = regexp.MustCompile(`\b(?:i|we)(?:'ve| have)?(?: \w+ly| just| also| already| then)* (?:came across|come across|stumbled (?:on|upon|across)|ran into|turned up|dug up|came up (?:empty|with (?:\d+|\w+) clips?)|unearthed|surfaced)\b|\b(?:i|we)(?:'ve| have)? tried (?:\w+ )?(?:platforms?|sources?|keywords?|tiktok|instagram|douyin|english|chinese)\b`)

	// enThing begins a clause with something of this room, which is nobody.
	enThing = regexp.MustCompile(`^(?:\W*)(?:(?:and|so|but|also) )*(?:the |your |our |this |that |these |those |it|both |all |a |an |\w+'s )`)

	enTicked = regexp.MustCompile(`\b(genes?|rules?|search(?:es)?|orders?|cards?|proposals?|feedback|notes?|boards?|films?|renders?|brief|changes?) ?[:=]? ?[✅✔☑]`)
	enLabel  = regexp.MustCompile(`(?:^|[,;\n]) *(?:[-*•✅✔☑️]+ *|\d+[.)] *)*(?:the |your |new |all )?((?:[\w'-]+ ){0,2}(?:genes?|rules?|search(?:es)?|orders?|cards?|proposals?|feedback|notes?|comments?|boards?|films?|renders?|limits?|caps?|keywords?|brief|changes?|updates?|budget|status|schedule))(?: status)? *(?:[:=|–—→✅✔]|->| - )+ *(?:is |are |now |all |already |successfully |just )*(\w+ed|` + enPast + `|running|rendering|searching|in progress|under ?way|done|live|ok|complete|active|in place|[a-z]+ing|✅|✔|☑)(?:$|[\s.,;!)(✅])`)
)
