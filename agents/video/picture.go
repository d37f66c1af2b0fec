package video

import (
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"os"
	"strconv"
)

// Sizes of what is made from a video.
const (
	posterSide     = 960 // pixels, the longer side
	previewSide    = 320
	previewSeconds = 3
	previewRate    = 15      // pictures a second
	maxPicture     = 4 << 20 // bytes of a poster or preview
)

// Poster writes a JPEG of a telling picture, not a black one, to dst: the first
// of a few places that shows something, else the brightest.
func (a *Analyzer) Poster(ctx context.Context, path string, info Info, dst string) error {
	tmp := dst + ".part.jpg"
	defer os.Remove(tmp)
	best := -1.0
	for _, part := range []float64{0.15, 0.4, 0.65, 0.9, 0} {
		err := a.poster(ctx, path, info, part*info.Seconds, tmp)
		if errors.Is(err, errProgram) {
			continue
		}
		if err != nil {
			return err
		}
		light, err := telling(tmp)
		if err != nil { // no picture at that place
			continue
		}
		if light > best {
			best = light
			if err := os.Rename(tmp, dst); err != nil {
				return fmt.Errorf("keep poster: %w", err)
			}
		}
		if best >= enoughLight {
			return nil
		}
	}
	if best < 0 {
		return notVideo("no picture of the file can be shown")
	}
	return nil
}

// poster takes the most representative of the pictures that follow a time.
func (a *Analyzer) poster(ctx context.Context, path string, info Info, at float64, dst string) error {
	w, h := within(info, posterSide)
	return a.run(ctx, job{program: a.ffmpeg, args: a.ffmpegArgs(
		[]string{"-v", "error", "-y", "-ss", strconv.FormatFloat(at, 'f', 3, 64)}, path,
		"-map", "0:"+strconv.Itoa(info.stream), "-an", "-sn", "-dn",
		"-vf", fmt.Sprintf("scale=%d:%d,setsar=1,thumbnail=n=12", w, h),
		"-frames:v", "1", "-q:v", "4", "-map_metadata", "-1", "-fs", strconv.Itoa(maxPicture),
		"-f", "image2", "-update", "1", "file:"+dst)})
}

// enoughLight is the mean deviation from one flat colour of a telling picture.
const enoughLight = 8

// telling measures how much a picture shows: the mean deviation of brightness.
// A black or white picture shows nothing.
func telling(path string) (float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("open poster: %w", err)
	}
	defer f.Close()
	img, err := jpeg.Decode(f)
	if err != nil {
		return 0, fmt.Errorf("read poster: %w", err)
	}
	box := img.Bounds()
	var values []float64
	sum := 0.0
	for y := box.Min.Y; y < box.Max.Y; y += 8 {
		for x := box.Min.X; x < box.Max.X; x += 8 {
			r, g, b, _ := img.At(x, y).RGBA()
			light := (0.3*float64(r) + 0.59*float64(g) + 0.11*float64(b)) / 257
			values = append(values, light)
			sum += light
		}
	}
	mean, deviation := sum/float64(len(values)), 0.0
	for _, v := range values {
		deviation += max(v-mean, mean-v)
	}
	return deviation / float64(len(values)), nil
}

// Preview writes at most three silent seconds as a small MP4 to dst, from a
// place that is not the very beginning if there is enough.
func (a *Analyzer) Preview(ctx context.Context, path string, info Info, dst string) error {
	w, h := within(info, previewSide)
	start := min(0.15*info.Seconds, max(0, info.Seconds-previewSeconds))
	tmp := dst + ".part.mp4"
	defer os.Remove(tmp)
	err := a.run(ctx, job{program: a.ffmpeg, args: a.ffmpegArgs(
		[]string{"-v", "error", "-y", "-ss", strconv.FormatFloat(start, 'f', 3, 64)}, path,
		"-map", "0:"+strconv.Itoa(info.stream), "-an", "-sn", "-dn", "-t", strconv.Itoa(previewSeconds),
		"-vf", fmt.Sprintf("fps=%d,scale=%d:%d,setsar=1,format=yuv420p", previewRate, w, h),
		"-c:v", "libx264", "-preset", "veryfast", "-crf", "30", "-movflags", "+faststart",
		"-map_metadata", "-1", "-fs", strconv.Itoa(maxPicture), "-f", "mp4", "file:"+tmp)})
	if err != nil {
		return unreadable(err)
	}
	if err := os.Rename(tmp, dst); err != nil {
		return fmt.Errorf("keep preview: %w", err)
	}
	return nil
}

// within is the size of a video whose longer side is at most side pixels, in
// even numbers.
func within(info Info, side int) (w, h int) {
	scale := min(1, float64(side)/float64(max(info.Width, info.Height)))
	even := func(n int) int { return max(2, int(float64(n)*scale)/2*2) }
	return even(info.Width), even(info.Height)
}
