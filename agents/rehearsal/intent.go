package rehearsal

import (
	"regexp"
	"strconv"
	"strings"

	"sozai/domain"
)

// ask is one message of a person.
type ask struct {
	speaker string
	text    string
	refs    []domain.Ref
}

func (a ask) zh() bool { return chinese(a.text) }

// intent is what one message asks for. Several may hold at once.
type intent struct {
	wants     []wish
	liked     []praise
	numbers   bool // how something performed
	rules     bool // what the gene says
	object    bool // what the butler thinks of a cited object
	behaviour bool // what people did
	settle    bool // work the waiting feedback into the gene
	search    bool
	board     bool
	film      bool
	apply     bool // "apply it": only a person can
	rollback  bool
	thanks    bool
	hello     bool
	target    int // how many are wanted; 0 = not said
	boards    int // how many boards, of those
	source    string
}

var (
	settleAsk    = regexp.MustCompile(`(?i)(?:根据|按照?|结合|整理|总结|处理|消化|看看?).{0,8}(?:反馈|意见)|(?:反馈|意见).{0,8}(?:改|更新|优化|调整|出.{0,2}卡)|(?:改进|优化|更新|调整|完善)(?:一下)?(?:我们的|当前的?)?(?:创意)?(?:基因|检索需求|创意规则)|出.{0,3}(?:基因|修改)卡|\b(?:from|use|using|based on|digest|process|settle|work in|act on)\b.{0,20}\bfeedback\b|\bfeedback\b.{0,20}\b(?:into|improve|update|change)\b|\b(?:improve|update|refine|adjust) (?:the |our )?gene\b|\bpropose a (?:gene )?(?:card|change)\b`)
	numberAsk    = regexp.MustCompile(`(?i)多少|几个|几条|几次|几成|数据|表现|效果(?:怎么样|如何|好)|采用率|成片率|下载量|点赞|点踩|统计|比例|花了|成本|费用|更好吗|好不好|好吗|哪个版本|哪一版|\bhow many\b|\bhow much\b|\bhow (?:is|are|did|does|well)\b.{0,30}\b(?:v\d+|version|perform\w*|doing|do)\b|\bperformance\b|\bnumbers?\b|\bstat(?:s|istics)\b|\blikes?\b.{0,12}\?|\brates?\b|\bcost\b|\bbetter\b.{0,20}\?|\bworse\b.{0,20}\?|\bcompare\b`)
	versionWord  = regexp.MustCompile(`(?i)\bv\s?(\d{1,4})|version\s+(\d{1,4})|第\s?(\d{1,4})\s?版|版本\s?(\d{1,4})`)
	question     = regexp.MustCompile(`(?i)[?？]|吗|呢|什么|怎么|哪|多少|几个|几条|为什么|是不是|有没有|\b(?:what|which|why|how|when|who|is there|are there|do we|does|did|is|are|can you tell)\b`)
	ruleAsk      = regexp.MustCompile(`(?i)(?:基因|规则|检索需求|硬性约束|现在.{0,4}要求).{0,8}(?:什么|怎么|哪些|吗|呢|\?|？)|(?:什么|哪些|看看|念|读).{0,6}(?:基因|规则|检索需求)|\b(?:what|show|read|which|tell me)\b.{0,30}\b(?:gene|rules?|search document|steer|brief|looking for)\b`)
	behaviourAsk = regexp.MustCompile(`(?i)(?:谁|大家|最近|今天|昨天).{0,8}(?:做了什么|干了什么|看了什么|操作|动静)|操作日志|行为记录|\bwho did\b|\bwhat happened\b|\bwhat did (?:people|we|the team)\b|\bactivity\b`)
	searchAsk    = regexp.MustCompile(`(?i)再找|找一批|找些|找几|找点|多找|搜一|再搜|搜些|搜索|去搜|检索一|补一批|补点|来一批|再来一批|下一?单搜|找.{0,12}(?:素材|视频|创意源|参考)|\b(?:search|look)\s+(?:for|again)\b|\bfind\b|\bget (?:me|us) (?:some |more |another |\d+)\b|\banother batch\b|\brun a search\b|\bmore (?:material|clips|videos|references)\b`)
	boardAsk     = regexp.MustCompile(`(?i)(?:出|做|写|来|搞|生成|给).{0,6}(?:方案|分镜|脚本|故事板)|\b(?:make|write|create|draft|do|prepare|order)\b.{0,24}\b(?:story ?board|board|script)\b`)
	filmAsk      = regexp.MustCompile(`(?i)(?:出|做|来|搞|生成|渲染|剪|拍).{0,6}(?:成片|片子|一条片|一支片|广告片|视频成品|一条视频)|做成片|出片|渲染|\b(?:make|render|produce|create|cut|order)\b.{0,24}\b(?:film|movie|final video|video|ad|advert)\b`)
	applyAsk     = regexp.MustCompile(`(?i)^(?:请|帮我|那就|就|直接|你)?.{0,4}(?:应用|确认|同意|通过|驳回|拒绝)(?:这张|那张|这个|它|卡|一下|吧)?.{0,6}$|\b(?:apply|approve|accept|confirm|reject|decline)\b.{0,16}\b(?:it|card|order|that|this|them)\b`)
	rollbackAsk  = regexp.MustCompile(`(?i)回滚|回退|退回到?|恢复到|\broll ?back\b|\brevert\b|\bgo back to v`)
	thanksSaid   = regexp.MustCompile(`(?i)^(?:好的?|行|可以|收到|谢谢|多谢|辛苦|ok|okay|thanks?|thank you|cheers|got it|great|nice|👍|🙏)`)
	helloSaid    = regexp.MustCompile(`(?i)^(?:你好|您好|嗨|哈喽|早|晚上好|大家好|在吗|hi|hello|hey|good (?:morning|evening|afternoon))`)
	targetWord   = regexp.MustCompile(`(?i)(\d{1,3})\s*(?:条|个|份|支|款|clips?|videos?|materials?|more|of them|references)`)
	boardsWord   = regexp.MustCompile(`(?i)(\d{1,2}|[两二三四五])\s*(?:个|份|套|版)(?:不同的?)?(?:方案|分镜|脚本|故事板)|\b(\d{1,2}|two|three|four|five) (?:different )?(?:story ?)?boards\b`)
	thinkOf      = regexp.MustCompile(`(?i)怎么看|怎么样|如何|评价|看法|分析|好在哪|\bwhat do you think\b|\bhow do you (?:like|see)\b|\banaly[sz]e\b|\btell me about\b|\blook at\b`)
)

// understand reads one message.
func understand(a ask) intent {
	text := strings.TrimSpace(a.text)
	asks := question.MatchString(text)
	in := intent{
		numbers:   numberAsk.MatchString(text) || asks && versionWord.MatchString(text),
		rules:     ruleAsk.MatchString(text),
		behaviour: behaviourAsk.MatchString(text),
		settle:    settleAsk.MatchString(text),
		search:    searchAsk.MatchString(text),
		board:     boardAsk.MatchString(text),
		film:      filmAsk.MatchString(text),
		apply:     applyAsk.MatchString(text) && !asks,
		rollback:  rollbackAsk.MatchString(text),
		thanks:    thanksSaid.MatchString(text),
		hello:     helloSaid.MatchString(text),
	}
	in.object = len(a.refs) > 0 && (thinkOf.MatchString(text) || asks && !in.numbers)
	if m := targetWord.FindStringSubmatch(text); m != nil && (in.search || in.board || in.film) {
		in.target, _ = strconv.Atoi(m[1])
	}
	if m := boardsWord.FindStringSubmatch(text); m != nil {
		in.boards = counted(m[1] + m[2])
	}
	in.source = sourceOf(text)
	if in.apply || in.rollback {
		return in
	}
	in.wants, in.liked = wishes(withoutOrders(text, in))
	if in.numbers || in.rules || in.behaviour {
		// A question is not a reaction; only clauses outside it are.
		in.wants, in.liked = wishes(withoutQuestions(text))
	}
	if in.settle {
		in.wants = withNotion(in.wants)
	}
	return in
}

// counted reads a small number, in figures or in words.
func counted(word string) int {
	if n, err := strconv.Atoi(word); err == nil {
		return n
	}
	return map[string]int{"两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "two": 2, "three": 3, "four": 4, "five": 5}[strings.ToLower(word)]
}

// sentence splits text after each end of a sentence, keeping the mark.
var sentence = regexp.MustCompile(`[^。！？!?\n;；]+[。！？!?;；]?`)

// withoutOrders drops the clauses that order work: what they name is to be
// found or made, not changed.
func withoutOrders(text string, in intent) string {
	if !in.search && !in.board && !in.film {
		return text
	}
	var keep []string
	for _, c := range clauseEnd.Split(text, -1) {
		if !searchAsk.MatchString(c) && !boardAsk.MatchString(c) && !filmAsk.MatchString(c) {
			keep = append(keep, c)
		}
	}
	return strings.Join(keep, "，")
}

func withoutQuestions(text string) string {
	var keep []string
	for _, s := range sentence.FindAllString(text, -1) {
		if !question.MatchString(s) && !numberAsk.MatchString(s) && !ruleAsk.MatchString(s) && !behaviourAsk.MatchString(s) {
			keep = append(keep, s)
		}
	}
	return strings.Join(keep, "\n")
}

func withNotion(in []wish) []wish {
	var out []wish
	for _, w := range in {
		if w.notion != nil {
			out = append(out, w)
		}
	}
	return out
}

func sourceOf(text string) string {
	lower := strings.ToLower(text)
	switch {
	case strings.Contains(text, "竞品") || strings.Contains(lower, "competitor"):
		return "competitor"
	case strings.Contains(text, "热梗") || strings.Contains(lower, "trending") || strings.Contains(lower, "hot meme"):
		return "hot"
	}
	return ""
}

// versions lists the gene versions that a text names, in order, each once.
func versions(text string) []int {
	var out []int
	seen := map[int]bool{}
	for _, m := range versionWord.FindAllStringSubmatch(text, -1) {
		for _, g := range m[1:] {
			if n, err := strconv.Atoi(g); err == nil && !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	return out
}

// documents decides which texts a wish speaks to: what it is about decides,
// words that name a document add to it, and for the whole its content does.
func documents(w wish, object domain.Ref) []domain.Document {
	lower := strings.ToLower(w.words)
	found := strings.Contains(lower, "素材") || strings.Contains(lower, "创意源") || strings.Contains(lower, "找来的") ||
		strings.Contains(lower, "搜") || hasWord(lower, "material") || hasWord(lower, "clip") || hasWord(lower, "footage") || hasWord(lower, "search")
	made := strings.Contains(lower, "成片") || strings.Contains(lower, "方案") || strings.Contains(lower, "片子") || strings.Contains(lower, "分镜") ||
		hasWord(lower, "film") || hasWord(lower, "board") || hasWord(lower, "storyboard")
	switch object.Type {
	case domain.Material, domain.Asset:
		found = true
	case domain.Board, domain.Film:
		made = true
	}
	switch {
	case found && made:
		return []domain.Document{domain.Search, domain.Steer}
	case found:
		return []domain.Document{domain.Search}
	case made:
		return []domain.Document{domain.Steer}
	case w.notion != nil:
		return []domain.Document{w.notion.home}
	}
	return []domain.Document{domain.Steer}
}
