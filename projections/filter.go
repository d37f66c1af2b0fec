package projections

// filter remembers that something was written, as a Bloom filter that grows: what
// it does not have was never added; of what it has, about one in a hundred was
// not. The zero filter is empty.
type filter struct {
	layers []layer
}

// layer is a Bloom filter of a fixed size.
type layer struct {
	bits []uint64
	left int // keys until it is full
}

const (
	firstLayer = 1 << 12 // keys; each further layer takes twice as many
	bitsAKey   = 12
	probes     = 6
)

func (f *filter) add(h uint64) {
	if n := len(f.layers); n == 0 || f.layers[n-1].left == 0 {
		keys := firstLayer << n
		f.layers = append(f.layers, layer{bits: make([]uint64, keys*bitsAKey/64), left: keys})
	}
	l := &f.layers[len(f.layers)-1]
	l.left--
	for i := range uint64(probes) {
		bit := probe(h, i, len(l.bits))
		l.bits[bit/64] |= 1 << (bit % 64)
	}
}

func (f *filter) has(h uint64) bool {
	for _, l := range f.layers {
		if l.has(h) {
			return true
		}
	}
	return false
}

func (l layer) has(h uint64) bool {
	for i := range uint64(probes) {
		bit := probe(h, i, len(l.bits))
		if l.bits[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
	}
	return true
}

// probe gives the i-th bit of a hash.
func probe(h, i uint64, words int) uint64 {
	step := h>>32 | 1
	return (h + i*step*0x9e3779b97f4a7c15) % uint64(words*64)
}
