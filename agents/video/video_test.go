package video

import (
	"context"
	"errors"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
	"sozai/domain/library"
)

func analyzer(t testing.TB) *Analyzer {
	t.Helper()
	a, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// make runs ffmpeg and returns the path of what it wrote.
func makeFile(t testing.TB, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	args = append(append([]string{"-nostdin", "-v", "error", "-y"}, args...), path)
	if out, err := exec.Command("ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg %v: %v\n%s", args, err, out)
	}
	return path
}

func TestProbe(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	source := []string{"-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=2"}
	x264 := []string{"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"}
	with := func(parts ...[]string) (all []string) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	turned := func(t *testing.T) string {
		flat := makeFile(t, "flat.mp4", with(source, x264)...)
		return makeFile(t, "turned.mp4", "-i", flat, "-c", "copy", "-metadata:s:v:0", "rotate=90")
	}
	tests := []struct {
		name string
		path func(t *testing.T) string
		want Info
	}{
		{"plain mp4 without sound", func(t *testing.T) string { return makeFile(t, "a.mp4", with(source, x264)...) },
			Info{Container: "mp4", Type: "video/mp4", Seconds: 2, Width: 320, Height: 180, FPS: 30, Codec: "h264"}},
		{"turned phone video swaps its sides", turned,
			Info{Container: "mp4", Type: "video/mp4", Seconds: 2, Width: 180, Height: 320, FPS: 30, Codec: "h264"}},
		{"pixels that are not square", func(t *testing.T) string {
			return makeFile(t, "a.mp4", with(source, []string{"-vf", "setsar=2/1"}, x264)...)
		}, Info{Container: "mp4", Type: "video/mp4", Seconds: 2, Width: 640, Height: 180, FPS: 30, Codec: "h264"}},
		{"QuickTime with sound", func(t *testing.T) string {
			return makeFile(t, "a.mov", with(source, []string{"-f", "lavfi", "-i", "sine=d=2"}, x264)...)
		}, Info{Container: "mov", Type: "video/quicktime", Seconds: 2, Width: 320, Height: 180, FPS: 30, HasSound: true, Codec: "h264"}},
		{"webm without a duration", func(t *testing.T) string {
			return makeFile(t, "a.webm", with(source, []string{"-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-live", "1"})...)
		}, Info{Container: "webm", Type: "video/webm", Seconds: 2, Width: 320, Height: 180, FPS: 30, Codec: "vp8"}},
		{"cover picture is no video stream", func(t *testing.T) string {
			cover := makeFile(t, "cover.jpg", "-f", "lavfi", "-i", "color=red:s=64x64", "-frames:v", "1")
			video := makeFile(t, "v.mp4", with(source, x264)...)
			return makeFile(t, "a.mp4", "-i", cover, "-i", video, "-map", "0", "-map", "1", "-c", "copy", "-disposition:v:0", "attached_pic")
		}, Info{Container: "mp4", Type: "video/mp4", Seconds: 2, Width: 320, Height: 180, FPS: 30, Codec: "h264"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := a.Probe(t.Context(), test.path(t))
			if err != nil {
				t.Fatal(err)
			}
			got.stream = 0
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(Info{}), cmp.Comparer(about)); diff != "" {
				t.Fatalf("info differs (-want +got):\n%s", diff)
			}
		})
	}
}

// about allows for what encoders do to durations.
func about(a, b float64) bool { return a-b < 0.1 && b-a < 0.1 }

func TestProbeRefuses(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	write := func(data string) func(t *testing.T) string {
		return func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "x.mp4")
			if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
	}
	good := func(t *testing.T, args ...string) []byte {
		args = append([]string{"-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=4", "-c:v", "libx264", "-preset", "ultrafast"}, args...)
		data, err := os.ReadFile(makeFile(t, "good.mp4", args...))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	tests := []struct {
		name string
		path func(t *testing.T) string
		want string
	}{
		{"empty", write(""), "empty"},
		{"text", write("this is no video at all, however long it may be"), "not an mp4"},
		{"a playlist that names another file", write("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n"), "not an mp4"},
		{"a script for the concat reader", write("ffconcat version 1.0\nfile /etc/passwd\n"), "not an mp4"},
		{"mp4 in name only", write("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2" + strings.Repeat("x", 4000)), "broken"},
		{"cut off without an index", func(t *testing.T) string {
			return write(string(good(t)[:20000]))(t)
		}, "broken"},
		{"cut off with an index", func(t *testing.T) string {
			data := good(t, "-movflags", "+faststart")
			return write(string(data[:len(data)/2]))(t)
		}, "cut off"},
		{"sound only", func(t *testing.T) string {
			return makeFile(t, "a.mp4", "-f", "lavfi", "-i", "sine=d=1")
		}, "no pictures"},
		{"matroska that is no webm", func(t *testing.T) string {
			return makeFile(t, "a.mkv", "-f", "lavfi", "-i", "color=red:s=64x64:d=1", "-c:v", "libx264")
		}, "not an mp4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := a.Probe(t.Context(), test.path(t))
			if !errors.Is(err, ErrNotVideo) || domain.CodeOf(err) != domain.Unprocessable {
				t.Fatalf("got %v, want ErrNotVideo", err)
			}
			if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "/") {
				t.Fatalf("message %q should say %q and no path", err, test.want)
			}
		})
	}
}

func TestSoundIsMeasured(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	measure := func(t *testing.T, sound ...string) library.Metrics {
		args := append([]string{"-f", "lavfi", "-i", "testsrc2=s=180x320:r=25:d=4"}, sound...)
		path := makeFile(t, "a.mp4", append(args, "-c:v", "libx264", "-preset", "ultrafast", "-t", "4")...)
		info, err := a.Probe(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := a.Measure(t.Context(), path, info)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	t.Run("no track is unknown, not silent", func(t *testing.T) {
		t.Parallel()
		m := measure(t)
		if m.SilenceRatio != nil || m.SoundOnset != nil || m.LoudnessLUFS != nil {
			t.Fatalf("got %v %v %v, want nothing", m.SilenceRatio, m.SoundOnset, m.LoudnessLUFS)
		}
	})
	t.Run("a silent track is silent and has no loudness", func(t *testing.T) {
		t.Parallel()
		m := measure(t, "-f", "lavfi", "-i", "anullsrc=d=4")
		if m.SilenceRatio == nil || *m.SilenceRatio < 0.99 || m.LoudnessLUFS != nil {
			t.Fatalf("got %v %v", m.SilenceRatio, m.LoudnessLUFS)
		}
	})
	t.Run("sound that starts after a second", func(t *testing.T) {
		t.Parallel()
		m := measure(t, "-f", "lavfi", "-i", "sine=d=4,volume='if(lt(t,1),0,1)':eval=frame", "-metadata:s:a:0", "title=silence_end: 3.9")
		if !about(*m.SoundOnset, 1) || !about(*m.SilenceRatio, 0.25) || *m.LoudnessLUFS > -10 || *m.LoudnessLUFS < -30 {
			t.Fatalf("onset %v, silence %v, loudness %v", *m.SoundOnset, *m.SilenceRatio, *m.LoudnessLUFS)
		}
	})
}

func TestWordsOfTheFileAreNoMeasurements(t *testing.T) {
	t.Parallel()
	var s soundLog
	for _, line := range []string{
		"    title           : silence_start: 0", "                    : [silencedetect @ 0x1] silence_start: 0",
		"    comment         : [Parsed_ebur128_1 @ 0x1] Summary:", "    I:          -3.0 LUFS",
		"[silencedetect @ 0x2] silence_start: nan", "[silencedetect @ 0x2] silence_end: 7",
	} {
		s.add(line)
	}
	var m library.Metrics
	s.fill(10, &m)
	if len(s.silences) != 0 || m.LoudnessLUFS != nil || m.SilenceRatio != nil {
		t.Fatalf("believed the file's words: %+v %+v", s, m)
	}
}

func TestAnalyzeNamesItselfAndItsRules(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	path := makeFile(t, "a.mp4", "-f", "lavfi", "-i", "testsrc2=s=180x320:r=25:d=1", "-c:v", "libx264", "-preset", "ultrafast")
	got, err := a.Analyse(t.Context(), Ref{Path: path, Text: Text{Title: "标题"}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Analyser != "local-ffmpeg" || got.Ruleset != Ruleset || got.Metrics == nil || !strings.Contains(got.Digest.Captions, "标题") {
		t.Fatalf("%+v", got)
	}
	if _, err := a.Analyse(t.Context(), Ref{Path: path + ".missing"}); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
}

func TestBlackIsMeasuredAndPostersAreNotBlack(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	path := makeFile(t, "a.mp4", "-filter_complex",
		"color=black:s=180x320:r=25:d=3[b];testsrc2=s=180x320:r=25:d=1[c];[b][c]concat", "-c:v", "libx264", "-preset", "ultrafast")
	info, err := a.Probe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := a.Measure(t.Context(), path, info)
	if err != nil {
		t.Fatal(err)
	}
	if !about(m.BlackRatio, 0.75) || m.Aspect != "9:16" || len(m.Cuts) != 1 || !about(m.Cuts[0], 3) {
		t.Fatalf("black %v, aspect %v, cuts %v", m.BlackRatio, m.Aspect, m.Cuts)
	}
	dst := filepath.Join(t.TempDir(), "poster.jpg")
	if err := a.Poster(t.Context(), path, info, dst); err != nil {
		t.Fatal(err)
	}
	if light, err := telling(dst); err != nil || light < enoughLight {
		t.Fatalf("poster shows nothing: %v %v", light, err)
	}
}

func TestPosterOfABlackVideoIsBlack(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	path := makeFile(t, "a.mp4", "-f", "lavfi", "-i", "color=black:s=1080x1920:r=25:d=1", "-c:v", "libx264", "-preset", "ultrafast")
	info, err := a.Probe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	dst := filepath.Join(t.TempDir(), "poster.jpg")
	if err := a.Poster(t.Context(), path, info, dst); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(dst)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := jpeg.DecodeConfig(f)
	if err != nil || c.Width != 540 || c.Height != 960 {
		t.Fatalf("poster is %dx%d, %v", c.Width, c.Height, err)
	}
}

func TestPreviewIsSmallShortAndSilent(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	path := makeFile(t, "a.mov", "-f", "lavfi", "-i", "testsrc2=s=1080x1920:r=60:d=6", "-f", "lavfi", "-i", "sine=d=6",
		"-c:v", "libx264", "-preset", "ultrafast")
	info, err := a.Probe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	dst := filepath.Join(t.TempDir(), "preview.mp4")
	if err := a.Preview(t.Context(), path, info, dst); err != nil {
		t.Fatal(err)
	}
	got, err := a.Probe(t.Context(), dst)
	if err != nil {
		t.Fatal(err)
	}
	if got.Seconds > 3.01 || got.Width != 180 || got.Height != 320 || got.HasSound {
		t.Fatalf("preview is %+v", got)
	}
	data, err := os.ReadFile(dst)
	if err != nil {
		t.Fatal(err)
	}
	if moov, mdat := strings.Index(string(data), "moov"), strings.Index(string(data), "mdat"); moov < 0 || moov > mdat {
		t.Fatalf("index at %d, pictures at %d: it cannot start before it is loaded", moov, mdat)
	}
}

func TestProgramsEndWithTheContext(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "ffprobe")
	pid := filepath.Join(t.TempDir(), "pid")
	// a program that leaves a child behind and never ends
	if err := os.WriteFile(script, []byte("#!/bin/sh\nsleep 600 & echo $! > "+pid+"; wait\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	a, err := New(Config{FFprobe: script})
	if err != nil {
		t.Fatal(err)
	}
	path := makeFile(t, "a.mp4", "-f", "lavfi", "-i", "color=red:s=64x64:d=1", "-c:v", "libx264")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			<-tick.C
			if b, _ := os.ReadFile(pid); len(b) > 1 {
				cancel()
			}
		}
	}()
	start := time.Now()
	if _, err := a.Probe(ctx, path); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want cancelled", err)
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Fatalf("it took %v: the child was waited for", took)
	}
	b, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	gone := func() bool {
		state, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(b)), "stat"))
		return err != nil || strings.Contains(string(state), ") Z")
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(5 * time.Second); !gone(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("the child is still alive")
		}
	}
}

func TestASlowFileIsRefused(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "ffprobe")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	a, err := New(Config{FFprobe: script, Timeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	path := makeFile(t, "a.mp4", "-f", "lavfi", "-i", "color=red:s=64x64:d=1", "-c:v", "libx264")
	if _, err := a.Probe(t.Context(), path); !errors.Is(err, ErrNotVideo) {
		t.Fatalf("got %v, want ErrNotVideo", err)
	}
}

func TestMissingProgramSaysWhatToInstall(t *testing.T) {
	t.Parallel()
	_, err := New(Config{FFmpeg: "no-such-ffmpeg"})
	if domain.CodeOf(err) != domain.Unavailable || !strings.Contains(err.Error(), "install ffmpeg") {
		t.Fatalf("got %v", err)
	}
}
