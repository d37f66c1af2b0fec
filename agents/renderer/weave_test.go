package renderer

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// Shots follow each other with a fade between them; a shot that ends early stands
// still; every picture is counted.
func TestWeaver(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	n := 0
	w := newWeaver(&out, 2, 2, func() { n++ })
	picture := func(v byte) string { return strings.Repeat(string([]byte{v}), 6) }
	drawn, err := w.shot(shot{frames: 3, over: 3}, strings.NewReader(picture(10)+picture(20)))
	if err != nil || drawn != 2 {
		t.Fatalf("drawn %d, %v", drawn, err)
	}
	if drawn, err = w.shot(shot{frames: 5}, strings.NewReader(strings.Repeat(picture(100), 9))); err != nil || drawn != 5 {
		t.Fatalf("drawn %d, %v", drawn, err)
	}
	var got []byte
	for i := 0; i < out.Len(); i += 6 {
		got = append(got, out.Bytes()[i])
	}
	if want := []byte{10, 20, 20, 40, 60, 80, 100, 100}; !slices.Equal(got, want) || n != len(want) {
		t.Errorf("got %v, %d counted", got, n)
	}
	if drawn, err := w.shot(shot{frames: 1}, strings.NewReader("")); drawn != 0 || err != nil {
		t.Errorf("nothing drew %d, %v", drawn, err)
	}
	gone := newWeaver(failing{}, 2, 2, func() {})
	if _, err := gone.shot(shot{frames: 1}, strings.NewReader(picture(1))); !errors.Is(err, errWrite) {
		t.Errorf("got %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("gone") }

// Loud and soft shots come out about equally loud, silent ones silent, and the
// film has exactly as many samples as pictures need.
func TestMixSound(t *testing.T) {
	t.Parallel()
	f, err := openFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.remove()
	p := plan{frames: 90, shots: []shot{{frames: 30, over: 7}, {frames: 30, over: 7}, {frames: 30}}}
	for i, amplitude := range []float64{0.9, 0.05} { // the third has none
		var raw []byte
		for k := range 37 * block / 2 { // half of what it needs
			raw = binary.LittleEndian.AppendUint16(raw, uint16(int16(32767*amplitude*math.Sin(float64(k/2)/20))))
		}
		if err := os.WriteFile(f.file(soundFile(i)), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := mixSound(t.Context(), f, p, "all"); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(f.file("all"))
	if err != nil || len(raw) != 90*block*2 {
		t.Fatalf("%d bytes, %v", len(raw), err)
	}
	loud := func(from, to int) float64 { // of frames
		sum := 0.0
		for k := from * block; k < to*block; k++ {
			v := float64(int16(binary.LittleEndian.Uint16(raw[2*k:]))) / 32768
			sum += v * v
		}
		return math.Sqrt(sum / float64((to-from)*block))
	}
	first, second := loud(5, 15), loud(40, 45)
	if math.Abs(first-level) > 0.01 || math.Abs(second-level) > 0.01 {
		t.Errorf("the shots are as loud as %.3f and %.3f", first, second)
	}
	if rest := loud(70, 90); rest != 0 {
		t.Errorf("silence is as loud as %.3f", rest)
	}
	var noise, peaks loudness
	noise.add([]float64{0, 0.001, -0.001})
	if g := noise.gain(); g != 1 {
		t.Errorf("noise is made louder by %g", g)
	}
	peaks.add([]float64{0.02, 1, -0.02, 0.02})
	if g := peaks.gain(); g > ceiling {
		t.Errorf("a peak is cut off by %g", g)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := mixSound(gone, f, p, "late"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
