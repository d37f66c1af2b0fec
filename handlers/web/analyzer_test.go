package web

import (
	"os/exec"
	"path/filepath"
	"testing"

	"sozai/agents/video"
)

func analyzer(t *testing.T) *video.Analyzer {
	t.Helper()
	a, err := video.New(video.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// clip makes a small real video.
func clip(t *testing.T, color string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), color+".mp4")
	out, err := exec.Command("ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-f", "lavfi",
		"-i", "color="+color+":s=180x320:r=24:d=1", "-preset", "ultrafast", "-pix_fmt", "yuv420p", path).CombinedOutput()
	if err != nil {
		t.Fatalf("ffmpeg: %v: %s", err, out)
	}
	return path
}
