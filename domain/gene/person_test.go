package gene_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain/gene"
)

// broken names the lines of Ann and of the butler (those that begin with =) that
// a proposal breaks.
func broken(document []string, proposed string) []string {
	var lines []gene.Line
	for _, text := range document {
		if text[0] == '=' {
			lines = append(lines, butler(text[1:]))
		} else {
			lines = append(lines, ann(text))
		}
	}
	var texts []string
	for _, line := range gene.CheckPersonLines(lines, proposed) {
		texts = append(texts, line.Text)
	}
	return texts
}

type proposalCase struct {
	name     string
	document []string
	proposed string
	broken   []string
}

func run(t *testing.T, cases []proposalCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.broken, broken(c.document, c.proposed)); diff != "" {
				t.Fatalf("%q over %q breaks (-want +got):\n%s", c.proposed, c.document, diff)
			}
		})
	}
}

func TestPersonRule1_EveryLineKeepsALineOfItsOwn(t *testing.T) {
	t.Parallel()
	run(t, []proposalCase{
		{"unchanged", []string{"竖屏", "爆破镜头"}, "竖屏\n爆破镜头", nil},
		{"removed", []string{"竖屏", "爆破镜头"}, "竖屏", []string{"爆破镜头"}},
		{"all removed, in order", []string{"竖屏", "爆破镜头"}, "", []string{"竖屏", "爆破镜头"}},
		{"word removed", []string{"爆破镜头多"}, "爆破镜头", []string{"爆破镜头多"}},
		{"word replaced", []string{"use red light"}, "use blue light", []string{"use red light"}},
		{"order turned", []string{"先火光后爆破"}, "先爆破后火光", []string{"先火光后爆破"}},
		{"part of a word", []string{"use red light"}, "reuse redlight", []string{"use red light"}},
		{"number changed", []string{"15 秒以内"}, "150 秒以内", []string{"15 秒以内"}},
		{"symbol removed", []string{"≤15 秒"}, "15 秒", []string{"≤15 秒"}},
		{"percent removed", []string{"30% 近景"}, "30 近景", []string{"30% 近景"}},
		{"two in one", []string{"红色", "蓝色"}, "红色和蓝色", []string{"蓝色"}},
		{"twice the same, one left", []string{"红色", "红色"}, "红色\n竖屏", []string{"红色"}},
		{"a butler's may go", []string{"=火光", "竖屏"}, "竖屏", nil},
		{"nothing of people", []string{"=火光"}, "", nil},
		// Given first come, first served the short line would take the only line that can hold the long one.
		{"best match", []string{"红", "红 近景"}, "红 大近景\n红 大", nil},
	})
}

func TestPersonRule2_WordsMayBeAdded(t *testing.T) {
	t.Parallel()
	run(t, []proposalCase{
		{"before, inside, behind", []string{"爆破镜头"}, "多用爆破近景镜头，三秒内", nil},
		{"capitals and punctuation", []string{"Use RED light!"}, "use, red (warm) light", nil},
		{"full-width forms", []string{"ＡＢ 15"}, "ab 15 秒", nil},
		{"list mark", []string{"- 竖屏"}, "* 竖屏 9:16", nil},
		{"kana and hangul", []string{"かわいい 음악"}, "もっと かわいい 밝은 음악", nil},
		{"emoji kept", []string{"多点🔥"}, "开头多点🔥🔥", nil},
	})
}

func TestPersonRule3_NegationsDilute(t *testing.T) {
	t.Parallel()
	run(t, []proposalCase{
		{"in front", []string{"爆破镜头"}, "不要爆破镜头", []string{"爆破镜头"}},
		{"inside", []string{"用爆破镜头"}, "用少量爆破镜头", []string{"用爆破镜头"}},
		{"behind", []string{"爆破镜头"}, "爆破镜头禁止", []string{"爆破镜头"}},
		{"two characters", []string{"爆破镜头"}, "避免爆破镜头", []string{"爆破镜头"}},
		{"half of it the person's", []string{"止痛画面"}, "禁止痛画面", []string{"止痛画面"}},
		{"replaced", []string{"红色"}, "蓝色代替红色", []string{"红色"}},
		{"English", []string{"use red light"}, "Never use red light", []string{"use red light"}},
		{"contraction", []string{"use red light"}, "don’t use red light", []string{"use red light"}},
		{"less", []string{"red light"}, "less red light", []string{"red light"}},
		{"one more than the person's", []string{"不用蓝色"}, "不是不用蓝色", []string{"不用蓝色"}},
		{"the person's own", []string{"不用蓝色"}, "画面不用蓝色滤镜", nil},
		{"harmless words", []string{"爆破镜头"}, "特别是爆破镜头，至少三个，非常近", nil},
		{"not harmless with the person's", []string{"常用红色"}, "非常用红色", []string{"常用红色"}},
		{"in a line of its own", []string{"爆破镜头"}, "爆破镜头\n不要慢镜头", nil},
		{"word that holds one", []string{"red light"}, "notable red light, nonetheless", nil},
	})
}

func TestPersonRule4_LinesMayBeMoved(t *testing.T) {
	t.Parallel()
	run(t, []proposalCase{
		{"moved", []string{"竖屏", "爆破镜头", "慢"}, "慢\n\n爆破镜头\n竖屏", nil},
		{"under a heading", []string{"竖屏", "爆破镜头"}, "画面：\n竖屏\n爆破镜头", nil},
		{"under a turning heading", []string{"竖屏", "爆破镜头"}, "竖屏\n避免：\n爆破镜头", []string{"爆破镜头"}},
		{"under a turning title", []string{"竖屏", "爆破镜头"}, "竖屏\n## Never\n\n爆破镜头", []string{"爆破镜头"}},
		{"behind its end", []string{"爆破镜头"}, "避免：\n慢\n\n爆破镜头", nil},
		{"under the person's own", []string{"避免：", "爆破镜头"}, "避免：\n爆破镜头\n慢", nil},
		{"to another of them", []string{"少用：", "慢", "禁止：", "红"}, "少用：\n慢\n红\n禁止：\n火", []string{"红"}},
	})
}

func TestLinesWithoutWordsAreNotProtected(t *testing.T) {
	t.Parallel()
	run(t, []proposalCase{{"ruler", []string{"竖屏", "---"}, "竖屏\n火光", nil}})
}
