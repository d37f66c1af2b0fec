package butler

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

var train = flag.Bool("train", false, "learn the weights of the claim gate anew, and say how well they do on sentences left out")

// TestTrain learns the weights, with -train. It first leaves out a fifth of the
// sentences at a time, to say how well the gate does on what it has not learnt.
func TestTrain(t *testing.T) {
	if !*train {
		t.Skip("only with -train")
	}
	var all []example
	parts := make([][]example, 5)
	rows := make([][]corpusRow, len(parts))
	for i, row := range corpus(t, "testdata/claims.tsv") {
		e := examplesOf(row)
		part := i / 40 % len(parts) // neighbours were written in one go
		all, parts[part], rows[part] = append(all, e...), append(parts[part], e...), append(rows[part], row)
	}
	var s score
	for out := range parts {
		c := learn(slices.Concat(slices.Concat(parts[:out]...), slices.Concat(parts[out+1:]...)))
		for _, row := range rows[out] {
			s.count(row.hold, evidenceOf(row.evidence).doubts(c, row.sentence, people))
		}
	}
	t.Logf("left out: withheld %d of %d false claims, %d of %d true sentences", s.held, s.holdable, s.lost, s.passable)
	c := learn(all)
	c.lessons = digestOfLessons(t)
	if err := os.WriteFile("claims.weights", c.encode(), 0o644); err != nil { //nolint:gosec // part of the source
		t.Fatal(err)
	}
}

// TestWeightsAreCurrent holds the stored weights to the stored sentences and to
// what the classifier looks at.
func TestWeightsAreCurrent(t *testing.T) {
	t.Parallel()
	if learnt().lessons != digestOfLessons(t) {
		t.Error("claims.weights was learnt from other sentences, or from other features of them: run make claims")
	}
}

// digestOfLessons is over all sentences, and over what is looked at in some.
func digestOfLessons(t *testing.T) [sha256.Size]byte {
	t.Helper()
	sum := sha256.New()
	for i, row := range corpus(t, "testdata/claims.tsv") {
		_, _ = fmt.Fprintln(sum, row)
		if i%20 == 0 {
			for _, x := range examplesOf(row) {
				_, _ = fmt.Fprintln(sum, x)
			}
		}
	}
	return [sha256.Size]byte(sum.Sum(nil))
}

// example is what the classifier learns from.
type example struct {
	features []uint32
	length   int // of features, with those too rare to learn
	proved   [kinds]bool
	hold     bool
}

// examplesOf is a labelled sentence and what follows from it: a claim that some
// evidence does not prove is not proved by none, and of several sentences that may
// be shown each may.
func examplesOf(row corpusRow) []example {
	e := evidenceOf(row.evidence)
	of := func(sentence string, proved [kinds]bool) example {
		f := e.logged.features(sentence, people)
		return example{f, len(f), proved, row.hold}
	}
	out := []example{of(row.sentence, e.now())}
	if row.hold {
		if row.evidence != "-" {
			out = append(out, of(row.sentence, [kinds]bool{}))
		}
		return out
	}
	if several, rest := splitSentences(row.sentence); len(several) > 1 || rest != "" {
		for _, sentence := range append(several, rest) {
			if !wordless(sentence) {
				out = append(out, of(sentence, e.now()))
			}
		}
	}
	return out
}

// learn fits the weights: logistic loss, a small L2 penalty, and a rate a weight
// that falls with what the weight has moved.
func learn(examples []example) classifier {
	const (
		rounds  = 15
		rate    = 0.2
		penalty = 3e-5
		rare    = 6 // features seen less often are not learnt
	)
	seen := make([]int, 1<<featureBits)
	for _, x := range examples {
		for _, f := range x.features {
			seen[f]++
		}
	}
	examples = slices.Clone(examples)
	for i, x := range examples {
		examples[i].features = slices.DeleteFunc(slices.Clone(x.features), func(f uint32) bool { return seen[f] < rare })
	}
	weights := make([][kinds]float32, 1<<featureBits)
	moved := make([][kinds]float32, len(weights))
	var bias, biasMoved [kinds]float64
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same each time
	for range rounds {
		for _, i := range random.Perm(len(examples)) {
			x := examples[i]
			var p [kinds]float64
			innocent := 1.0
			for k := range kinds {
				sum := 0.0
				for _, f := range x.features {
					sum += float64(weights[f][k])
				}
				p[k] = logistic(bias[k], sum, x.length)
				if !x.proved[k] {
					innocent *= 1 - p[k]
				}
			}
			blame := 1.0
			if x.hold {
				blame = -innocent / max(1-innocent, 1e-6)
			}
			for k := range kinds {
				if x.proved[k] {
					continue
				}
				slope := blame * p[k]
				biasMoved[k] += slope * slope
				bias[k] -= rate * slope / math.Sqrt(biasMoved[k]+1e-8)
				off := float32(slope / math.Sqrt(float64(x.length)))
				for _, f := range x.features {
					slope := off + penalty*weights[f][k]
					moved[f][k] += slope * slope
					weights[f][k] -= rate * slope / float32(math.Sqrt(float64(moved[f][k])+1e-8))
				}
			}
		}
	}
	c := rounded(weights)
	c.bias = bias
	return c
}

// rounded keeps the weights that are not nothing.
func rounded(weights [][kinds]float32) classifier {
	most := float32(0)
	for _, ws := range weights {
		for _, w := range ws {
			most = max(most, w, -w)
		}
	}
	c := classifier{scale: float64(most) / math.MaxInt8}
	for f, ws := range weights {
		var small [kinds]int8
		for k, w := range ws {
			small[k] = int8(math.Round(float64(w) / c.scale))
		}
		if small != [kinds]int8{} {
			c.features, c.weights = append(c.features, uint32(f)), append(c.weights, small) //nolint:gosec // below 1<<featureBits
		}
	}
	return c
}
