package butler

import (
	"crypto/sha256"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestClassifierReadsWhatItWrote(t *testing.T) {
	t.Parallel()
	c := classifier{
		lessons: sha256.Sum256([]byte("lessons")), scale: 0.25, bias: [kinds]float64{-1, 2},
		features: []uint32{3, 70_000}, weights: [][kinds]int8{{1, -2, 3, -4, 5, -6, 127}, {-127}},
	}
	got, err := readClassifier(c.encode())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got, cmp.AllowUnexported(classifier{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again, err := readClassifier(weightsFile); err != nil || !cmp.Equal(again.encode(), weightsFile) {
		t.Errorf("the stored weights are not what they would be written as: %v", err)
	}
	raw := c.encode()
	head := len(raw) - 22
	swapped := append(append(append([]byte{}, raw[:head]...), raw[head+11:]...), raw[head:head+11]...)
	for name, raw := range map[string][]byte{"empty": nil, "cut off": raw[:len(raw)-1], "not in order": swapped} {
		if _, err := readClassifier(raw); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// More evidence never makes a sentence more doubtful, and no text breaks the
// classifier.
func TestMoreEvidenceIsNeverLess(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := logged{}.features(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"我已经记下你的意见，卡也提了。", "I've placed the order and watched the clip.", "搞定 ✅", "规则现在写的是硬切优先。",
		})).Draw(t, "sentence"), nil)
		var less, more [kinds]bool
		for k := range kindNever {
			less[k] = rapid.Bool().Draw(t, "proved")
			more[k] = less[k] || rapid.Bool().Draw(t, "proved too")
		}
		a, b := learnt().score(f, less), learnt().score(f, more)
		if !(0 <= b && b <= a && a <= 1) {
			t.Fatalf("%v with %v, %v with %v", a, less, b, more)
		}
	})
}
