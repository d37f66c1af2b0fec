package demo

import (
	"fmt"
	"strings"
	"time"

	"sozai/agents/catalogue"
	"sozai/domain/library"
)

// spec says what a clip shows and how it is described.
type spec struct {
	id       string
	zh, en   string
	tags     []string
	author   string
	platform string
	scenes   []string // kinds of drawings
	colours  palette
	sound    string
	w, h     int
	fps      int
	number   int // from 1; everything that varies follows from it
}

// frames are the lengths of the scenes. They vary from 0.8 to 2.4 seconds.
func (s spec) frames() []int {
	out := make([]int, len(s.scenes))
	for i := range out {
		tenths := 8 + (s.number*7+i*5)%17
		if len(out) == 1 {
			tenths = 52 // one take
		}
		out[i] = tenths * s.fps / 10
	}
	return out
}

func (s spec) cuts() []float64 {
	cuts := []float64{}
	n := 0
	for _, f := range s.frames()[:len(s.scenes)-1] {
		n += f
		cuts = append(cuts, float64(n)/float64(s.fps))
	}
	return cuts
}

func (s spec) seconds() float64 {
	n := 0
	for _, f := range s.frames() {
		n += f
	}
	return float64(n) / float64(s.fps)
}

// item describes the clip in both languages. Counts are made up, spread over
// four orders of magnitude.
func (s spec) item() catalogue.Item {
	plays := int64(1200) << (s.number * 5 % 13)
	return catalogue.Item{
		External: s.id, Title: s.zh + " / " + s.en, Author: s.author, Platform: s.platform, Tags: s.tags,
		Counts: library.Counts{
			Plays: plays, Likes: plays * int64(3+s.number%9) / 100,
			Shares: plays * int64(1+s.number%4) / 400, Comments: plays * int64(1+s.number%5) / 500,
		},
		Published: time.Date(2025, 3, 1+s.number*3, 8+s.number%12, 0, 0, 0, time.UTC),
		File:      s.id + ".mp4",
	}
}

// command is ffmpeg's arguments to draw the clip in folder.
func (s spec) command(folder, font string) ([]string, error) {
	var graph strings.Builder
	names := ""
	for i, kind := range s.scenes {
		draw, ok := drawings()[kind]
		if !ok {
			return nil, fmt.Errorf("clip %s: no drawing %q", s.id, kind)
		}
		c := canvas{
			w: s.w, h: s.h, fps: s.fps, font: font, seed: s.number*11 + i*5,
			// colours change places from scene to scene, so that neighbours differ
			colours: palette{s.colours[i%2], s.colours[(i+1)%2], s.colours[2]},
		}
		words := ""
		if i == 0 {
			zh, err := c.caption(folder, "zh.txt", s.zh, min(s.w, s.h)/12, "h*0.08")
			if err != nil {
				return nil, err
			}
			en, err := c.caption(folder, "en.txt", s.en, min(s.w, s.h)/20, "h*0.86")
			if err != nil {
				return nil, err
			}
			words = zh + en
		}
		fmt.Fprintf(&graph, "%s,scale=%d:%d,setsar=1%s,trim=end_frame=%d,setpts=PTS-STARTPTS,format=yuv420p[s%d];",
			draw(c), s.w, s.h, words, s.frames()[i], i)
		names += fmt.Sprintf("[s%d]", i)
	}
	fmt.Fprintf(&graph, "%sconcat=n=%d[v]", names, len(s.scenes))
	args := []string{"-nostdin", "-v", "error", "-y"}
	sound := sounds()[s.sound]
	if sound != "" {
		fmt.Fprintf(&graph, ";%s[a]", fmt.Sprintf(sound, s.seconds()))
	}
	args = append(args, "-filter_complex_threads", "1", "-filter_complex", graph.String(), "-map", "[v]")
	if sound != "" {
		args = append(args, "-map", "[a]", "-c:a", "aac", "-b:a", "64k")
	}
	return append(args, "-c:v", "libx264", "-preset", "ultrafast", "-threads", "1", "-crf", "27", "-g", "250",
		"-pix_fmt", "yuv420p", "-movflags", "+faststart", output), nil
}

// sounds are sources of sound; %f is the length. "none" has no track at all,
// "hush" a silent one, "late" is silent at first.
func sounds() map[string]string {
	return map[string]string{
		"none": "",
		"hush": "anullsrc=r=22050:cl=mono,atrim=duration=%f",
		"beat": "aevalsrc='0.7*sin(2*PI*55*t)*exp(-8*mod(t,0.5))+0.15*sin(2*PI*(220+110*mod(floor(t*2),3))*t)*exp(-3*mod(t,0.5))':s=22050:d=%f",
		"boom": "aevalsrc='0.7*(random(0)*2-1)*exp(-3*mod(t,1.6))+0.3*sin(2*PI*45*t)*exp(-2*mod(t,1.6))':s=22050:d=%f",
		"beep": "aevalsrc='0.4*sin(2*PI*880*t)*lt(mod(t,0.5),0.12)':s=22050:d=%f",
		"talk": "aevalsrc='0.3*(sin(2*PI*140*t)+0.6*sin(2*PI*280*t)+0.4*sin(2*PI*560*t+3*sin(2*PI*3*t)))*abs(sin(2*PI*2.3*t))*gt(mod(t,2.2),0.35)':s=22050:d=%f",
		"song": "aevalsrc='0.25*sin(2*PI*262*t)*exp(-2*mod(t,0.25))+0.2*sin(2*PI*(330+66*mod(floor(t*4),4))*t)*exp(-3*mod(t,0.25))':s=22050:d=%f",
		"late": "aevalsrc='0.3*sin(2*PI*392*t)*gt(t,1.5)*exp(-1.5*mod(t,0.5))':s=22050:d=%f",
	}
}
