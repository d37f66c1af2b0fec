package renderer

import (
	"fmt"
	"math"
	"strings"

	"sozai/agents/video"
)

// near is how far the shape of a clip may be from the film's to be cut to it;
// others stand whole before a blurred copy of themselves.
const near = 0.04

// fit is the filter that brings a clip to w×h with square pixels.
func fit(info video.Info, w, h int) string {
	shape, want := float64(info.Width)/float64(info.Height), float64(w)/float64(h)
	cover := max(float64(w)/float64(info.Width), float64(h)/float64(info.Height))
	if math.Abs(shape/want-1) <= near {
		return scale(info, cover, w, h, true) + fmt.Sprintf(",crop=%d:%d", w, h)
	}
	inside := min(float64(w)/float64(info.Width), float64(h)/float64(info.Height))
	small := 1.0 / 6
	bw, bh := max(2, w/6/2*2), max(2, h/6/2*2)
	return "split[sharp][soft];" +
		"[soft]" + scale(info, cover*small, bw, bh, true) + fmt.Sprintf(",crop=%d:%d,boxblur=%d:2,scale=%d:%d,eq=brightness=-0.12,setsar=1[back];", bw, bh, max(1, min(bw, bh)/16), w, h) +
		"[sharp]" + scale(info, inside, w, h, false) + "[front];" +
		"[back][front]overlay=(W-w)/2:(H-h)/2"
}

// scale is the filter that makes a clip factor times as large, in even numbers;
// it covers w×h, or fits inside.
func scale(info video.Info, factor float64, w, h int, covers bool) string {
	even := func(side, limit int) int {
		n := int(math.Round(float64(side)*factor/2)) * 2
		if covers {
			return max(n, limit)
		}
		return max(2, min(n, limit))
	}
	return fmt.Sprintf("scale=%d:%d:out_color_matrix=bt709:out_range=tv,setsar=1,format=yuv420p",
		even(info.Width, w), even(info.Height, h))
}

// cardColours are dark enough for white letters.
func cardColours() []string {
	return []string{"0x1b1030", "0x0d2b3a", "0x33201a", "0x12301f", "0x2c2c34"}
}

// drawing is how a shot becomes raw pictures on standard output and, if its clip
// has sound, samples in the file sound. captions begins with a comma or is empty.
func (p plan) drawing(s shot, info video.Info, captions, sound string) []string {
	if s.Clip == "" {
		colour := cardColours()[max(0, s.Number)%len(cardColours())]
		return []string{
			"-f", "lavfi", "-i", fmt.Sprintf("color=c=%s:s=%dx%d:r=%d,format=yuv420p%s", colour, p.w, p.h, FPS, captions),
			"-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "yuv420p", "pipe:1",
		}
	}
	need := float64(s.frames+s.over) / FPS
	length := info.Seconds - s.From
	if s.To > 0 {
		length = min(length, s.To-s.From)
	}
	args := []string{"-timelimit", "300", "-ss", decimal(s.From), "-t", decimal(min(length, need+0.5))}
	args = append(args, input(s.Clip)...)
	args = append(args, "-map", "0:V:0", "-vf", fmt.Sprintf("fps=%d:start_time=0,%s%s", FPS, fit(info, p.w, p.h), captions),
		"-frames:v", fmt.Sprint(s.frames+s.over), "-f", "rawvideo", "-pix_fmt", "yuv420p", "pipe:1")
	if info.HasSound {
		args = append(args, "-map", "0:a:0", "-af", fmt.Sprintf("aresample=%d:async=1:first_pts=0", soundRate),
			"-t", decimal(need), "-f", "s16le", "-ar", fmt.Sprint(soundRate), "-ac", "2", sound)
	}
	return args
}

// encoding is how raw pictures from standard input become a video without sound.
// On one thread x264 makes the same bytes of the same pictures, on several it was
// seen not to; the other cores draw meanwhile.
func (p plan) encoding(video string) []string {
	return []string{
		"-f", "rawvideo", "-pix_fmt", "yuv420p", "-video_size", fmt.Sprintf("%dx%d", p.w, p.h), "-framerate", fmt.Sprint(FPS),
		"-i", "pipe:0", "-map", "0:v", "-c:v", "libx264", "-preset", "veryfast", "-threads", "1", "-crf", "21", "-profile:v", "high",
		"-pix_fmt", "yuv420p", "-g", fmt.Sprint(2 * FPS), "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-fflags", "+bitexact", "-flags:v", "+bitexact", video,
	}
}

// muxing is how that video and raw samples become the film. Nothing in it says
// when or by what it was made, so the same job makes the same bytes.
func muxing(video, sound, film string) []string {
	return []string{
		"-i", video, "-f", "s16le", "-ar", fmt.Sprint(soundRate), "-ac", "2", "-i", sound,
		"-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "aac", "-b:a", "128k", "-map_metadata", "-1",
		"-fflags", "+bitexact", "-flags:a", "+bitexact", "-movflags", "+faststart", "-f", "mp4", film,
	}
}

// decimal is a number of seconds as ffmpeg reads it.
func decimal(seconds float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", max(0, seconds)), "0"), ".")
}
