package rehearsal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
)

// wanted shows a wish as "key+" or "key-", or its own words.
func wanted(ws []wish) []string {
	out := []string{}
	for _, w := range ws {
		switch {
		case w.notion == nil:
			out = append(out, "“"+w.words+"”")
		case w.aim == less:
			out = append(out, w.notion.key+"-")
		default:
			out = append(out, w.notion.key+"+")
		}
	}
	return out
}

func TestWishes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want []string
		like int
	}{
		{"爆炸感不够", []string{"explosions+"}, 0},
		{"爆炸感不够，节奏也慢", []string{"explosions+", "pace+"}, 0},
		{"too slow, want more explosions", []string{"pace+", "explosions+"}, 0},
		{"不要转场太花", []string{"transitions-"}, 0},
		{"节奏再快一点", []string{"pace+"}, 0},
		{"节奏太快了，看不清", []string{"pace-", "clarity+"}, 0},
		{"放慢一点", []string{"pace-"}, 0},
		{"less text", []string{"captions-"}, 0},
		{"less text and more music", []string{"captions-", "music+"}, 0},
		{"字幕太多", []string{"captions-"}, 0},
		{"字幕太小看不清", []string{"captions+"}, 0},
		{"音乐太吵了", []string{"music-"}, 0},
		{"配乐再燃一点，开头不够抓人", []string{"music+", "hook+"}, 0},
		{"the opening is weak", []string{"hook+"}, 0},
		{"It drags. Don't be so boring!", []string{"pace+", "humour+"}, 0},
		{"画面太暗", []string{"colour+"}, 0},
		{"画面太亮", []string{"colour-"}, 0},
		{"the picture is too dark", []string{"colour+"}, 0},
		{"镜头太抖", []string{"camera-"}, 0},
		{"角色不够突出", []string{"character+"}, 0},
		{"show the hero earlier", []string{"character+"}, 0},
		{"太长了，控制在15秒以内", []string{"length-", "“控制在15秒以内”"}, 0},
		{"音乐不错", []string{}, 1},
		{"I like the ending", []string{}, 1},
		{"音乐不错，但是爆炸感不够", []string{"explosions+"}, 1},
		{"不喜欢这个转场", []string{"transitions-"}, 0},
		{"不要出现真人口播的广告腔", []string{"character-"}, 0},
		{"希望多一点雨夜霓虹的感觉", []string{"“希望多一点雨夜霓虹的感觉”"}, 0},
		{"please use a purple logo instead", []string{"“use a purple logo instead”"}, 0},
		{"你好", []string{}, 0},
		{"谢谢，辛苦了", []string{}, 0},
		{"", []string{}, 0},
		{"，。！", []string{}, 0},
	} {
		want, liked := wishes(tc.text)
		if diff := cmp.Diff(tc.want, wanted(want)); diff != "" {
			t.Errorf("%q: %s", tc.text, diff)
		}
		if len(liked) != tc.like {
			t.Errorf("%q: %d likes, want %d", tc.text, len(liked), tc.like)
		}
	}
}

// Every notion has a rule for both documents, ways and languages, and no two
// rules of a document are the same sentence by accident.
func TestLexiconIsComplete(t *testing.T) {
	t.Parallel()
	owner := map[string]string{}
	for _, n := range notions {
		if len(n.zh) == 0 || len(n.en) == 0 || n.name.zh == "" || n.name.en == "" {
			t.Errorf("%s lacks words or a name", n.key)
		}
		for _, w := range append(append([]string{}, n.zh...), n.en...) {
			if w != strings.ToLower(w) {
				t.Errorf("%s: %q is not in lower case and never matches", n.key, w)
			}
		}
		for _, d := range []domain.Document{domain.Search, domain.Steer} {
			for _, a := range []aim{more, less} {
				for _, zh := range []bool{true, false} {
					line := n.line(d, a, zh)
					if line == "" || chinese(line) != zh {
						t.Errorf("%s %s %d zh=%t: %q", n.key, d, a, zh, line)
					}
					if other := owner[string(d)+line]; other != "" && other != n.key {
						t.Errorf("%s and %s share %q", n.key, other, line)
					}
					owner[string(d)+line] = n.key
				}
			}
		}
	}
}
