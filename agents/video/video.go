// Package video understands video files. Analyzer measures them with ffmpeg and
// ffprobe: what a file is (Probe), a poster, a hover preview, and what can be
// known without a model (Measure and Digest). Worker asks the outside worker, whose
// model has seen the video; Merge puts its words on top of the numbers.
//
// Files are hostile: the programs run with argument lists, only the file and
// pipe protocols, only the mov and matroska readers, limits on time, memory and
// output, in a process group of their own that dies with the context. Names of
// files are never part of an option. Words of a post and of the worker are quoted
// and cut to size, never judged.
//
// It may import domain, agents (how tokens are counted) and agents/effect.
package video

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"time"

	"sozai/domain"
	"sozai/domain/library"
)

// LocalAnalyser names the analyser of this package, and Ruleset its rules; a
// change of the cut detector or of the rating raises the number.
const (
	LocalAnalyser = "local-ffmpeg"
	Ruleset       = 1
)

// Limits on what is decoded at all.
const (
	MaxSeconds = 30 * 60 // longer videos are no short-video material
	MaxSide    = 8192    // pixels
)

// ErrNotVideo is the rule behind every refusal of a file: not a video, broken,
// empty or over a limit. The message of a copy says which.
var ErrNotVideo = domain.Rule(domain.Unprocessable, "not_a_video", "this file is not a readable video")

// Config says where the programs are and how much they may do.
type Config struct {
	FFmpeg   string        // program; "" = found on PATH
	FFprobe  string        // program; "" = found on PATH
	Parallel int           // programs at once; 0 = two, or one on a single core
	Timeout  time.Duration // for one file; 0 = 180 s
}

// Analyzer runs the programs. Safe for concurrent use; calls beyond
// Config.Parallel wait for a place.
type Analyzer struct {
	ffmpeg, ffprobe string
	slots           chan struct{}
	timeout         time.Duration
}

// Analysis is the understanding of one video, without the ids of an event.
// Analyser says who judged: this machine, the worker and its source, or whoever a
// candidate came analysed from.
type Analysis struct {
	Analyser string           `json:"analyser"`
	Ruleset  int              `json:"ruleset"`
	Digest   library.Digest   `json:"digest"`
	Metrics  *library.Metrics `json:"metrics,omitempty"`
	Report   string           `json:"report,omitempty"` // the worker's full text: quoted data
	Cost     domain.Money     `json:"cost,omitempty"`   // of this call; 0 if it was remembered
	Missed   *Missed          `json:"missed,omitempty"` // a configured worker said nothing
}

// Text is what people wrote beside a video: quoted data.
type Text struct {
	Title string
	Tags  []string
}

// New finds the programs. It returns domain.Unavailable if one is missing.
func New(c Config) (*Analyzer, error) {
	a := &Analyzer{timeout: c.Timeout}
	if a.timeout == 0 {
		a.timeout = 180 * time.Second
	}
	n := c.Parallel
	if n == 0 {
		n = min(2, runtime.NumCPU())
	}
	a.slots = make(chan struct{}, n)
	var err error
	if a.ffmpeg, err = program(c.FFmpeg, "ffmpeg"); err != nil {
		return nil, err
	}
	if a.ffprobe, err = program(c.FFprobe, "ffprobe"); err != nil {
		return nil, err
	}
	return a, nil
}

// Name implements Analyser.
func (a *Analyzer) Name() string { return LocalAnalyser }

// Analyse probes and measures the file at ref.Path and writes the digest.
// ErrNotVideo says that the file cannot be analysed and never will be.
func (a *Analyzer) Analyse(ctx context.Context, ref Ref) (Analysis, error) {
	info, err := a.Probe(ctx, ref.Path)
	if err != nil {
		return Analysis{}, err
	}
	m, err := a.Measure(ctx, ref.Path, info)
	if err != nil {
		return Analysis{}, err
	}
	return Judge(m, ref.Text), nil
}

// Judge is the analysis that follows from measured numbers and quoted words.
func Judge(m library.Metrics, text Text) Analysis {
	return Analysis{Analyser: LocalAnalyser, Ruleset: Ruleset, Digest: Digest(m, text), Metrics: &m}
}

func program(configured, name string) (string, error) {
	if configured == "" {
		configured = name
	}
	path, err := exec.LookPath(configured)
	if err != nil {
		return "", domain.Errorf(domain.Unavailable, "%s is not installed (looked for %q); install ffmpeg", name, configured)
	}
	return path, nil
}

func notVideo(format string, args ...any) error {
	return ErrNotVideo.With(nil, "%s", fmt.Sprintf(format, args...))
}
