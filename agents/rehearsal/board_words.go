package rehearsal

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// The captions by the place of a panel: what opens, what carries on, what turns,
// what ends. %s is what the film is about.
var (
	captionsOpen = []phrase{
		{"%s来了，守得住吗？", "%s: can you hold on?"},
		{"%s，一秒开场", "%s from the first second"},
	}
	captionsOn = []phrase{
		{"还没完，%s再来", "Not over: more %s"},
		{"%s，越来越猛", "%s, harder every time"},
		{"看清楚这一下%s", "Watch this %s"},
		{"%s，一波接一波", "%s, wave after wave"},
	}
	captionsTurn = []phrase{
		{"等等，局面变了", "Wait, it turns"},
		{"眼看要输，还有一招", "Nearly lost, one move left"},
	}
	captionsPay = []phrase{
		{"%s，一次清空", "%s, all at once"},
	}
	captionsEnd = []phrase{
		{"换你来，现在就试", "Your turn: try it now"},
		{"下一关，等你", "The next level waits for you"},
	}

	noCaptions  = regexp.MustCompile(`(?i)(?:不要|不用|去掉|没有|无)字幕|\bno captions?\b|\bwithout captions?\b`)
	fewCaptions = regexp.MustCompile(`(?i)字幕(?:要)?(?:从简|简洁|少|克制|精简)|少(?:一点|些)?字幕|\bfewer captions?\b|\bless text\b|\brestrain captions?\b`)
)

// caption is what stands on panel i of n. Which words it takes follows from the
// topics of the order and the gene, in turn; what stands on the board already is
// not said again, if there is anything else to say.
func (b *story) caption(i, n int, taken map[string]bool) string {
	rules := b.task.What + "\n" + b.steer
	edge := i == 0 || i == n-1
	if noCaptions.MatchString(rules) || fewCaptions.MatchString(rules) && !edge {
		return ""
	}
	from := captionsOn
	switch {
	case i == 0:
		from = captionsOpen
	case i == n-1:
		from = captionsEnd
	case i == n-2 && n > 3:
		from = captionsPay
	case i == n/2 && n > 4:
		from = captionsTurn
	}
	topics, first := b.topics(), i
	if len(b.base) > 0 {
		first = 0 // a panel that is worked over speaks of what the order names
	}
	text := ""
	for at := range len(from) * len(topics) {
		text = from[(i+at)%len(from)].in(b.zh)
		text = strings.ReplaceAll(text, "%s", topics[(first+at/len(from))%len(topics)])
		if !taken[text] {
			break
		}
	}
	taken[text] = true
	return text
}

// topics are what the film is about: what the order names, then the gene, in the
// language of the captions; the agent's name if neither names anything.
func (b *story) topics() []string {
	var out []string
	for _, k := range b.concepts {
		if k.avoid || len(k.words) < 2 || k.weight < 0.5 {
			continue
		}
		word := k.met
		if hasHan(word) != b.zh {
			word = ""
			for _, w := range k.words {
				if hasHan(w) == b.zh {
					word = w
					break
				}
			}
		}
		if word != "" {
			out = append(out, word)
		}
	}
	if len(out) == 0 {
		out = []string{clip(cmp.Or(b.name, phrase{"好戏", "the show"}.in(b.zh)), 20)}
	}
	return unique(out)
}

// heading is the board's title.
func (b *story) heading() string {
	if b.title != "" {
		mark := phrase{"（改）", " (revised)"}.in(b.zh)
		return clip(strings.TrimSuffix(b.title, mark), 60) + mark
	}
	for _, clause := range termEnd.Split(b.task.What, -1) {
		if w := strip(clause); w != "" && !aspectCue.MatchString(clause) && !secondsSaid.MatchString(clause) {
			return clip(w, 40)
		}
	}
	topics := b.topics()
	return clip(strings.Join(topics[:min(len(topics), 3)], " · "), 40)
}

// reason says how the board came about: the rules that it follows, and of a base
// board what became of its panels.
func (b *story) reason(panels []panelOut) string {
	var rules []string
	for _, l := range strings.Split(b.steer, "\n") {
		if n := find(l); n != nil {
			rules = append(rules, n.name.in(b.zh))
		}
	}
	if rules = unique(rules); len(rules) > 4 {
		rules = rules[:4]
	}
	var text string
	switch {
	case len(rules) > 0 && b.zh:
		text = "按创意规则里的" + strings.Join(rules, "、") + "来排，亮点高、有人喜欢的素材放在前面。"
	case len(rules) > 0:
		text = "Ordered by the rules on " + strings.Join(rules, ", ") + ", with highlights and liked clips first."
	default:
		text = phrase{"亮点高、有人喜欢的素材放在前面。", "Highlights and liked clips come first."}.in(b.zh)
	}
	if len(b.base) == 0 {
		return text
	}
	var changed []string
	for i, p := range panels {
		if !p.Keep {
			changed = append(changed, strconv.Itoa(i+1))
		}
	}
	if len(changed) == 0 {
		return text
	}
	list := strings.Join(changed, phrase{"、", ", "}.in(b.zh))
	return text + phrase{"改了第 " + list + " 格，其余照旧。", " Panels " + list + " changed, the others stay."}.in(b.zh)
}
