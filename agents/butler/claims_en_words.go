package butler

import (
	"regexp"
	"strings"
)

// The vocabulary of the English half of the claim detector. Everything but
// names is matched in lower case.

// enVerb is what the butler could claim to have done, in its past forms.
type enVerb struct {
	deed deed
	form *regexp.Regexp
}

func past(d deed, forms string) enVerb {
	return enVerb{d, regexp.MustCompile(`\b(?:` + forms + `)\b`)}
}

var enVerbs = []enVerb{
	past(deedChange, `updated|changed|modified|adjusted|revised|edited|rewrote|rewritten|reworked|tweaked|removed|dropped|cut|replaced|set|raised|lowered|shortened|extended|tightened|loosened|applied|stored|rolled back|reverted|restored|swapped|switched|fixed|implemented|enabled|disabled|locked|bumped|reset|amended|refined|strengthened|committed|capped|limited|merged|overwrote|overwritten|improved|optimized|optimised|deployed|synced|minted|made (?:the|that|those|these|your|this|all the|a few|some|an?) (?:\w+ )?(?:changes?|edits?|updates?|adjustments?|tweaks?|fix|revisions?)|made sure|made|ensured|got(?:ten)? rid of|took out|taken out|brought|pushed`),
	past(deedAdd, `added|put|inserted|incorporated|integrated|folded|baked|appended|included|worked|built|written|wrote|introduced|injected`),
	past(deedFeedback, `recorded|noted|logged|registered|filed|captured|jotted|marked|took note of|taken note of|made a note|(?:taken|took|written|wrote|put|jotted) (?:\w+ ){0,5}down|saved|kept a record|put on record|attached|put (?:\w+ ){1,3}on (?:the )?record|documented|(?:liked|disliked) (?:\w+ ){1,4}for (?:you|\w+)`),
	past(deedOrder, `ordered|placed|submitted|queued|booked|scheduled|commissioned|requested|put in|put through|sent off|set up|arranged|issued`),
	past(deedCard, `drafted|(?:re-?)?proposed|resubmitted|prepared|created|made|opened|issued|put together|drawn up|drew up|posted|attached|raised|filed|submitted|left|generated|written|wrote|sent|given|gave|put`),
	past(deedStarted, `started|kicked off|launched|triggered|begun|began|fired off|initiated|set off|spun up|run|ran`),
	past(deedSearch, `re-?ran|searched|hunted|scanned|scoured|combed|crawled|looked for|found|tracked down|pulled in|gathered|collected|sourced`),
	past(deedView, `(?:double|cross)-checked|(?:had|took|taken) a (?:\w+ )?look at|looked at|looked through|looked into|watched|viewed|reviewed|checked|examined|gone through|went through|inspected|analy[sz]ed|broken down|broke down|read|compared|verified|studied|pulled up|pulled`),
	past(deedOther, `notified|asked the (?:searcher|renderer|worker|team|system)|let \w+ know|told|informed|emailed|messaged|pinged|alerted|reminded|sent|shared|published|(?:re-?)?rendered|produced|generated|exported|downloaded|uploaded|confirmed|approved|cancel+ed|declined|rejected|deleted|archived|settled|resolved|paid|invited|contacted|forwarded|finali[sz]ed|delivered|attached|made|created|edited|cut|closed|expired|posted|trimmed|dismissed|discarded|cleared|retried|restarted|stopped|withdrew|withdrawn|blocked|excluded|bookmarked|muted|hidden|hid`),
	past(deedAny, `done|finished|completed|handled|taken care of|took care of|sorted|dealt with|carried out|processed|wrapped up|addressed|actioned|executed`),
}

// What a clause may be about.
var (
	enGene  = regexp.MustCompile(`\b(?:genes?|rules?|ruleset|search (?:doc|document|brief|text|terms?)|steer(?:ing)?(?: doc| document| rules| text)?|constraints?|limits?|caps?|guidelines?|settings?|keywords?|preferences?|requirements?|version|v\d+|creative (?:brief|document)|documents?|docs?|config(?:uration)?|aspect ratio|max(?:imum)? (?:length|duration|film)|brief)\b`)
	enCard  = regexp.MustCompile(`\b(?:cards?|proposals?|suggested change|draft)\b`)
	enOrder = regexp.MustCompile(`\b(?:orders?|requests? for (?:a |the |an |one |two |three |\d+ )?(?:new |more )?(?:search|boards?|films?))\b`)
	enHunt  = regexp.MustCompile(`\b(?:search(?:es)?|hunt|another round|new batch|new round|gene check)\b`)
	enNote  = regexp.MustCompile(`\b(?:feedback|notes?|comments?|opinions?|remarks?|points?|concerns?|dislikes?|likes?|complaints?|thoughts?|reactions?|words|critique|wish(?:es)?|preferences?|that|this|it|everything|both|all)\b`)
	enMedia = regexp.MustCompile(`\b(?:clips?|videos?|materials?|footage|boards?|storyboards?|films?|references?|ads?|spots?|shots?|inspiration)\b`)
	enData  = regexp.MustCompile(`\b(?:numbers?|data|performance|stats|statistics|metrics|figures|behaviou?r|results?|logs?|scores?|history|digest)\b`)
	enMind  = regexp.MustCompile(`\b(?:my|the order of|the subject|the topic)\b`)
	enTeam  = regexp.MustCompile(`\b(?:team|everyone|everybody|colleagues?|them|him|her|admin|creator|members?|client|stakeholders?|slack|email|searcher|renderer|worker|system|\w+ about)\b`)
	enThem  = regexp.MustCompile(`\b(?:the )?(?:changes?|updates?|edits?|adjustments?|tweaks?|modifications?)\b`)
	enItAll = regexp.MustCompile(`\b(?:it|this|that|everything|all|they|these|those|request|that's|it's)\b`)
	enRun   = regexp.MustCompile(`\b(?:run|task|digest|render|job|round|batch)\b`)
	enReply = regexp.MustCompile(`\b(?:order card)\b`)
)

// How a clause is built.
var (
	enClause = regexp.MustCompile(`[,;:—–()\n|]+|\s-+\s|\.{3}|…|\b(?:but|and|so|then|because|although|though|which|while|before)\b`)
	enOwn    = regexp.MustCompile(`\b(?:i|we|the butler)(?:'ve|'d| have| had)?\b`)
	enHave   = regexp.MustCompile(`\b(?:i|we|the butler)(?:'ve| have| has)\b`)
	enDid    = regexp.MustCompile(`\b(?:i|we) did (?:also |indeed |in fact |already |just )*(update|change|record|add|note|log|order|place|propose|draft|apply|edit|set|remove|save|submit|adjust|modify|rewrite|revise|file|register|cancel|delete|send|notify|render|search|run|start|confirm|do)\b`)
	enInner  = regexp.MustCompile(`^(?:\s+(?:have|has|had|just|now|already|also|both|gone|went|ahead|and|then|successfully|carefully|quickly|fully|officially|finally|immediately|simply|since|therefore|directly|safely|all|got|gotten|managed|to|been|able|personally|manually|promptly|duly|recently|earlier|today|first|only|still|actually|indeed|hereby|\w+ly|finished|done|did|do|completed))*\s*$`)
	enGotIt  = regexp.MustCompile(`^(?:'ve got|'ve|\s+(?:have|got|had|'ve got))(?: (?:it|that|this|them|everything|the [\w ]{1,30}|your [\w ]{1,30}|all [\w ]{1,30}))(?: all| now| already)?\s*$`)
	enPassiv = regexp.MustCompile(`\b(?:has|have|'s|'ve) (?:now |just |already |also |all |both |successfully |\w+ly )*been(?: \w+ly| successfully| now)?\s*$|\b(?:is|are|'s|'re)(?: now| already| all| both| officially| successfully)*\s*$|\b(?:was|were|got|gets)(?: \w+ly| just| already| also| successfully)*\s*$`)
	enIs     = regexp.MustCompile(`\b(?:is|are|'s|'re)\s*$`)
	enSay    = regexp.MustCompile(`\b(?:say|confirm|report|announce|add|note|see|know|say that|that)\s+`)
	enAdverb = regexp.MustCompile(`\b(?:have|just|now|already|also|both|then|successfully|\w+ly|even|finally|as well|have just)\b`)
	enLeft   = regexp.MustCompile(`^(?:(?:ok|okay|sure|yes|yep|got it|great|alright|right|perfect|good|thanks|understood|absolutely|of course|just|now|already|also|all|both|successfully|finally|then|\w+ly|everything|consider it|it's|that's|that is|it is|this is|we're|i'm|and|✅|✔|☑|[-*•]|\d+\.?)\s*)*$`)
	enAside  = regexp.MustCompile(`^(?:as|per|based on|following|after|given|with|for|from|thanks?|good|great|sure|ok|okay|yes|right|understood|absolutely|of course|got|sorry|fair|happy|no|hi|hello|hey|done|alright|perfect|now|finally|first|second|next|also|in addition|additionally|meanwhile|point|love|agreed|exactly|noted|having|rules?|gene|feedback|order|\w+ \w+|\w+)\b`)
	enNoun   = regexp.MustCompile(`^\W*(?:the |your |all |both |new |a |two |three |\d+ )*(?:(?:creative |search |steer |order |gene |film |board )?(?:genes?|rules?|limits?|constraints?|documents?|docs?|brief|changes?|updates?|edits?|orders?|feedback|notes?|comments?|search(?:es)?|cards?|proposals?|preferences?|request))(?: has| have)?(?: successfully| now| already| all| both)*\s*$`)
	enEnds   = regexp.MustCompile(`^\W*$|^\W*(?:as|the way|like|for|to|with|per|in|into|and|successfully|accordingly|now|too|already)\b`)

	enAsSaid = regexp.MustCompile(`\b(?:the way|as|like|just as|exactly as|exactly what) (?:you|he|she|they|[A-Z]\w+)(?: both)? (?:said|asked|wanted|requested|suggested|agreed|described|wished)(?: for| it)?\b`)
	enNoOne  = regexp.MustCompile(`^\W*(?:nobody|no one|none of|put (?:differently|another|simply|bluntly|briefly))\b`)
	enDeny   = regexp.MustCompile(`\b(?:not|never|no|nothing|nobody|none|without|neither|nor|unable|failed|refused|hardly|yet to|cannot|rather than|instead of)\b|n't\b`)
	enPlan   = regexp.MustCompile(`\b(?:will|would|can|could|may|might|should|shall|must|going to|plan to|plans to|want|wants|need|needs|like to|let me|let's|about to|ready to|happy to|able to|try|trying|intend|hope|please|suggest|recommend|propose to|propose|ask|asks|wait|waiting|until|unless|whether|to be|as soon as|prefer|ought|allowed|supposed|pending|rather)\b|'ll\b|'d (?:like|rather|suggest|recommend|love|propose)\b`)
	enIf     = regexp.MustCompile(`\b(?:if|once|unless|until|in case|provided|assuming|whenever|as soon as|had i|were i|when you|after you|when someone|after someone|when anyone|when a|every time|each time|suppose|only (?:\w+ )?(?:when|after|if|once)|after (?:the|a|this|that|your|any|my) (?:card|order|proposal) (?:has been|is|gets|was)|whether)\b`)
	enAskF   = regexp.MustCompile(`^(?:(?:ok|so|and|but|or|also|then|now),? )?(?:shall|should|do|does|did|would|could|can|may|have|has|is|are|was|were|will|what|which|how|why|who|when|where|want me|any)\b`)
	enTagQ   = regexp.MustCompile(`^(?:ok|okay|right|yes|correct|is that|does that|do you|would you|shall|should|can|could|want|anything|what|how|sound|all|good|alright|isn't|aren't|hasn't|haven't|did you|let me know)\b`)

	enBy    = regexp.MustCompile(`\bby (?:you|the (?:system|worker|team|person|search|digest)|someone|a (?:person|member|teammate|colleague)|him|her|them|[A-Z]\w+)\b`)
	enWhen  = regexp.MustCompile(`\b(?:when|after|because|since|as) (?:you|someone|he|she|they|a (?:person|member|teammate)|[A-Z]\w+) (?:\w+ )?(?:applied|confirmed|clicked|approved|edited|rolled|changed|updated|did)\b`)
	enTold  = regexp.MustCompile(`\b(?:you|they|he|she|someone|[A-Z]\w+) (?:said|say|says|think|thought|thinks|believe|believed|asked|ask|asks|claim|claims|claimed|wonder|mentioned|assume)\b(?: if| whether| that)?\s*$`)
	enSaid  = regexp.MustCompile(`\b(?:said|says?|thinks?|thought|believes?|believed|claims?|claimed|asked|asks)(?: that)?\s*$`)
	enTells = regexp.MustCompile(`\b(?:[Yy]ou|[Tt]hey|[Hh]e|[Ss]he|[Ss]omeone|[A-Z]\w+) (?:said|say|says|think|thought|thinks|believe|believed|claim|claims|claimed|mentioned|assume|assumed|wrote)\b`)
	enWho   = regexp.MustCompile(`^(?:\W*)(?:you|he|she|they|someone|somebody|anyone|everyone|nobody|who|people|users?|viewers?|the \w+(?: \w+)? (?:\w+ed|has|had|is|was|did|then|just|also|made|put|set|wrote|took|cut|kept|ran|found)|this (?:clip|video|card|version|film|board)|that (?:clip|video|card|version|film|board)|it|its|v\d+|version \d+|each|both (?:clips|videos|versions|of you)|these|those|a (?:colleague|teammate|member|person|run|worker)|our)\b`)
	enName  = regexp.MustCompile(`^(?:\W*)[A-Z][a-z]+ (?:[a-z]+ed|has|had|is|was|did|then|just|also|made|put|set|wrote|took)\b`)
	enActed = regexp.MustCompile(`\b(?:applied|confirmed|clicked|approved|edited|rolled back|changed|updated|apply|confirm)\b`)
)

// Shapes that decide one case.
var (
	enLive   = regexp.MustCompile(`\b(?:rules?|genes?|changes?|updates?|edits?|limits?|constraints?|new version|order|v\d+)\b.{0,24}\b(?:is|are|'s|went|has gone|have gone)\b(?: now| already)? (?:live|in place|in effect|active|in force|through|complete|done|in|set|ready to use|up to date)\b|\btook effect\b|\bup to date in the gene\b`)
	enNow    = regexp.MustCompile(`\b(?:rules?|genes?|documents?|docs?|brief|limit|constraints?)\b (?:now|currently) (?:says?|reads?|includes?|requires?|contains?|has|have|asks?|states?|demands?|is|are|prioriti[sz]es?|favou?rs?|forbids?)\b`)
	enHere   = regexp.MustCompile(`\b(?:here(?:'s| is| are)|below is|there(?:'s| is)|you(?:'ll| will) find) (?:the|a|your|my|an|another) (?:\w+ ){0,3}(?:card|proposal)\b|\b(?:card|proposal)(?: is|'s)? (?:right |just |now |all )?(?:below|ready)\b|\bin the card below\b`)
	enHereOr = regexp.MustCompile(`\b(?:here(?:'s| is| are)|below is|there(?:'s| is)) (?:the|a|your|my|an|another) (?:\w+ ){0,3}order(?: card)?\b|\border(?: card)?(?: is|'s) (?:right |just |now |all )?(?:below|ready)\b`)
	enUnder  = regexp.MustCompile(`\b(?:a|the|your|another|new) (?:new )?(?:search|render|film) (?:is|'s)(?: now| already)? (?:running|under way|underway|in progress|on its way)\b`)
	enAllSet = regexp.MustCompile(`^(?:you're |you are |we're |it's |that's |everything(?:'s| is) |all |now )*(?:all set|all done|done|sorted|good to go)(?: for you| now| then)?[.! ✅]*$|^(?:noted|recorded|logged|duly noted)(?: down| that| it| this| with thanks| for next time)?[.! ]*$|\bconsider it (?:done|noted|logged|ordered)\b`)
	enNoted  = regexp.MustCompile(`noted|record|logged`)

	enObject  = regexp.MustCompile(`^(?:the|your|a|an|that|this|it|all|both|his|her|their|these|those|everything|as|per|for|to|in|into|on|down|accordingly|\d+|two|three|four|five|one|another|new|some|back|off|through|at|successfully)\b`)
	enAdject  = regexp.MustCompile(`^(?:materials?|clips?|feedback)\b`)
	enFinite  = regexp.MustCompile(`\b(?:is|are|was|were|stays?|remains?|counts?|has|have|had|will|would|can|could|should|needs?|works?|performs?|does|do|did|shows?|means|helps?|distract\w*|make|made|makes|take|takes)\b`)
	enBare    = regexp.MustCompile(`^\s*(?:it|that|this|them|everything|both|all|those|these|things|as|accordingly|for you|now|already|successfully|the|\W*$)`)
	enAside2  = regexp.MustCompile(`^\s+(?:on|for|at|to|with|in (?:the|a) (?:canyon|city|night|studio))\b`)
	enThat    = regexp.MustCompile(`^\s*(?:that|how|above|earlier|in my|before)\b`)
	enThatIt  = regexp.MustCompile(`^\s*that(?: down| too| as well| for you| for \w+)?\s*\W*$`)
	enToGene  = regexp.MustCompile(`\b(?:in|into|to) (?:the|your) (?:\w+ )?(?:gene|rules?|steer|search doc\w*|brief)`)
	enSorted  = regexp.MustCompile(`\b(?:by|from|alphabetically|according)\b`)
	enInOrder = regexp.MustCompile(`\bin (?:that |the )?order\b`)
	enFinding = regexp.MustCompile(`^\s*(?:that|the (?:cause|reason|pattern|answer|note|feedback)|a (?:pattern|reason|common)|two patterns|no |nothing)`)
	enYou     = regexp.MustCompile(`^\s*you\b`)
	enThatObj = regexp.MustCompile(`^\s*that\b`)
	enThatOrd = regexp.MustCompile(`^\s*that (?:order|card|run|job)`)
	enGiven   = regexp.MustCompile(`^\s*(?:the|your|a|an|two|three|\d+)`)
	enSure    = regexp.MustCompile(`^\s*(?:sense|clear|it (?:clear|easy|hard))\b`)
	enLooking = regexp.MustCompile(`^\s*(?:watching|looking|reading|reviewing|checking|when|by)\b`)
	enEditing = regexp.MustCompile(`^\s*(?:updating|changing|editing|adding|applying|setting|adjusting)`)
	enTelling = regexp.MustCompile(`^(?:notified|asked the \w+|let \w+ know|told|informed|emailed|messaged|pinged|alerted|reminded|contacted|invited|forwarded|shared|sent)$`)
	enClosing = regexp.MustCompile(`^(?:confirmed|approved|cancel+ed|declined|rejected|closed|settled|resolved|deleted|archived|dismissed|discarded|cleared|retried|restarted|stopped|withdrew|withdrawn|blocked|excluded|bookmarked|muted|hidden|hid)$`)
	enMaking  = regexp.MustCompile(`^(?:made|created|generated|posted|sent|edited|shared)$`)
	enHiding  = regexp.MustCompile(`^(?:blocked|excluded|bookmarked|muted|hidden|hid)$`)
	enToTeam  = regexp.MustCompile(`\b(?:with|to) (?:the |our |your )?(?:team|everyone|client|colleagues?|group|admin|creator|slack|email)\b`)
	enFilming = regexp.MustCompile(`^(?:(?:re-?)?rendered|produced|exported|trimmed)$`)
	enByMe    = regexp.MustCompile(`\bby (?:me|us)\b`)
	enDidSo   = regexp.MustCompile(`\b(?:i|we)(?:'ve| have)? (?:did|done) (?:so|that|it|this|all (?:of )?(?:it|that))\b`)
	enOnFile  = regexp.MustCompile(`\b(?:feedback|comments?|notes?|opinions?|points?|wish(?:es)?) (?:is|are|'s|'re)(?: now| already)? on (?:file|record)\b`)
	enAfter   = regexp.MustCompile(`^(?:after|having) (?:carefully |just |already )?(?:looking|looked|checking|checked|reviewing|reviewed|watching|watched|analy[sz]ing|analy[sz]ed|viewing|viewed|going|gone|reading|read|comparing|compared)\b`)
	enPartOf  = regexp.MustCompile(`\b(?:is|are) now (?:part of|in|included in|reflected in) (?:the|your) (?:\w+ )?(?:gene|rules?|steer\w*|search doc\w*|brief)\b`)
	enPress   = regexp.MustCompile(`^(?:please |just |then )?(?:click|press|hit|tap|apply|confirm|choose|pick)\b`)
	enWas     = regexp.MustCompile(`\b(?:was|were)\b`)
)

// enBox is the ticked box of a list.
var enBox = regexp.MustCompile(`^[-*• ]*\[[xX✓✔]\] *`)

// enThingActs begins a clause with a thing that does something: what follows goes on with it.
var enThingActs = regexp.MustCompile(`^(?:the|this|that|last|yesterday's|a|an|its) (?:\w+ ){0,2}(?:search|run|film|board|clip|version|order|ad|video|task|digest|tool)(?: \w+)? (?:cost|took|ran|found|brought|came|went|kept|ended|failed|showed|lasted|returned|stopped|finished)\b`)

// enReports are words before what is reported, which plan nothing.
var enReports = regexp.MustCompile(`(?i)\b(?:I can (?:now |also |gladly )?(?:confirm|report|announce) (?:that )?|(?:I'm |I am |we're )?(?:happy|pleased|glad|delighted) to (?:confirm|report|say|announce|tell you|let you know|share) (?:that )?|(?:just )?(?:to|wanted to|want to) let you know (?:that )?|just so you know[,:]? )`)

// enReplaced are phrases that contain, but are not, a marker looked for above,
// each with what it is read as.
var enReplaced = []string{"not only", "", "no problem", "", "no worries", "", "not just", "", "without delay", "", "no doubt", "",
	"why not", "", "what you said", "it", "What you said", "it", "what you told me", "it", "What you told me", "it", "couldn't agree more", "agree", "nothing else", "", "no longer", "nolonger", "once-over", "onceover", "without fail", "", "happy to say", "glad", "pleased to say", "glad"}

// enPlain reads the words of a sentence so that markers are markers.
func enPlain(s string) string {
	return strings.NewReplacer(append([]string{"’", "'", "‘", "'"}, enReplaced...)...).Replace(s)
}
