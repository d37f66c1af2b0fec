package renderer

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
)

// Samples of a film: two channels of 16 bits. A block is what one picture lasts.
const (
	soundRate = 48000
	channels  = 2
	block     = soundRate / FPS * channels
)

// Loudness. The sound of a shot is brought to one level, silence between words
// not counted, within bounds and without clipping.
const (
	level     = 0.125 // -18 dB of full scale, as a mean of squares' root
	ceiling   = 0.89
	mostGain  = 6
	leastGain = 0.15
	quiet     = 0.004 // below it a block does not count
)

// mixSound joins the samples of the shots, one file each, into the film's: shots
// without a file are silent, the fades are those of the pictures.
func mixSound(ctx context.Context, f *folder, p plan, to string) (err error) {
	file, err := os.OpenFile(f.file(to), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("mix sound: %w", err)
	}
	defer func() {
		if cerr := file.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("mix sound: %w", cerr)
		}
	}()
	m := &mixer{out: bufio.NewWriterSize(file, 1<<16), total: p.frames * block}
	for i, s := range p.shots {
		if err := m.shot(ctx, s, f.file(soundFile(i))); err != nil {
			return err
		}
	}
	if err := m.out.Flush(); err != nil {
		return fmt.Errorf("mix sound: %w", err)
	}
	return nil
}

func soundFile(shot int) string { return fmt.Sprintf("sound-%03d.pcm", shot) }

// mixer is a weaver of blocks.
type mixer struct {
	out         *bufio.Writer
	done, total int // samples
	over        [][]float64
}

func (m *mixer) shot(ctx context.Context, s shot, path string) error {
	from, err := openSound(path)
	if err != nil {
		return err
	}
	defer from.close()
	before := m.over
	m.over = nil
	for k := range s.frames + s.over {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		samples, err := from.next()
		switch {
		case err != nil:
			return err
		case k >= s.frames:
			m.over = append(m.over, append([]float64(nil), samples...))
			continue
		case k < len(before):
			for i := range samples {
				share := (float64(k) + float64(i)/block) / float64(len(before))
				samples[i] = before[k][i]*(1-share) + samples[i]*share
			}
		}
		if err := m.write(samples); err != nil {
			return err
		}
	}
	return nil
}

// write fades a film's sound in and out, so that it neither begins nor ends with
// a click.
func (m *mixer) write(samples []float64) error {
	const in, out = soundRate * channels / 100, soundRate * channels / 20
	var raw [2]byte
	for _, v := range samples {
		v *= min(1, float64(m.done)/in, float64(m.total-m.done)/out)
		m.done++
		binary.LittleEndian.PutUint16(raw[:], uint16(int16(math.Round(v*math.MaxInt16))))
		if _, err := m.out.Write(raw[:]); err != nil {
			return fmt.Errorf("mix sound: %w", err)
		}
	}
	return nil
}

// sound reads a shot's samples block by block, evened, and silence where it has
// none.
type sound struct {
	file    *os.File // nil: silent
	in      *bufio.Reader
	raw     []byte
	samples []float64
	gain    float64
}

// openSound opens a shot's file and measures it.
func openSound(path string) (*sound, error) {
	s := &sound{raw: make([]byte, 2*block), samples: make([]float64, block), gain: 1}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read sound: %w", err)
	}
	s.file, s.in = file, bufio.NewReaderSize(file, 1<<16)
	var heard loudness
	for {
		n, err := s.fill()
		if err != nil {
			s.close()
			return nil, err
		}
		if n == 0 {
			break
		}
		heard.add(s.samples[:n])
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		s.close()
		return nil, fmt.Errorf("read sound: %w", err)
	}
	s.in.Reset(file)
	s.gain = heard.gain()
	return s, nil
}

func (s *sound) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
}

// next is the next block, valid until the one after it.
func (s *sound) next() ([]float64, error) {
	n, err := s.fill()
	clear(s.samples[n:])
	for i := range s.samples[:n] {
		s.samples[i] *= s.gain
	}
	return s.samples, err
}

// fill reads as much of a block as there is.
func (s *sound) fill() (n int, err error) {
	if s.file == nil {
		return 0, nil
	}
	got, err := io.ReadFull(s.in, s.raw)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, fmt.Errorf("read sound: %w", err)
	}
	for i := range got / 2 {
		s.samples[i] = float64(int16(binary.LittleEndian.Uint16(s.raw[2*i:]))) / (math.MaxInt16 + 1)
	}
	return got / 2, nil
}

// loudness adds up what is heard.
type loudness struct {
	peak, squares float64
	n             int
}

func (l *loudness) add(samples []float64) {
	squares := 0.0
	for _, v := range samples {
		squares += v * v
		l.peak = max(l.peak, math.Abs(v))
	}
	if math.Sqrt(squares/float64(len(samples))) >= quiet {
		l.squares, l.n = l.squares+squares, l.n+len(samples)
	}
}

// gain is what brings it to the common level.
func (l *loudness) gain() float64 {
	if l.n == 0 {
		return 1
	}
	return max(leastGain, min(mostGain, level/math.Sqrt(l.squares/float64(l.n)), ceiling/l.peak))
}
