package video

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"sozai/domain/library"
)

// silence is quieter than −35 dB for at least 0.3 s.
const soundGraph = "silencedetect=noise=-35dB:d=0.3,ebur128=framelog=verbose"

// sound adds the numbers about the first sound track. A track that cannot be
// decoded counts as none: what cannot be measured is not claimed.
func (a *Analyzer) sound(ctx context.Context, path string, info Info, m *library.Metrics) error {
	if !info.HasSound {
		return nil
	}
	var s soundLog
	out := &lines{each: func(line string) error { s.add(line); return nil }}
	err := a.run(ctx, job{
		program: a.ffmpeg, stderr: out,
		args: a.ffmpegArgs([]string{"-nostats", "-v", "info"}, path,
			"-map", "0:a:0", "-vn", "-sn", "-dn", "-af", soundGraph, "-f", "null", "-"),
	})
	if errors.Is(err, errProgram) || errors.Is(err, errOutput) {
		return nil
	}
	if err != nil {
		return err
	}
	_ = out.end()
	s.fill(info.Seconds, m)
	return nil
}

// soundLog collects what the filters print. Its zero value is ready.
type soundLog struct {
	silences [][2]float64 // start, end; end is NaN until it is printed
	loudness float64
	measured bool
	summary  bool
}

// add reads one line. Only lines that the filters began count: the file's own
// words are printed too, indented.
func (s *soundLog) add(line string) {
	switch {
	case strings.HasPrefix(line, "[silencedetect @"):
		if at, ok := after(line, "silence_start: "); ok {
			s.silences = append(s.silences, [2]float64{max(0, at), math.NaN()})
		}
		if at, ok := after(line, "silence_end: "); ok {
			if n := len(s.silences); n > 0 && math.IsNaN(s.silences[n-1][1]) {
				s.silences[n-1][1] = at
			}
		}
		return
	case strings.HasPrefix(line, "[Parsed_ebur128") && strings.Contains(line, "Summary:"):
		s.summary = true
		return
	}
	if text := strings.TrimSpace(line); s.summary && !s.measured && strings.HasPrefix(text, "I:") {
		if at, ok := after(text, "I:"); ok {
			s.loudness, s.measured = at, true
		}
	}
}

// after is the number that follows a word of a line.
func after(line, word string) (float64, bool) {
	_, rest, ok := strings.Cut(line, word)
	if !ok {
		return 0, false
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, false
	}
	f, err := strconv.ParseFloat(fields[0], 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// silenceFloor is what ebur128 reports when there is nothing to be heard.
const silenceFloor = -69.9

func (s *soundLog) fill(duration float64, m *library.Metrics) {
	if !s.summary {
		return // not one piece of sound was decoded
	}
	quiet, onset := 0.0, 0.0
	for _, span := range s.silences {
		end := span[1]
		if math.IsNaN(end) || end > duration {
			end = duration // it lasts to the end
		}
		if end <= span[0] {
			continue
		}
		quiet += end - span[0]
		if span[0] <= 0.05 {
			onset = end
		}
	}
	ratio := round(min(1, quiet/duration), 3)
	onset = round(onset, 2)
	m.SilenceRatio, m.SoundOnset = &ratio, &onset
	if s.measured && s.loudness > silenceFloor {
		loudness := round(s.loudness, 1)
		m.LoudnessLUFS = &loudness
	}
}
