package butler

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// The claim detector: a logistic regression for each kind of claim over runs of
// words and characters, learnt from labelled sentences (testdata) by make claims. A
// sentence claims too much unless it claims nothing of any kind that is not proved
// (noisy or), so that it is enough for the sentences to say whether they claim more
// than some evidence, not what. Sources: Jurafsky and Martin, Speech and Language
// Processing, on logistic regression; Duchi, Hazan and Singer, Adaptive Subgradient
// Methods, JMLR 2011, for the rate; Weinberger and others, Feature Hashing, ICML 2009.

// featureBits is how many bits of a feature's hash choose its weight.
const featureBits = 22

// classifier holds, a feature, a weight for each kind of claim.
type classifier struct {
	lessons  [sha256.Size]byte // digest of what it was learnt from
	features []uint32          // ascending
	weights  [][kinds]int8
	scale    float64        // of a weight
	bias     [kinds]float64 // of a sentence of which nothing is known
}

//go:embed claims.weights
var weightsFile []byte

// learnt is what was learnt last.
//
//nolint:gochecknoglobals // read once a process, never written
var learnt = sync.OnceValue(func() classifier {
	c, err := readClassifier(weightsFile)
	if err != nil {
		panic(err) // a test reads it too
	}
	return c
})

// readClassifier reads what classifier.encode wrote: the digest of the lessons, the
// bits of the scale and of the biases (float32), then each feature (uint32) with its
// weights (int8), little-endian.
func readClassifier(raw []byte) (classifier, error) {
	const head, each = sha256.Size + 4 + 4*int(kinds), 4 + int(kinds)
	if len(raw) < head || (len(raw)-head)%each != 0 {
		return classifier{}, fmt.Errorf("weights of the claim gate: %d bytes", len(raw))
	}
	float := func(at int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[at:])))
	}
	c := classifier{lessons: [sha256.Size]byte(raw), scale: float(sha256.Size)}
	for k := range c.bias {
		c.bias[k] = float(sha256.Size + 4 + 4*k)
	}
	for row := range slices.Chunk(raw[head:], each) {
		var w [kinds]int8
		for k := range w {
			w[k] = int8(row[4+k]) //nolint:gosec // a byte as it was written
		}
		c.features, c.weights = append(c.features, binary.LittleEndian.Uint32(row)), append(c.weights, w)
	}
	if !slices.IsSorted(c.features) {
		return classifier{}, errors.New("weights of the claim gate: not in order")
	}
	return c, nil
}

func (c classifier) encode() []byte {
	out := binary.LittleEndian.AppendUint32(c.lessons[:], math.Float32bits(float32(c.scale)))
	for _, b := range c.bias {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(b)))
	}
	for i, f := range c.features {
		out = binary.LittleEndian.AppendUint32(out, f)
		for _, w := range c.weights[i] {
			out = append(out, byte(w)) //nolint:gosec // as it is read
		}
	}
	return out
}

// score is how likely a sentence with these features claims something of a kind
// that is not proved, 0 to 1.
func (c classifier) score(features []uint32, proved [kinds]bool) float64 {
	var sums [kinds]float64
	for _, f := range features {
		if i, ok := slices.BinarySearch(c.features, f); ok {
			for k, w := range c.weights[i] {
				sums[k] += float64(w)
			}
		}
	}
	innocent := 1.0
	for k, sum := range sums {
		if !proved[k] {
			innocent *= 1 - logistic(c.bias[k], c.scale*sum, len(features))
		}
	}
	return 1 - innocent
}

// logistic turns a sum of weights into a probability. Long sentences have more
// features, which say less each.
func logistic(bias, sum float64, features int) float64 {
	return 1 / (1 + math.Exp(-bias-sum/math.Sqrt(float64(max(features, 1)))))
}

var anyNumber = regexp.MustCompile(`\d+`)

// features hashes what the classifier looks at: the sentence without names,
// quotations and figures, but knowing which versions exist.
func (l logged) features(sentence string, names *regexp.Regexp) []uint32 {
	if names != nil {
		sentence = names.ReplaceAllString(sentence, "Ⓝ")
	}
	sentence = quotes.ReplaceAllStringFunc(sentence, func(quote string) string {
		inner := strings.Trim(quote, "「」『』“”\"《》")
		if len([]rune(inner)) <= 3 {
			return inner // a word in quotation marks
		}
		return "□"
	})
	sentence = versionName.ReplaceAllStringFunc(sentence, func(name string) string {
		if l.exists(name) {
			return "Ⓥ"
		}
		return "Ⓦ"
	})
	sentence = anyNumber.ReplaceAllString(strings.ToLower(sentence), "0")
	tokens, chinese := tokensOf(sentence)
	var set featureSet
	run, reach := 3, 4
	if chinese {
		run, reach = 4, 6
	}
	for i := range tokens {
		for n := 1; n <= run && i+n <= len(tokens); n++ {
			set.add("run", tokens[i:i+n]...)
		}
		for d := 2; d <= reach && i+d < len(tokens) && !strings.Contains("，。；！？,;!?", tokens[i+d]); d++ {
			set.add("pair", tokens[i], ending(tokens[i+d]))
		}
		if t := tokens[i]; latin(t) {
			set.add("stem", t[:4])
		}
		for n := 2; n <= 3 && i+n <= len(tokens); n++ {
			if slices.ContainsFunc(tokens[i:i+n], latin) {
				var shape []string
				for _, t := range tokens[i : i+n] {
					shape = append(shape, ending(t))
				}
				set.add("shape", shape...)
			}
		}
	}
	return set.features
}

// featureSet collects features, each once.
type featureSet struct {
	seen     map[uint32]bool
	features []uint32
}

func (s *featureSet) add(sort string, words ...string) {
	sum := fnv.New32a()
	for _, part := range append([]string{sort}, words...) {
		_, _ = sum.Write([]byte(part))
		_, _ = sum.Write([]byte{0})
	}
	f := sum.Sum32()
	f = (f ^ f>>featureBits) & (1<<featureBits - 1)
	if !s.seen[f] {
		if s.seen == nil {
			s.seen = map[uint32]bool{}
		}
		s.seen[f] = true
		s.features = append(s.features, f)
	}
}

// latin says that a token is a word of more than four Latin letters.
func latin(token string) bool { return len(token) > 4 && token[0] < 0x80 }

// ending stands for the words that end alike.
func ending(token string) string {
	if latin(token) {
		return "-" + token[len(token)-2:]
	}
	return token
}

// tokensOf cuts a sentence into words, Chinese characters and marks, and says
// whether it is mostly Chinese.
func tokensOf(s string) (tokens []string, chinese bool) {
	tokens = []string{"^"}
	word, han := "", 0
	flush := func() {
		if word != "" {
			tokens = append(tokens, word)
			word = ""
		}
	}
	for _, r := range s {
		switch {
		case r == '\'' || r == '’':
			word += "'"
		case r < 0x2E80 && unicode.IsLetter(r):
			word += string(r)
		case strings.ContainsRune("*`#_", r): // marks of emphasis
		case r == '\n':
			flush()
			tokens = append(tokens, "\n")
		case unicode.IsSpace(r):
			flush()
		default:
			flush()
			if unicode.Is(unicode.Han, r) {
				han++
			}
			tokens = append(tokens, string(r))
		}
	}
	flush()
	return append(tokens, "$"), han*4 > len(tokens)
}
