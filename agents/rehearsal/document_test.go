package rehearsal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sozai/domain"
)

func gene(search, steer string, roles ...string) geneView {
	doc := func(text, role string) docView {
		d := docView{Text: text}
		for _, l := range strings.Split(text, "\n") {
			d.Lines = append(d.Lines, lineView{Text: l, Role: role})
		}
		return d
	}
	role := "person"
	if len(roles) > 0 {
		role = roles[0]
	}
	return geneView{Version: 3, Search: doc(search, role), Steer: doc(steer, role)}
}

func aimed(text string, object domain.Ref, feedback ...string) []targeted {
	var out []targeted
	want, _ := wishes(text)
	for _, w := range want {
		out = append(out, targeted{wish: w, docs: documents(w, object), feedback: feedback})
	}
	return out
}

func TestDraftAddsBelowPersonsLines(t *testing.T) {
	t.Parallel()
	g := gene("- 末日塔防\n- 要有丧尸", "竖屏")
	c := draft(g, aimed("爆炸感不够", domain.Ref{Type: domain.Material, ID: "M"}, "F1"), true)
	if c.steer != nil || c.search == nil {
		t.Fatalf("a material speaks to the search document only: %+v", c)
	}
	want := "- 末日塔防\n- 要有丧尸\n- 优先找有大爆炸、冲击波和碎片飞溅的素材，爆炸要占满画面"
	if diff := cmp.Diff(want, *c.search); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff([]usedInput{{"F1", domain.Search}}, cite(c)); diff != "" {
		t.Fatal(diff)
	}
}

func TestDraftKeepsTheDocumentsLanguage(t *testing.T) {
	t.Parallel()
	c := draft(gene("Apocalypse tower defence", "Vertical only"), aimed("片子节奏太慢", domain.Ref{Type: domain.Film, ID: "F"}), true)
	if c.search != nil || c.steer == nil || chinese((*c.steer)[len("Vertical only"):]) {
		t.Fatalf("got %+v", c)
	}
}

func TestDraftTurnsAnOwnLineAround(t *testing.T) {
	t.Parallel()
	n := find("节奏")
	own := n.line(domain.Steer, more, true)
	c := draft(gene("x", own, "butler"), aimed("节奏太快", domain.Ref{Type: domain.Film, ID: "F"}), true)
	if c.steer == nil || *c.steer != n.line(domain.Steer, less, true) {
		t.Fatalf("the butler's own opposite line must give way: %+v", c)
	}
	c = draft(gene("x", own, "person"), aimed("节奏太快", domain.Ref{Type: domain.Film, ID: "F"}), true)
	if c.steer == nil || !strings.HasPrefix(*c.steer, own+"\n") {
		t.Fatalf("a person's line must stay: %+v", c)
	}
}

func TestDraftRepeatsNothing(t *testing.T) {
	t.Parallel()
	line := find("爆炸").line(domain.Search, more, true)
	film := domain.Ref{Type: domain.Material, ID: "M"}
	first := draft(gene(line, "y"), aimed("爆炸感不够", film), true)
	if first.search == nil || !strings.HasSuffix(*first.search, "按反馈：爆炸感不够") {
		t.Fatalf("a rule that stands already is sharpened by the person's words: %+v", first)
	}
	second := draft(gene(*first.search, "y"), aimed("爆炸感不够", film), true)
	if !second.empty() || len(second.already) == 0 {
		t.Fatalf("the same words a third time change nothing: %+v", second)
	}
}

func TestOppositeWishesAreLeftToPeople(t *testing.T) {
	t.Parallel()
	film := domain.Ref{Type: domain.Film, ID: "F"}
	c := draft(gene("x", "y"), append(aimed("节奏太慢", film), aimed("节奏太快", film)...), true)
	if !c.empty() || cmp.Diff([]string{"节奏"}, c.disputed) != "" {
		t.Fatalf("got %+v", c)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		words string
		want  domain.Constraints
	}{
		{"控制在15秒以内", domain.Constraints{MaxFilmSeconds: 15}},
		{"films must be at most 20 seconds", domain.Constraints{MaxFilmSeconds: 20}},
		{"成片不超过 30 秒", domain.Constraints{MaxFilmSeconds: 30}},
		{"要竖屏", domain.Constraints{Aspect: "9:16"}},
		{"landscape please", domain.Constraints{Aspect: "16:9"}},
		{"前 3 秒要有爆炸", domain.Constraints{}},
		{"单个镜头不超过 2 秒", domain.Constraints{}},
	} {
		k, ok := limits(tc.words, domain.Constraints{}, true)
		if ok != (tc.want != domain.Constraints{}) || k.constraints != tc.want {
			t.Errorf("%q: %+v %t", tc.words, k, ok)
		}
	}
	if _, ok := limits("控制在15秒以内", domain.Constraints{MaxFilmSeconds: 15}, true); ok {
		t.Error("a limit that stands is no change")
	}
}

// Whatever people say and whatever stands in the gene: each line that is not
// the butler's own stands unchanged, in order, in every draft.
func TestDraftNeverTouchesAPersonsLine(t *testing.T) {
	t.Parallel()
	texts := rapid.SampledFrom([]string{
		"爆炸感不够", "节奏太快", "太慢", "less text", "more music", "转场太花", "画面太暗", "控制在15秒以内", "希望多一点雨夜霓虹", "音乐不错但是角色太弱",
	})
	lines := rapid.SampledFrom([]string{
		"末日塔防", "- 要有丧尸", "", "  竖屏  ", "Prefer fast-paced clips: a cut or a big movement within the first 3 seconds",
		"节奏加快：3 秒内出现第一个变化，单个镜头不超过 2.5 秒", "优先找有大爆炸、冲击波和碎片飞溅的素材，爆炸要占满画面",
	})
	rapid.Check(t, func(t *rapid.T) {
		var g geneView
		for _, d := range []*docView{&g.Search, &g.Steer} {
			list := rapid.SliceOfN(lines, 0, 6).Draw(t, "lines")
			d.Text = strings.Join(list, "\n")
			for _, l := range list {
				d.Lines = append(d.Lines, lineView{Text: l, Role: rapid.SampledFrom([]string{"person", "butler", ""}).Draw(t, "role")})
			}
		}
		object := domain.Ref{Type: rapid.SampledFrom([]domain.ObjectType{domain.Material, domain.Film, domain.Whole}).Draw(t, "object"), ID: "X"}
		var list []targeted
		for range rapid.IntRange(1, 4).Draw(t, "n") {
			list = append(list, aimed(texts.Draw(t, "text"), object)...)
		}
		c := draft(g, list, true)
		for _, p := range []struct {
			doc  docView
			next *string
		}{{g.Search, c.search}, {g.Steer, c.steer}} {
			if p.next == nil {
				continue
			}
			rest := strings.Split(*p.next, "\n")
			for _, l := range linesOf(p.doc) {
				if l.ownedByButler() || strings.TrimSpace(l.Text) == "" {
					continue
				}
				at := -1
				for i, r := range rest {
					if r == l.Text {
						at = i
						break
					}
				}
				if at < 0 {
					t.Fatalf("line %q is gone from %q", l.Text, *p.next)
				}
				rest = rest[at+1:]
			}
		}
	})
}
