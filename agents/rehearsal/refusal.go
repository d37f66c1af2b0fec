package rehearsal

import (
	"regexp"
	"strings"
)

// reasonWord is the machine word of a refusal, as the loop writes it after the
// sentence: "the gene has moved on [base_moved] {…}".
var reasonWord = regexp.MustCompile(`\s*\[([a-z_]+)\]`)

// refusals are what people are told for a reason that a tool may give.
var refusals = map[string]phrase{
	"same_card_pending": {"同样内容的卡已经在等确认，请先处理那一张", "a card with the same content waits already; please answer that one first"},
	"one_card":          {"这一轮已经提过一张卡", "this turn has proposed a card already"},
	"base_moved":        {"基因刚刚又有了新版本", "the gene has just moved on"},
	"person_lines":      {"会动到别人写下的内容", "it would touch lines that people wrote"},
	"nothing_changed":   {"没有任何变化", "nothing would change"},
	"not_viewed":        {"相关内容还没能看到", "what it is about could not be viewed"},
	"not_ours":          {"这个 Agent 里没有它", "this agent has no such object"},
	"orders_pending":    {"等待确认的下单卡已经满了，请先处理几张", "too many orders wait; please answer some first"},
	"no_such_source":    {"这个 Agent 没有启用这个来源", "this agent does not search that source"},
	"needs_board":       {"成片要从方案做，请用 @ 引用一个方案，或先下一单方案", "a film is made from a board: cite one with @, or order a board first"},
	"needs_cites":       {"方案要有依据，请用 @ 引用素材或已有方案", "a board needs something to start from: cite materials or a board with @"},
	"no_video":          {"引用的素材都没有视频文件，剪不了", "none of the cited materials has a video file"},
	"empty_board":       {"这个方案没有分格，先出一份方案", "this board has no panels; order a board first"},
	"board_too_long":    {"这个方案比硬性约束允许的片长更长，先出一份短一点的方案", "this board is longer than the gene allows; order a shorter board first"},
	"no_such_panel":     {"引用的方案没有这一格", "the cited board has no such panel"},
	"no_such_stretch":   {"引用的成片没有这一段", "the cited film has no such stretch"},
	"not_their_words":   {"没有对上任何人的原话", "the words are nobody's in this room"},
}

// refusal says in people's words why a tool refused: a known reason in their
// language, else the tool's own sentence without its details.
func (c chat) refusal(output string) string {
	m := reasonWord.FindStringSubmatchIndex(output)
	if m == nil {
		return firstSentence(output)
	}
	if p, ok := refusals[output[m[2]:m[3]]]; ok {
		return p.in(c.zh) + c.say("。", ".")
	}
	return strings.TrimSpace(clip(output[:m[0]], 160)) + retryWords.FindString(output)
}

// retryWords are what the loop adds about coming back.
var retryWords = regexp.MustCompile(`\s*\((?:possible again|come back) in \d+ s\)`)
