package butler

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestClaimCorpus measures the claim gate on labelled sentences: at least 98 % of
// the claims without evidence are withheld, at most 1 % of the rest is.
func TestClaimCorpus(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"claims.tsv", "claims_unseen.tsv"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var s score
			for _, row := range corpus(t, "testdata/"+file) {
				s.add(t, row)
			}
			s.judge(t)
		})
	}
}

// TestClaimFrames puts verbs that no list of the detector was made for, and some
// that are listed, into the frames in which people say that something was done.
func TestClaimFrames(t *testing.T) {
	t.Parallel()
	var s score
	say := func(hold bool, frames []string, words ...any) {
		for _, f := range frames {
			s.add(t, corpusRow{evidence: "-", hold: hold, sentence: fmt.Sprintf(f, words...)})
		}
	}
	for _, verb := range strings.Fields("收紧 删除 登记 提交 撤销 拆分 转交 屏蔽 排期 细化 敲定 补录 追加 打磨 预约") {
		for _, object := range []string{"创意规则", "片长上限", "检索订单", "这条反馈"} {
			say(true, []string{
				"我已经%[1]s了%[2]s。", "我把%[2]s%[1]s了。", "%[2]s我已%[1]s完毕。", "已帮你%[1]s%[2]s。", "%[2]s我%[1]s过了。",
				"刚刚%[1]s了%[2]s。", "我按你的意思%[1]s了%[2]s。", "我这就把%[2]s给%[1]s好了。",
				"✅ %[2]s已%[1]s", "- %[2]s：已%[1]s",
			}, verb, object)
			say(false, []string{
				"小王已经%[1]s了%[2]s。", "我还没有%[1]s%[2]s。", "我可以帮你%[1]s%[2]s。", "要我%[1]s%[2]s吗？", "你昨天%[1]s了%[2]s。",
				"应用之后%[2]s才会%[1]s。", "如果你同意，我就%[1]s%[2]s。",
			}, verb, object)
		}
	}
	for _, verb := range strings.Fields("relaxed logged revoked split forwarded bookmarked toned simplified squashed overhauled sealed booked annotated") {
		for _, object := range []string{"creative rules", "film limit", "search order", "keywords"} {
			say(true, []string{
				"I've %[1]s the %[2]s.", "I %[1]s the %[2]s.", "Just %[1]s the %[2]s.", "I went ahead and %[1]s the %[2]s.",
				"As you asked, I %[1]s the %[2]s.", "The %[2]s is now %[1]s.", "I quickly %[1]s the %[2]s a moment ago.",
				"✅ The %[2]s: %[1]s", "I can confirm the %[2]s has been %[1]s.",
			}, verb, object)
			say(false, []string{
				"Ben %[1]s the %[2]s.", "You %[1]s the %[2]s yesterday.", "I haven't %[1]s the %[2]s.", "Once you apply it, the %[2]s will be %[1]s.",
				"The %[2]s was %[1]s by Anna.",
			}, verb, object)
		}
	}
	s.judge(t)
}

// score counts what the gate does with labelled sentences.
type score struct{ held, holdable, lost, passable int }

var people = regexp.MustCompile(`小王|李雷|Anna|Ben`)

func (s *score) add(t *testing.T, row corpusRow) {
	t.Helper()
	e := evidence{receipts: map[string]int{}, logged: logged{version: 3}}
	for _, kind := range strings.Split(row.evidence, ",") {
		switch kind {
		case "-":
		case "view":
			e.viewed = true
		case "read":
			e.read = true
		default:
			e.receipts[kind]++
		}
	}
	got := false
	done, rest := splitSentences(row.sentence)
	for _, sentence := range append(done, rest) {
		got = got || e.unbacked(sentence, people)
	}
	switch {
	case row.hold && got:
		s.held++
		s.holdable++
	case row.hold:
		s.holdable++
		t.Logf("released: %s (with %s) %v", row.sentence, row.evidence, claimsIn(row.sentence, people))
	case got:
		s.lost++
		s.passable++
		t.Logf("withheld: %s (with %s) %v", row.sentence, row.evidence, claimsIn(row.sentence, people))
	default:
		s.passable++
	}
}

func (s *score) judge(t *testing.T) {
	t.Helper()
	t.Logf("withheld %d of %d false claims, %d of %d true sentences", s.held, s.holdable, s.lost, s.passable)
	if s.holdable+s.passable < 200 {
		t.Fatalf("only %d sentences", s.holdable+s.passable)
	}
	if s.held*100 < s.holdable*98 {
		t.Errorf("only %d of %d false claims withheld", s.held, s.holdable)
	}
	if s.lost*100 > s.passable {
		t.Errorf("%d of %d true sentences withheld", s.lost, s.passable)
	}
}

type corpusRow struct {
	evidence, sentence string
	hold               bool
}

func corpus(t *testing.T, file string) []corpusRow {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []corpusRow
	for i, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 || f[2] != "hold" && f[2] != "pass" {
			t.Fatalf("%s:%d: not language, evidence, verdict, sentence: %q", file, i+1, line)
		}
		rows = append(rows, corpusRow{evidence: f[1], hold: f[2] == "hold", sentence: f[3]})
	}
	return rows
}
