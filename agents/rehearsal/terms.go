package rehearsal

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// concept is something to look for (or to avoid), in every word known for it.
type concept struct {
	met    string   // the word that was met in the text
	words  []string // any of them in a title or tag counts
	weight float64
	avoid  bool
}

var (
	avoidLead = regexp.MustCompile(`(?i)不要|不能有|避免|不找|别找|排除|不含|不带|禁止|拒绝|\b(?:avoid|exclude|without|not|never|no|don'?t)\b`)
	termEnd   = regexp.MustCompile(`[，。！？；、：:,.!?;()（）\[\]【】「」“”"《》<>|/\\+*#—…\n]+`)
	zhStop    = regexp.MustCompile(`优先|尽量|最好|需要|必须|主要|关于|相关|类似|适合|以及|或者|并且|其中|画面|镜头|内容|素材|视频|创意源|短片|片段|参考|题材|类型|风格|元素|占满|完整|明显|强烈|突出|有力|清楚|清晰|同时|按反馈|例如|比如|至少|以上|以内|和|与|及|或|的|地|得|要|找|有|带|是|在|为|等|里|中|让|把|被|就|都|更|最|很|内|秒`)
	hanRun    = regexp.MustCompile(`\p{Han}{2,}`)
	wordRun   = regexp.MustCompile(`[\p{L}\p{N}][\p{L}\p{N}'’-]*`)
	enStop    = regexp.MustCompile(`^(?:an?|the|and|or|of|to|in|on|at|for|with|by|from|into|as|is|are|be|been|its?|this|that|these|those|we|our|you|your|me|my` +
		`|prefer|clips?|videos?|materials?|find|look|search|looking|should|must|needs?|wants?|likes?|very|more|most|less|least` +
		`|shows?|showing|shown|has|have|having|does?|than|then|so|such|any|all|some|each|one|two|three|first|seconds?|within|before|after|up|over|under|about` +
		`|which|where|when|who|how|there|their|them|they|can|could|would|will|only|also|clear|large|small|big|short|long|new|good|great|best|strong` +
		`|feedback|led|kept|fills?|frame|another|batch|present|document)$`)
)

// concepts reads a text clause by clause: known words become their group, what
// is left over becomes a concept of its own. A clause that says "avoid" turns
// what follows in it into things to avoid.
func concepts(text string, weight float64) []concept {
	var out []concept
	for _, clause := range termEnd.Split(strings.ToLower(text), -1) {
		avoid := ""
		if at := avoidLead.FindStringIndex(clause); at != nil {
			clause, avoid = clause[:at[0]], clause[at[1]:]
		}
		out = append(out, clauseConcepts(clause, weight, false)...)
		out = append(out, clauseConcepts(avoid, weight, true)...)
	}
	return merge(out)
}

func clauseConcepts(clause string, weight float64, avoid bool) []concept {
	var out []concept
	rest := clause
	for _, g := range synonyms {
		met := ""
		for _, w := range g.zh {
			if strings.Contains(rest, w) {
				rest = strings.ReplaceAll(rest, w, " ")
				if met == "" {
					met = w
				}
			}
		}
		for _, w := range g.en {
			if hasWord(rest, w) {
				rest = strings.ReplaceAll(rest, w, " ")
				if met == "" {
					met = w
				}
			}
		}
		if met == "" {
			continue
		}
		k := concept{met: met, words: append(append([]string{}, g.zh...), g.en...), weight: weight, avoid: avoid}
		if g.weak {
			k.weight = weight * 0.3
		}
		out = append(out, k)
	}
	for _, part := range zhStop.Split(rest, -1) {
		for _, run := range hanRun.FindAllString(part, -1) {
			if n := len([]rune(run)); n >= 2 && n <= 6 {
				out = append(out, concept{met: run, words: []string{run}, weight: weight * 0.8, avoid: avoid})
			}
		}
	}
	for _, w := range wordRun.FindAllString(rest, -1) {
		if !enStop.MatchString(w) && !hasHan(w) && len(w) > 2 {
			out = append(out, concept{met: w, words: []string{w}, weight: weight * 0.6, avoid: avoid})
		}
	}
	return out
}

func hasHan(s string) bool { return strings.IndexFunc(s, isHan) >= 0 }

// merge keeps each concept once, at its greatest weight; what is wanted
// somewhere is not avoided.
func merge(in []concept) []concept {
	at := map[string]int{}
	var out []concept
	for _, k := range in {
		key := k.words[0]
		i, ok := at[key]
		if !ok {
			at[key] = len(out)
			out = append(out, k)
			continue
		}
		if out[i].avoid && !k.avoid {
			out[i].avoid, out[i].met = false, k.met
		}
		out[i].weight = max(out[i].weight, k.weight)
	}
	return out
}

// fit says how well a candidate's words match: the sum of the concepts met, and
// their names. Something to avoid rules it out.
func fit(all []concept, title string, tags []string) (score float64, hits []string, out bool) {
	text := strings.ToLower(title + "\n" + strings.Join(tags, "\n"))
	for _, k := range all {
		if !k.in(text) {
			continue
		}
		if k.avoid {
			return 0, []string{k.met}, true
		}
		score += k.weight
		hits = append(hits, k.met)
	}
	return score, hits, false
}

func (k concept) in(text string) bool {
	for _, w := range k.words {
		if hasHan(w) && strings.Contains(text, w) || !hasHan(w) && (hasWord(text, w) || strings.Contains(text, "\n"+strings.ReplaceAll(w, " ", ""))) {
			return true
		}
	}
	return false
}

// query is one search, and why its words were chosen.
type query struct {
	text string
	why  phrase
}

// queries are the searches to try, best first: what the order names, pairs of
// strong concepts, each concept in the words met, then in the other language.
func queries(order string, all []concept) []query {
	var out []query
	seen := map[string]bool{}
	add := func(text string, why phrase) {
		text = strings.Join(strings.Fields(text), " ")
		if key := strings.ToLower(text); text != "" && !seen[key] {
			seen[key] = true
			out = append(out, query{text, why})
		}
	}
	if w := strip(firstClause(order)); w != "" {
		add(clip(w, 40), phrase{"先用这一单自己的说法", "the order's own words first"})
	}
	var wanted []concept
	for _, k := range all {
		if !k.avoid {
			wanted = append(wanted, k)
		}
	}
	slices.SortStableFunc(wanted, func(a, b concept) int { return cmp.Compare(b.rank(), a.rank()) })
	if len(wanted) > 1 {
		add(wanted[0].met+" "+wanted[1].met, phrase{"两个要点放在一起", "two points together"})
	}
	strong := 0
	for strong < len(wanted) && len(wanted[strong].words) > 1 && wanted[strong].weight >= 1 {
		strong++
	}
	for _, k := range wanted[:strong] {
		add(k.met, phrase{"单独查一个要点", "one point alone"})
	}
	for _, k := range wanted[:strong] {
		add(k.others(func(w string) bool { return hasHan(w) != hasHan(k.met) }), phrase{"换成另一种语言", "the other language"})
	}
	for _, k := range wanted[:strong] {
		add(k.others(func(w string) bool { return w != k.met && hasHan(w) == hasHan(k.met) }), phrase{"换成近义词", "words close to it"})
	}
	for _, k := range wanted[strong:] {
		add(k.met, phrase{"查一个次要的说法", "a minor point"})
	}
	return out
}

// rank puts what is known in several words before what is not.
func (k concept) rank() float64 {
	if len(k.words) > 1 {
		return k.weight + 10
	}
	return k.weight
}

// others joins up to four further words of a concept; a source takes any of them.
func (k concept) others(pick func(string) bool) string {
	var out []string
	for _, w := range k.words {
		if len(out) < 4 && pick(w) {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

func firstClause(s string) string {
	for _, c := range termEnd.Split(s, -1) {
		if c = strings.TrimSpace(c); c != "" {
			return c
		}
	}
	return ""
}
