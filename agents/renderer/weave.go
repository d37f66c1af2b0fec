package renderer

import (
	"errors"
	"fmt"
	"io"
)

// errWrite says that whoever takes the pictures has gone; it knows why.
var errWrite = errors.New("the pictures are not taken any more")

// weaver joins the pictures of shots: the first ones of a shot are mixed with
// those that the shot before had over.
type weaver struct {
	out     io.Writer
	size    int    // bytes of a picture
	each    func() // called after each picture
	picture []byte
	mixed   []byte
	over    [][]byte
}

func newWeaver(out io.Writer, w, h int, each func()) *weaver {
	size := w * h * 3 / 2
	return &weaver{out: out, size: size, each: each, picture: make([]byte, size), mixed: make([]byte, size)}
}

// shot takes the pictures of one shot from in. The last one stands for those that
// are missing; drawn says how many there were.
func (w *weaver) shot(s shot, in io.Reader) (drawn int, err error) {
	before := w.over
	w.over = nil
	for k := range s.frames + s.over {
		if drawn == k {
			_, err := io.ReadFull(in, w.picture)
			switch {
			case err == nil:
				drawn++
			case drawn == 0:
				return 0, nil
			case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
				return drawn, fmt.Errorf("read pictures: %w", err)
			}
		}
		if k >= s.frames {
			w.over = append(w.over, append([]byte(nil), w.picture...))
			continue
		}
		show := w.picture
		if k < len(before) {
			w.mix(before[k], w.picture, k+1, len(before)+1)
			show = w.mixed
		}
		if _, err := w.out.Write(show); err != nil {
			return drawn, fmt.Errorf("%w: %w", errWrite, err)
		}
		w.each()
	}
	_, err = io.Copy(io.Discard, in)
	return drawn, err
}

// mix is a before the share part/whole of b.
func (w *weaver) mix(a, b []byte, part, whole int) {
	pb := 256 * part / whole
	pa := 256 - pb
	a, b = a[:len(w.mixed)], b[:len(w.mixed)]
	for i := range w.mixed {
		w.mixed[i] = byte((int(a[i])*pa + int(b[i])*pb) >> 8)
	}
}
