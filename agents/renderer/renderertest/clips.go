// Package renderertest is the suite that every renderer passes, the clips it is
// played on, and a render service that behaves as agents/renderer documents it,
// faults included. It draws its clips with ffmpeg.
//
// It may import agents/renderer and agents/video; only tests and development
// servers import it.
package renderertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sozai/agents/video"
)

// Clip is a file to make films from.
type Clip struct{ Path, Hash string }

// Clips are the files of the suite: a tall red one of 4 s with sound, a wide blue
// one of 2 s without, and one that breaks off in the middle.
type Clips struct {
	Tall, Wide, Broken Clip
	dir                string
}

// NewClips draws them.
func NewClips(t testing.TB) *Clips {
	t.Helper()
	c := &Clips{dir: t.TempDir()}
	encode := []string{"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest"}
	draw := func(name string, args ...string) []byte {
		path := filepath.Join(c.dir, name)
		args = append(append([]string{"-nostdin", "-v", "error"}, args...), append(encode, path)...)
		if out, err := exec.Command("ffmpeg", args...).CombinedOutput(); err != nil {
			t.Fatalf("draw clip: %v\n%s", err, out)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	tall := draw("tall.mp4", "-f", "lavfi", "-i", "color=c=0xc02020:s=90x160:r=30:d=4", "-f", "lavfi", "-i", "sine=f=440:d=4")
	c.Tall = c.keep(t, tall)
	c.Wide = c.keep(t, draw("wide.mp4", "-f", "lavfi", "-i", "color=c=0x2020c0:s=160x90:r=25:d=2"))
	c.Broken = c.keep(t, tall[:len(tall)*2/3])
	return c
}

// keep puts a file where its hash says.
func (c *Clips) keep(t testing.TB, raw []byte) Clip {
	t.Helper()
	sum := sha256.Sum256(raw)
	clip := Clip{Hash: hex.EncodeToString(sum[:])}
	clip.Path = filepath.Join(c.dir, clip.Hash)
	if err := os.WriteFile(clip.Path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return clip
}

// Serve gives addresses to the clips, as a signing server does.
func (c *Clips) Serve(t testing.TB) (sign func(hash string, ttl time.Duration) (string, error)) {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(c.dir)))
	t.Cleanup(server.Close)
	return func(hash string, _ time.Duration) (string, error) { return server.URL + "/" + hash, nil }
}

// Analyzer is one that finds its programs.
func Analyzer(t testing.TB) *video.Analyzer {
	t.Helper()
	a, err := video.New(video.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// stream is what ffprobe says about the film's streams, a line each.
func streams(t testing.TB, path string) string {
	t.Helper()
	out, err := exec.Command("ffprobe", "-v", "error", "-of", "csv=p=0",
		"-show_entries", "stream=codec_name,pix_fmt,r_frame_rate", path).CombinedOutput()
	if err != nil {
		t.Fatalf("ffprobe: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// gray is the picture of a film at some second, one byte a pixel.
func gray(t testing.TB, path, at string) []byte {
	t.Helper()
	var out, said bytes.Buffer
	cmd := exec.Command("ffmpeg", "-nostdin", "-v", "error", "-ss", at, "-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "gray", "pipe:1")
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("picture at %s: %v\n%s", at, err, said.String())
	}
	return out.Bytes()
}
