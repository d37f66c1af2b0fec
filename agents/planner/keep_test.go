package planner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/feedback"
	"sozai/domain/library"
)

// kept is a shorthand for panels that stay with one strength.
func kept(s Strength, panels ...int) map[int]Strength {
	out := map[int]Strength{}
	for _, p := range panels {
		out[p] = s
	}
	return out
}

func TestWishOfTheRequest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Wishes{
		"":                                                       {},
		"节奏快一点，开场更猛":                                             {},
		"保留第 5 格":                                                {Keep: kept(Ordered, 5)},
		"保留第5格，其他格节奏加快":                                          {Keep: kept(Ordered, 5), Change: []int{1, 2, 3, 4, 6, 7, 8}},
		"第 5 格很好，不要动":                                            {Keep: kept(Ordered, 5)},
		"第五格留着，第 3 格换成爆炸":                                        {Keep: kept(Ordered, 5), Change: []int{3}},
		"第1、3到5格不变":                                              {Keep: kept(Ordered, 1, 3, 4, 5)},
		"第 2 格和第 7 格保留":                                          {Keep: kept(Ordered, 2, 7)},
		"只改第 3 格":                                                {Keep: kept(Ordered, 1, 2, 4, 5, 6, 7, 8), Change: []int{3}},
		"除了第 3 格，其余不变":                                           {Keep: kept(Ordered, 1, 2, 4, 5, 6, 7, 8), Change: []int{3}},
		"把第 3 格换掉，别的不动":                                          {Keep: kept(Ordered, 1, 2, 4, 5, 6, 7, 8), Change: []int{3}},
		"前 3 格保留，最后一格重做":                                         {Keep: kept(Ordered, 1, 2, 3), Change: []int{8}},
		"第 5 格不用保留":                                              {Change: []int{5}},
		"保留第 5 格，但第 5 格字幕太长":                                     {Change: []int{5}},
		"第 12 格保留":                                               {}, // there is none
		"保留第5格把第3格换掉":                                            {Keep: kept(Ordered, 5), Change: []int{3}},
		"keep panel 5":                                           {Keep: kept(Ordered, 5)},
		"Keep panels 1, 3 and 5-7 as they are":                   {Keep: kept(Ordered, 1, 3, 5, 6, 7)},
		"Replace panel 3 and keep the rest":                      {Keep: kept(Ordered, 1, 2, 4, 5, 6, 7, 8), Change: []int{3}},
		"keep everything except panel 3":                         {Keep: kept(Ordered, 1, 2, 4, 5, 6, 7, 8), Change: []int{3}},
		"Don't touch the fifth panel; the last shot is too slow": {Keep: kept(Ordered, 5), Change: []int{8}},
		"panel 4: leave it. Make it 15 s long":                   {Keep: kept(Ordered, 4)},
		"全部保留，只换第 2 格的字幕":                                        {Keep: kept(Ordered, 1, 3, 4, 5, 6, 7, 8), Change: []int{2}},
		"第 5 秒开始要有爆炸":                                            {},
	} {
		if want.Keep == nil {
			want.Keep = map[int]Strength{}
		}
		if diff := cmp.Diff(want, Wish(8, text, nil, nil)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestWishOfCitedPanels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		cited []int
		want  Wishes
	}{
		{"这一格保留", []int{5}, Wishes{Keep: kept(Ordered, 5)}},
		{"太慢了，换成爆炸", []int{3}, Wishes{Keep: kept(Weak, 1, 2, 4, 5, 6), Change: []int{3}}},
		{"来个爆炸", []int{3}, Wishes{Keep: kept(Weak, 1, 2, 4, 5, 6), Change: []int{3}}},
		{"换成爆炸，整体再快一点", []int{3}, Wishes{Keep: kept(Weak), Change: []int{3}}},
		{"保留第 5 格，节奏加快", []int{5}, Wishes{Keep: kept(Ordered, 5)}},
		{"其余重做", []int{3}, Wishes{Keep: kept(Ordered, 3), Change: []int{1, 2, 4, 5, 6}}},
		{"", []int{3}, Wishes{Keep: kept(Weak)}},
	} {
		if diff := cmp.Diff(c.want, Wish(6, c.text, c.cited, nil)); diff != "" {
			t.Errorf("%q of %v: %s", c.text, c.cited, diff)
		}
	}
}

func TestWishOfWhatWasSaid(t *testing.T) {
	t.Parallel()
	like, dislike := feedback.Like, feedback.Dislike
	for name, c := range map[string]struct {
		request string
		said    []Said // newest first
		want    Wishes
	}{
		"a like keeps weakly":        {"", []Said{{5, like, ""}}, Wishes{Keep: kept(Weak, 5)}},
		"likes are counted":          {"", []Said{{5, like, ""}, {5, dislike, ""}, {5, dislike, ""}}, Wishes{Keep: kept(Weak), Change: []int{5}}},
		"as many of each say naught": {"", []Said{{5, like, ""}, {5, dislike, ""}}, Wishes{Keep: kept(Weak)}},
		"words outweigh clicks":      {"", []Said{{5, like, ""}, {5, like, ""}, {5, like, ""}, {5, dislike, "太慢"}}, Wishes{Keep: kept(Weak), Change: []int{5}}},
		"the newest words count":     {"", []Said{{5, "", "这一格很好，保留"}, {5, "", "太慢"}}, Wishes{Keep: kept(Strong, 5)}},
		"praise keeps":               {"", []Said{{2, "", "I love it"}}, Wishes{Keep: kept(Strong, 2)}},
		"praise with a but":          {"", []Said{{2, like, "很好，但字幕太小"}}, Wishes{Keep: kept(Weak), Change: []int{2}}},
		"a like with other words":    {"", []Said{{2, like, "第一次看到这个"}}, Wishes{Keep: kept(Weak, 2)}},
		"of the whole, by number":    {"", []Said{{0, "", "第 4 格保留，节奏太慢"}}, Wishes{Keep: kept(Strong, 4)}},
		"a like of the whole":        {"", []Said{{0, like, ""}}, Wishes{Keep: kept(Weak)}},
		"the order outweighs":        {"第 5 格重做", []Said{{5, like, "保留"}}, Wishes{Keep: kept(Weak), Change: []int{5}}},
		"the rest of what is liked":  {"其余重做", []Said{{2, like, ""}, {5, like, ""}}, Wishes{Keep: kept(Weak, 2, 5), Change: []int{1, 3, 4, 6}}},
		"in English":                 {"Redo the rest", []Said{{2, like, ""}, {5, dislike, ""}}, Wishes{Keep: kept(Weak, 2), Change: []int{1, 3, 4, 5, 6}}},
		"the liked ones, said":       {"点赞的保留，剩下的都换掉", []Said{{2, like, ""}}, Wishes{Keep: kept(Weak, 2), Change: []int{1, 3, 4, 5, 6}}},
		"the rest of what is good":   {"其他的重做", []Said{{4, "", "这一格很好"}, {1, like, "太慢"}}, Wishes{Keep: kept(Strong, 4), Change: []int{1, 2, 3, 5, 6}}},
		"the rest of nothing":        {"其余重做", nil, Wishes{Keep: kept(Weak), Change: []int{1, 2, 3, 4, 5, 6}}},
		"the rest of what is named":  {"保留第 4 格，其余重做", []Said{{2, like, ""}}, Wishes{Keep: kept(Ordered, 4), Change: []int{1, 2, 3, 5, 6}}},
		"beyond the board":           {"", []Said{{9, like, "保留"}}, Wishes{Keep: kept(Weak)}},
	} {
		if diff := cmp.Diff(c.want, Wish(6, c.request, nil, c.said)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestWhatDoesNotFitGivesWayWeakestFirst(t *testing.T) {
	t.Parallel()
	var panels []library.Panel
	for n := 1; n <= 4; n++ {
		panels = append(panels, library.Panel{Number: n, Seconds: 5, Material: domain.ID(rune('a' + n))})
	}
	w := Wishes{Keep: map[int]Strength{1: Weak, 3: Strong, 4: Ordered}}
	for _, c := range []struct {
		limit   float64
		must    []domain.ID
		kept    []int
		dropped []int
		ok      bool
	}{
		{0, nil, []int{1, 3, 4}, nil, true},
		{15.5, nil, []int{1, 3, 4}, nil, true},    // half a second is left for panel 2
		{15, nil, []int{3, 4}, []int{1}, true},    // and without it the like gives way
		{10.9, nil, []int{3, 4}, []int{1}, false}, // two panels before them need a second
		{15.5, []domain.ID{"x", "y"}, []int{3, 4}, []int{1}, true},
		{15.5, []domain.ID{panels[0].Material}, []int{1, 3, 4}, nil, true}, // it is shown already
	} {
		kept, dropped, ok := fitting(panels, w, c.limit, c.must)
		var numbers []int
		for n := 1; n <= 4; n++ {
			if p, is := kept[n]; is && p == panels[n-1] {
				numbers = append(numbers, n)
			}
		}
		if !cmp.Equal(numbers, c.kept) || !cmp.Equal(dropped, c.dropped) || ok != c.ok {
			t.Errorf("limit %g: kept %v, dropped %v, %t", c.limit, numbers, dropped, ok)
		}
	}
}

func TestPanelsAt(t *testing.T) {
	t.Parallel()
	panels := []library.Panel{{Number: 1, Seconds: 2}, {Number: 2, Seconds: 3}, {Number: 3, Seconds: 1}}
	for _, c := range []struct {
		from, to float64
		want     []int
	}{
		{0, 2, []int{1}}, {1.5, 2.5, []int{1, 2}}, {2, 0, []int{2}}, {5, 6, []int{3}}, {0, 60, []int{1, 2, 3}}, {9, 10, nil},
	} {
		if got := panelsAt(panels, c.from, c.to); !cmp.Equal(got, c.want) {
			t.Errorf("%g to %g: %v", c.from, c.to, got)
		}
	}
}

// Words come from people: whatever they write, reading them ends and names only
// panels that there are.
func FuzzWish(f *testing.F) {
	f.Add("保留第 1、3 到 99 格\x01\x02，其余 change panels 2-400 and the last shot")
	f.Fuzz(func(t *testing.T, text string) {
		w := Wish(7, text, []int{2, 90}, []Said{{3, feedback.Like, text}})
		for p := range w.Keep {
			if p < 1 || p > 7 {
				t.Fatalf("%q keeps panel %d", text, p)
			}
		}
		for _, p := range w.Change {
			if p < 1 || p > 7 || w.Keep[p] > 0 {
				t.Fatalf("%q changes panel %d", text, p)
			}
		}
	})
}
