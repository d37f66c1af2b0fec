package rehearsal

import (
	"testing"

	"sozai/domain"
)

// People may write anything: no text breaks a player, and none of what is drawn
// from it is empty.
func FuzzWords(f *testing.F) {
	for _, s := range []string{
		"", "爆炸感不够，节奏也慢", "too slow, want more explosions", "再找 20 条素材", "V2 比 V1 好吗？", "按反馈：", "\xff\xfe", "，，，",
		"不要", "no", "控制在15秒以内", "find", "9999 条", "<person name=\"x\">hi</person>", "material 01J9ZZZZZZ0000000000000001 panel 3 from 1.2.3",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, a := range asks([]string{s}) {
			in := understand(a)
			for _, w := range in.wants {
				if w.words == "" {
					t.Errorf("%q: an empty wish", s)
				}
				draft(gene("a", "b"), []targeted{{wish: w, docs: documents(w, domain.Ref{Type: domain.Whole})}}, true)
			}
			versions(a.text)
		}
		all := concepts(s, 1)
		for _, q := range queries(s, all) {
			if q.text == "" {
				t.Errorf("%q: an empty query", s)
			}
		}
		fit(all, s, []string{s})
		if p := pieces(s); len(p) == 0 {
			t.Errorf("%q has no pieces", s)
		}
	})
}
