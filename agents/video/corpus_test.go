package video

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A clip of the corpus: scenes joined by hard cuts, drawn by ffmpeg.
type clip struct {
	name   string
	fps    int
	w, h   int
	scenes []scene
	crf    int
	vfr    bool // drop pictures irregularly
	filter string
}

// scene is a chain of filters that draws pictures; %S is the size, %R the rate.
type scene struct {
	chain  string
	frames int
}

// cuts are the true cuts: the times of the first picture of each later scene.
func (c clip) cuts() []float64 {
	var cuts []float64
	n := 0
	for _, s := range c.scenes[:len(c.scenes)-1] {
		n += s.frames
		first := n
		for c.vfr && dropped(first) {
			first++
		}
		cuts = append(cuts, float64(first)/float64(c.fps))
	}
	return cuts
}

// dropped are the pictures that a clip with a variable rate lacks; the filter in
// render says the same.
func dropped(n int) bool { return n%7 == 3 || n%11 == 5 || n%50 >= 20 && n%50 <= 22 }

func (c clip) render(t testing.TB, dir string) string {
	t.Helper()
	var graph strings.Builder
	for i, s := range c.scenes {
		chain := strings.NewReplacer("%S", fmt.Sprintf("%dx%d", c.w, c.h), "%R", fmt.Sprint(c.fps),
			"%L", fmt.Sprint(i), "%W", fmt.Sprint(c.w), "%H", fmt.Sprint(c.h)).Replace(s.chain)
		fmt.Fprintf(&graph, "%s,trim=end_frame=%d,setpts=PTS-STARTPTS,scale=%d:%d,setsar=1,format=yuv420p[s%d];",
			chain, s.frames, c.w, c.h, i)
	}
	for i := range c.scenes {
		fmt.Fprintf(&graph, "[s%d]", i)
	}
	fmt.Fprintf(&graph, "concat=n=%d", len(c.scenes))
	if c.filter != "" {
		graph.WriteString("," + c.filter)
	}
	if c.vfr {
		graph.WriteString(",select='not(eq(mod(n\\,7)\\,3)+eq(mod(n\\,11)\\,5)+between(mod(n\\,50)\\,20\\,22))'")
	}
	path := filepath.Join(dir, c.name+".mp4")
	args := []string{"-nostdin", "-v", "error", "-y", "-filter_complex", graph.String(), "-c:v", "libx264", "-preset", "ultrafast",
		"-crf", fmt.Sprint(c.crf), "-g", "250"}
	if c.vfr {
		args = append(args, "-vsync", "vfr", "-enc_time_base", fmt.Sprintf("1:%d", c.fps))
	}
	out, err := exec.Command("ffmpeg", append(args, path)...).CombinedOutput()
	if err != nil {
		t.Fatalf("render %s: %v\n%s\n%s", c.name, err, graph.String(), out)
	}
	return path
}

const cloud = "color=c=gray:s=%S:r=%R,noise=alls=100:all_seed=SEED,gblur=sigma=7,trim=end_frame=1,loop=loop=-1:size=1:start=0,setpts=N/(%R*TB),eq=contrast=9:brightness=0.02"

// scenes that a corpus is drawn from. SEED is replaced by a number.
var chains = []string{
	"testsrc=s=%S:r=%R",
	"testsrc2=s=%S:r=%R",
	"smptebars=s=%S:r=%R",
	"rgbtestsrc=s=%S:r=%R",
	"mandelbrot=s=%S:r=%R",
	"mandelbrot=s=%S:r=%R:start_x=-1.2:start_y=0.3:start_scale=0.5,hue=h=200",
	"life=s=%S:r=%R:ratio=0.3:mold=20:life_color=#00ff66:death_color=#221155",
	"cellauto=s=%S:r=%R",
	"gradients=s=%S:r=%R:c0=#ff2200:c1=#ffcc00:speed=0.02",
	"gradients=s=%S:r=%R:c0=#0022ff:c1=#00ffcc:c2=#ffffff:n=3:speed=0.05",
	"color=c=#203040:s=%S:r=%R",
	"color=c=#d04010:s=%S:r=%R",
	"color=c=#101418:s=%S:r=%R[a%L];color=c=#303840:s=50x50:r=%R[b%L];[a%L][b%L]overlay=x=30:y='40+n*2'", // dark on dark
	cloud,
	cloud + ",hue=h=120:s=2",
	"color=c=gray:s=%S:r=%R,noise=alls=100:all_seed=SEED,gblur=sigma=7,trim=end_frame=1,loop=loop=-1:size=1:start=0,setpts=N/(%R*TB),eq=contrast=9,format=gray,format=yuv420p,lutyuv=u=90:v=170,hue=h=40",
	"color=c=gray:s=640x640:r=%R,hue=h=210:s=3,noise=alls=100:all_seed=SEED,gblur=sigma=9,trim=end_frame=1,loop=loop=-1:size=1:start=0,setpts=N/(%R*TB),eq=contrast=9,format=gray,format=yuv420p,lutyuv=u=170:v=100,crop=%W:%H:'abs(mod(n*9\\,800)-400)':'abs(mod(n*5\\,600)-300)'", // fast pan
	"color=c=gray:s=640x640:r=%R,hue=h=150:s=3,noise=alls=100:all_seed=SEED,gblur=sigma=9,trim=end_frame=1,loop=loop=-1:size=1:start=0,setpts=N/(%R*TB),eq=contrast=9,format=gray,format=yuv420p,lutyuv=u=150:v=150,crop=%W:%H:'200+60*sin(n*1.3)':'150+50*cos(n*1.7)'",             // shake
	"color=c=gray:s=%S:r=%R,noise=alls=100:all_seed=SEED,gblur=sigma=6,trim=end_frame=1,loop=loop=-1:size=1:start=0,setpts=N/(%R*TB),eq=contrast=9,format=gray,format=yuv420p,lutyuv=u=100:v=110,rotate=n*0.06:c=#333333",
	"color=c=#707070:s=%S:r=%R,noise=alls=60:allf=t", // noise
	"smptebars=s=%S:r=%R,noise=alls=30:allf=t",
	"testsrc2=s=%S:r=%R,scroll=h=0.03:v=0.02",
	"testsrc2=s=%S:r=%R,drawbox=color=white:t=fill:enable='between(mod(n\\,23)\\,5\\,6)'",         // flash
	cloud + ",hue=h=300:s=2,drawbox=color=white@0.7:t=fill:enable='between(mod(n\\,29)\\,3\\,8)'", // long half flash
	"color=c=gray:s=%S:r=%R,noise=alls=100:all_seed=SEED,gblur=sigma=7,trim=end_frame=1,loop=loop=-1:size=1:start=0,setpts=N/(%R*TB),eq=contrast=9,format=gray,format=yuv420p,lutyuv=u=110:v=180,drawbox=color=white:t=fill:enable='lt(mod(n\\,4)\\,2)'", // strobe
	"testsrc=s=%S:r=%R,hue=h=90,fade=in:0:12",
	cloud + ",hue=h=200:s=3,fade=in:0:10:color=white",
	"color=c=#304050:s=%S:r=%R,drawbox=x=20:y=100:w=120:h=40:color=yellow:t=fill:enable='gt(mod(n\\,20)\\,10)'", // caption pops up
	"smptebars=s=%S:r=%R,hue=h=60,drawbox=y=200:h=60:color=black:t=fill:enable='gt(mod(n\\,24)\\,12)'",
	"color=c=gray:s=%S:r=%R,noise=alls=100:all_seed=SEED,gblur=sigma=7,trim=end_frame=1,loop=loop=-1:size=1:start=0,setpts=N/(%R*TB),eq=contrast=9,format=gray,format=yuv420p,lutyuv=u=180:v=120,zoompan=z='1+0.03*on':d=1:s=%S:fps=%R:x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2'",
	"gradients=s=%S:r=%R:c0=#000000:c1=#ff8800:speed=0.01[a%L];color=c=cyan:s=60x60:r=%R[b%L];color=red:s=80x30:r=%R[c%L];[a%L][b%L]overlay=x='mod(n*17\\,W)':y=60[d%L];[d%L][c%L]overlay=x=40:y='mod(n*13\\,H)'", // fast objects
	"sierpinski=s=%S:r=%R",
	"mandelbrot=s=%S:r=%R:start_scale=0.2:end_scale=0.001:end_pts=60,hue=h=90[a%L];gradients=s=%S:r=%R:seed=7[b%L];[a%L]trim=end_frame=48[c%L];[b%L]trim=end_frame=200[d%L];[c%L]settb=1/60,setpts=N*60/%R[e%L];[d%L]settb=1/60,setpts=N*60/%R[f%L];[e%L][f%L]xfade=fade:duration=0.4:offset=0.3,fps=%R", // dissolve
	"gradients=s=%S:r=%R:c0=#102010:c1=#405020:seed=3,drawbox=x=10:y=220:w=160:h=30:color=white:t=fill:enable='between(mod(n\\,24)\\,4\\,18)',drawbox=x=10:y=260:w=120:h=30:color=yellow:t=fill:enable='between(mod(n\\,24)\\,8\\,18)'",                                                                  // captions
	cloud + ",hue=h=30:s=3,crop=%W*3/4:%H*3/4:'%W/8+%W/9*sin(n*2.1)':'%H/8+%H/9*cos(n*1.3)',drawbox=color=orange@0.5:t=fill:enable='between(mod(n\\,17)\\,5\\,8)'",                                                                                                                                       // shaken, orange flashes
	"color=c=gray:s=%S:r=%R,noise=alls=100:all_seed=SEED,gblur=sigma=5,trim=end_frame=1,loop=loop=-1:size=1:start=0,setpts=N/(%R*TB),eq=contrast=9:brightness='0.3*sin(n/3)':eval=frame,format=gray,format=yuv420p,lutyuv=u=85:v=140",                                                                    // pulsing light
	"color=c=gray:s=%S:r=%R,noise=alls=100:all_seed=SEED,gblur=sigma=5,trim=end_frame=1,loop=loop=-1:size=1:start=0,setpts=N/(%R*TB),eq=contrast=9,format=gray,format=yuv420p,lutyuv=u=120:v=90,hue=h=n*6",                                                                                               // turning hue
	"testsrc=s=%S:r=%R,fade=in:0:8,fade=out:20:12",
}

// randomClip joins scenes of different kinds.
func randomClip(r *rand.Rand, n int) clip {
	c := clip{name: fmt.Sprintf("r%03d", n), fps: []int{24, 25, 30, 60}[r.IntN(4)], w: 180, h: 320, crf: 20 + r.IntN(14)}
	switch r.IntN(6) {
	case 0:
		c.w, c.h = 320, 180
	case 1:
		c.w, c.h = 240, 240
	}
	switch r.IntN(8) {
	case 0, 1:
		c.vfr = true
	case 2:
		c.filter = "fps=" + []string{"30", "60", "50"}[r.IntN(3)]
	case 3:
		c.crf = 40
	case 4:
		c.filter = "noise=alls=12:allf=t"
	}
	length := 1.0
	if r.IntN(4) == 0 {
		length = 0.3
	}
	last := -1
	for range 3 + r.IntN(6) {
		k := r.IntN(len(chains))
		for last >= 0 && family(chains[k]) == family(chains[last]) {
			k = (k + 1) % len(chains)
		}
		last = k
		frames := int((0.4 + 1.6*length*r.Float64()) * float64(c.fps))
		c.scenes = append(c.scenes, scene{strings.ReplaceAll(chains[k], "SEED", fmt.Sprint(r.IntN(1000))), frames})
	}
	return c
}

// family is what scenes have in common that show the same picture.
func family(chain string) string {
	source, _, _ := strings.Cut(chain, "=")
	if source == "color" {
		return chain
	}
	return source
}

// compare counts true cuts that were found within one picture, and cuts that
// are not true.
func compare(truth, found []float64, fps int) (hit int, missed, wrong []float64) {
	tolerance := 1/float64(fps) + 0.001
	used := make([]bool, len(found))
	for _, t := range truth {
		ok := false
		for i, f := range found {
			if !used[i] && f >= t-tolerance && f <= t+tolerance {
				used[i], ok = true, true
				break
			}
		}
		if ok {
			hit++
		} else {
			missed = append(missed, t)
		}
	}
	for i, f := range found {
		if !used[i] {
			wrong = append(wrong, f)
		}
	}
	return hit, missed, wrong
}

// corpusSize keeps the test short; the detector was tuned on other seeds.
const corpusSize = 26

// The corpus has hard cuts between flat, busy, dark, noisy, moving, shaken,
// turning, flashing, strobing, fading and dissolving scenes with captions that
// pop up, at 24 to 60 pictures a second, constant and variable, also converted
// from one rate to another, coarse and fine.
func TestCutsOfTheCorpusAreFound(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	r := rand.New(rand.NewPCG(20, 26))
	dir := t.TempDir()
	truths, hits, falses := 0, 0, 0
	for n := range corpusSize {
		c := randomClip(r, n)
		path := c.render(t, dir)
		info, err := a.Probe(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := a.Measure(t.Context(), path, info)
		if err != nil {
			t.Fatal(err)
		}
		truth := c.cuts()
		hit, missed, wrong := compare(truth, m.Cuts, c.fps)
		truths, hits, falses = truths+len(truth), hits+hit, falses+len(wrong)
		if len(missed)+len(wrong) > 0 {
			t.Logf("%s at %d/s: missed %.3f, false %.3f", c.name, c.fps, missed, wrong)
			for i, s := range c.scenes {
				t.Logf("   scene %d, %d pictures: %s", i, s.frames, s.chain)
			}
		}
		_ = os.Remove(path)
	}
	found, wrong := float64(hits)/float64(truths), float64(falses)/float64(hits+falses)
	t.Logf("%d true cuts, %.1f %% found, %.1f %% of the reported are false", truths, 100*found, 100*wrong)
	if truths < 100 || found < 0.95 || wrong > 0.02 {
		t.Fatalf("of %d true cuts %.1f %% are found (want ≥ 95), %.1f %% are false (want ≤ 2)", truths, 100*found, 100*wrong)
	}
}
