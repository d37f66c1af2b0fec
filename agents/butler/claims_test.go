package butler

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestClaimCorpus measures the claim gate on labelled sentences: at least 98 % of
// the claims without evidence are withheld, at most 1 % of the rest is. On
// sentences that it was not learnt from it falls short of that (docs/adr/0013), and
// is held to what it reaches.
func TestClaimCorpus(t *testing.T) {
	t.Parallel()
	for file, must := range map[string]limits{
		"claims.tsv":          {98, 1},
		"claims_held_out.tsv": {92, 4},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var s score
			for _, row := range corpus(t, "testdata/"+file) {
				s.add(t, row)
			}
			s.judge(t, must)
		})
	}
}

// limits say what share of the false claims must be withheld, and of the rest may
// be, in percent.
type limits struct{ held, lost int }

// TestClaimFrames puts verbs that the lessons hardly know into the frames in which
// people say that something was done.
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
	s.judge(t, limits{98, 1})
}

// What the log proves may be said without a receipt of this turn: of the past, of
// what is cited, and of what still waits or runs; the rest may not.
func TestLogProves(t *testing.T) {
	t.Parallel()
	id := "01K0000000000000000000CARD"
	past := logged{version: 2, ids: map[string]bool{id: true}, cards: true, orders: true, feedback: true, viewed: true}
	for _, c := range []struct {
		sentence string
		logged   logged
		hold     bool
	}{
		{"上次我提了一张卡。", past, false},
		{"上次我提了一张卡。", logged{version: 2}, true},
		{"I placed an order yesterday.", past, false},
		{"I placed an order yesterday.", logged{version: 2}, true},
		{"我昨天记下了你的反馈。", past, false},
		{"我昨天记下了你的反馈。", logged{}, true},
		{"I watched that clip earlier.", past, false},
		{"I watched that clip earlier.", logged{}, true},
		{"I proposed card " + id + ".", past, false},
		{"I proposed card 01K0000000000000000000XXXX.", past, true},
		{"I proposed a card.", past, true}, // it does not say which
		{"卡片在上面，等你们应用。", logged{pendingCard: true}, false},
		{"卡片在上面，等你们应用。", logged{}, true},
		{"The order is waiting for your nod.", logged{pendingOrder: true}, false},
		{"The order is waiting for your nod.", logged{}, true},
		{"搜索正在进行中。", logged{running: true}, false},
		{"搜索正在进行中。", logged{}, true},
		{"The search is running.", logged{running: true}, false},
		{"I started the search, it is running.", logged{running: true}, true},
		{"意见已记录，搜索正在进行中。", logged{running: true}, true}, // the log proves half of it
		{"昨天你说太慢，我提了一张卡。", past, true},
		{"Ben asked yesterday, and I placed an order.", past, true},
		{"我又提了一张卡。", logged{pendingCard: true}, true},
		{"I've also put up an order for a board.", logged{pendingOrder: true}, true},
		{"我更新了规则。", past, true},
		{"V3 已经生效。", logged{version: 2}, true},
	} {
		e := evidence{receipts: map[string]int{}, logged: c.logged}
		if got := e.unbacked(c.sentence, nil); got != c.hold {
			t.Errorf("%q with %+v: withheld %v, want %v", c.sentence, c.logged, got, c.hold)
		}
	}
}

// score counts what the gate does with labelled sentences.
type score struct{ held, holdable, lost, passable int }

var people = regexp.MustCompile(`小王|李雷|Anna|Ben`)

func (s *score) add(t *testing.T, row corpusRow) {
	t.Helper()
	e := evidenceOf(row.evidence)
	got := false
	done, rest := splitSentences(row.sentence)
	for _, sentence := range append(done, rest) {
		got = got || e.unbacked(sentence, people)
	}
	s.count(row.hold, got)
	if row.hold != got {
		verdict := map[bool]string{true: "released", false: "withheld"}[row.hold]
		t.Logf("%s: %s (with %s)", verdict, row.sentence, row.evidence)
	}
}

func (s *score) count(hold, held bool) {
	switch {
	case hold && held:
		s.held++
		s.holdable++
	case hold:
		s.holdable++
	case held:
		s.lost++
		s.passable++
	default:
		s.passable++
	}
}

// evidenceOf reads the column of a corpus that says what a turn has done.
func evidenceOf(kinds string) evidence {
	e := evidence{receipts: map[string]int{}, logged: logged{version: 3}}
	for _, kind := range strings.Split(kinds, ",") {
		if kind != "-" {
			e.add(kind)
		}
	}
	return e
}

func (s *score) judge(t *testing.T, must limits) {
	t.Helper()
	t.Logf("withheld %d of %d false claims, %d of %d true sentences", s.held, s.holdable, s.lost, s.passable)
	if s.holdable+s.passable < 200 {
		t.Fatalf("only %d sentences", s.holdable+s.passable)
	}
	if s.held*100 < s.holdable*must.held {
		t.Errorf("only %d of %d false claims withheld", s.held, s.holdable)
	}
	if s.lost*100 > s.passable*must.lost {
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
