package renderer

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"sozai/agents/video"
)

// Borders lie where the seconds say: rounding does not add up, fades take nothing
// from the length and never reach over half a shot.
func TestPlanKeepsTheLength(t *testing.T) {
	t.Parallel()
	for _, seconds := range [][]float64{{1}, {0.3, 0.3, 0.3}, {1.0 / 3, 1.0 / 3, 1.0 / 3, 2}, {0.05, 0.05, 3}, {0.01, 0.01, 0.01, 0.01}} {
		var job Job
		want := 0.0
		for i, s := range seconds {
			job.Panels = append(job.Panels, Panel{Number: i + 1, Seconds: s})
			want += s
		}
		p, err := newPlan(job, 720)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for i, s := range p.shots {
			sum += s.frames
			if s.frames < 1 || s.over > s.frames/2 || s.over > fade || i == len(p.shots)-1 && s.over != 0 {
				t.Errorf("%v: shot %d has %d frames and %d over", seconds, i, s.frames, s.over)
			}
		}
		if sum != p.frames || math.Abs(float64(sum)/FPS-want) > 0.5/FPS+1e-9 {
			t.Errorf("%v: %d frames", seconds, sum)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for aspect, want := range map[string]string{"": "720×1280", "9:16": "720×1280", "4:5": "720×900", "1:1": "720×720", "16:9": "1280×720"} {
		w, h, err := size(aspect, 720)
		if got := fmt.Sprintf("%d×%d", w, h); got != want || err != nil {
			t.Errorf("%q is %s, %v", aspect, got, err)
		}
	}
	if _, _, err := size("2:3", 720); err == nil {
		t.Error("2:3 is no aspect of ours")
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	tall, near, wide := video.Info{Width: 1080, Height: 1920}, video.Info{Width: 540, Height: 970}, video.Info{Width: 641, Height: 361}
	const end = ":out_color_matrix=bt709:out_range=tv,setsar=1,format=yuv420p"
	for _, test := range []struct {
		info video.Info
		want string
	}{
		{tall, "scale=720:1280" + end + ",crop=720:1280"},
		{near, "scale=720:1294" + end + ",crop=720:1280"},
		{wide, "split[sharp][soft];[soft]scale=378:214" + end + ",crop=120:212,boxblur=7:2,scale=720:1280,eq=brightness=-0.12,setsar=1[back];" +
			"[sharp]scale=720:406" + end + "[front];[back][front]overlay=(W-w)/2:(H-h)/2"},
	} {
		if got := fit(test.info, 720, 1280); got != test.want {
			t.Errorf("%d×%d:\n got %s\nwant %s", test.info.Width, test.info.Height, got, test.want)
		}
	}
}

// What a killed process has left goes, what somebody is at stays.
func TestFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine, err := openFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(dir, working+"dead")
	other := filepath.Join(dir, "other")
	for _, path := range []string{filepath.Join(dead, "deep"), other} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := prepare(dir); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{mine.path: true, other: true, dead: false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	mine.remove()
	if _, err := os.Stat(mine.path); err == nil {
		t.Error("it is still there")
	}
}
