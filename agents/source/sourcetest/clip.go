package sourcetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Clips makes n short clips that look different, with hard cuts and a tone. They
// need ffmpeg.
func Clips(ctx context.Context, n int, seconds float64) ([][]byte, error) {
	dir, err := os.MkdirTemp("", "clips-")
	if err != nil {
		return nil, fmt.Errorf("make folder for clips: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	clips := make([][]byte, n)
	for i := range clips {
		path := filepath.Join(dir, fmt.Sprintf("%d.mp4", i))
		// A moving test card in colours of its own; every other shot is a negative.
		picture := fmt.Sprintf("testsrc2=s=180x320:r=15:d=%g,hue=h=%d,negate=enable='mod(floor(t/0.8),2)'", seconds, i*47)
		sound := fmt.Sprintf("sine=frequency=%d:duration=%g", 220+40*i, seconds)
		out, err := exec.CommandContext(ctx, "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", picture,
			"-f", "lavfi", "-i", sound, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
			"-c:a", "aac", "-b:a", "48k", "-shortest", "-movflags", "+faststart", path).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("make clip %d: %w: %s", i, err, out[max(0, len(out)-400):])
		}
		if clips[i], err = os.ReadFile(path); err != nil {
			return nil, fmt.Errorf("read clip %d: %w", i, err)
		}
	}
	return clips, nil
}
