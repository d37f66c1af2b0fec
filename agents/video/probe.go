package video

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// Info is what a file is. Width and Height are as shown: turned and with square
// pixels.
type Info struct {
	Container string // mp4, mov or webm
	Type      string // MIME type
	Seconds   float64
	Width     int
	Height    int
	FPS       float64 // average; 0 = unknown
	HasSound  bool
	Codec     string
	stream    int // index of the video stream
}

// Probe reads what the file at path is. It returns ErrNotVideo for anything
// that is not a playable mp4, mov or webm within the limits.
func (a *Analyzer) Probe(ctx context.Context, path string) (Info, error) {
	container, err := sniffFile(path)
	if err != nil {
		return Info{}, err
	}
	out := &bounded{limit: 1 << 20}
	err = a.run(ctx, job{program: a.ffprobe, stdout: out, args: append([]string{
		"-v", "error", "-hide_banner", "-max_alloc", strconv.Itoa(maxAlloc), "-print_format", "json",
		"-show_entries", "format=duration:stream=index,codec_name,codec_type,width,height," +
			"sample_aspect_ratio,avg_frame_rate,duration:stream_disposition=attached_pic:" +
			"stream_tags=rotate:stream_side_data=rotation",
	}, input(path)...)})
	if err != nil {
		return Info{}, unreadable(err)
	}
	info, length, err := parseProbe(out.buf)
	if err != nil {
		return Info{}, err
	}
	info.Container, info.Type = container, "video/"+container
	if container == "mov" {
		info.Type = "video/quicktime"
	}
	count, err := a.packets(ctx, path, info.stream)
	if err != nil {
		return Info{}, err
	}
	return info, info.settle(length, count)
}

// lengths are the durations that a header claims, in seconds; 0 = not said.
type lengths struct{ video, file float64 }

// settle compares what the header claims with what the packets say.
func (info *Info) settle(claimed lengths, c packetCount) error {
	if c.pictures == 0 {
		return notVideo("the file has no pictures")
	}
	if claimed.video > 0 && c.end < 0.8*claimed.video-0.5 ||
		claimed.file > 0 && c.anyEnd < 0.8*claimed.file-0.5 {
		return notVideo("the file is cut off: it says %.1f s but holds %.1f s", max(claimed.video, claimed.file), c.anyEnd)
	}
	info.Seconds = claimed.video
	if info.Seconds == 0 {
		info.Seconds = c.end - c.start
		if c.pictures > 1 {
			info.Seconds *= float64(c.pictures) / float64(c.pictures-1) // the last picture lasts too
		}
	}
	if info.Seconds == 0 {
		info.Seconds = claimed.file
	}
	if info.Seconds <= 0 {
		return notVideo("the file does not say how long it is")
	}
	if info.Seconds > MaxSeconds {
		return notVideo("the video is %.0f minutes long; the limit is %d", info.Seconds/60, MaxSeconds/60)
	}
	info.Seconds = math.Round(info.Seconds*1000) / 1000
	if info.FPS == 0 {
		info.FPS = float64(c.pictures) / info.Seconds
	}
	return nil
}

// unreadable turns a program's refusal into a sentence; other errors pass.
func unreadable(err error) error {
	if errors.Is(err, errProgram) {
		return notVideo("the file is broken: it cannot be read as a video")
	}
	if errors.Is(err, errOutput) {
		return notVideo("the file describes itself in an unreasonable amount of data")
	}
	return err
}

// parseProbe reads ffprobe's JSON. Numbers in it are mostly strings, and may be
// missing, "N/A" or "0/0".
func parseProbe(out []byte) (Info, lengths, error) {
	type stream struct {
		Index       int    `json:"index"`
		Codec       string `json:"codec_name"`
		Type        string `json:"codec_type"`
		Width       int    `json:"width"`
		Height      int    `json:"height"`
		SAR         string `json:"sample_aspect_ratio"`
		Rate        string `json:"avg_frame_rate"`
		Duration    string `json:"duration"`
		Disposition struct {
			Attached int `json:"attached_pic"`
		} `json:"disposition"`
		Tags struct {
			Rotate string `json:"rotate"`
		} `json:"tags"`
		SideData []struct {
			Rotation *float64 `json:"rotation"`
		} `json:"side_data_list"`
	}
	var doc struct {
		Streams []stream `json:"streams"`
		Format  struct {
			Duration string `json:"duration"`
		} `json:"format"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return Info{}, lengths{}, notVideo("the file is broken: its description makes no sense")
	}
	var video *stream
	var info Info
	for i := range doc.Streams {
		s := &doc.Streams[i]
		switch {
		case s.Type == "audio" && s.Codec != "":
			info.HasSound = true
		case s.Type == "video" && s.Disposition.Attached == 0 && video == nil:
			video = s
		}
	}
	switch {
	case video == nil && info.HasSound:
		return Info{}, lengths{}, notVideo("the file has sound but no pictures")
	case video == nil:
		return Info{}, lengths{}, notVideo("the file has no video in it")
	case video.Width <= 0 || video.Height <= 0 || video.Codec == "":
		return Info{}, lengths{}, notVideo("the file's video is of an unknown kind")
	case video.Width > MaxSide || video.Height > MaxSide:
		return Info{}, lengths{}, notVideo("the video is %d×%d; the limit is %d pixels a side", video.Width, video.Height, MaxSide)
	}
	info.stream, info.Codec = video.Index, video.Codec
	info.Width, info.Height = video.Width, video.Height
	if sar := ratio(strings.Replace(video.SAR, ":", "/", 1)); sar > 0.1 && sar < 10 {
		info.Width = max(1, int(math.Round(float64(info.Width)*sar)))
	}
	turn, _ := strconv.ParseFloat(video.Tags.Rotate, 64)
	for _, d := range video.SideData {
		if d.Rotation != nil {
			turn = *d.Rotation
		}
	}
	if quarter := math.Mod(math.Abs(turn), 180); quarter > 45 && quarter < 135 {
		info.Width, info.Height = info.Height, info.Width
	}
	if fps := ratio(video.Rate); fps > 0 && fps <= 1000 {
		info.FPS = fps
	}
	return info, lengths{video: seconds(video.Duration), file: seconds(doc.Format.Duration)}, nil
}

// ratio reads "30000/1001"; 0 for anything that is no positive number.
func ratio(s string) float64 {
	n, d, ok := strings.Cut(s, "/")
	if !ok {
		d = "1"
	}
	num, err1 := strconv.ParseFloat(n, 64)
	den, err2 := strconv.ParseFloat(d, 64)
	if err1 != nil || err2 != nil || den == 0 {
		return 0
	}
	return positive(num / den)
}

// seconds reads a duration; 0 for "N/A" and nonsense.
func seconds(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return positive(f)
}

func positive(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
		return 0
	}
	return f
}

// packetCount sums up a file's packets. Times are seconds.
type packetCount struct {
	pictures           int
	start, end, anyEnd float64
}

// packets reads the packets' times without decoding: headers lie, and webm
// from browsers has no duration at all.
func (a *Analyzer) packets(ctx context.Context, path string, stream int) (packetCount, error) {
	c := packetCount{start: math.Inf(1)}
	out := &lines{each: func(line string) error {
		c.add(line, stream)
		return nil
	}}
	err := a.run(ctx, job{program: a.ffprobe, stdout: out, args: append([]string{
		"-v", "error", "-hide_banner", "-max_alloc", strconv.Itoa(maxAlloc), "-print_format", "csv=p=0",
		"-show_entries", "packet=stream_index,pts_time",
	}, input(path)...)})
	if err != nil && !errors.Is(err, errProgram) { // a broken end is judged by the numbers
		return c, unreadable(err)
	}
	if math.IsInf(c.start, 1) {
		c.start = 0
	}
	return c, nil
}

// add counts one line "stream,time".
func (c *packetCount) add(line string, stream int) {
	index, rest, ok := strings.Cut(line, ",")
	if !ok {
		return
	}
	at, err := strconv.ParseFloat(strings.TrimSuffix(rest, ","), 64)
	if err != nil || math.IsNaN(at) || math.IsInf(at, 0) {
		return
	}
	c.anyEnd = max(c.anyEnd, at)
	if index == strconv.Itoa(stream) {
		c.pictures++
		c.start, c.end = min(c.start, at), max(c.end, at)
	}
}
