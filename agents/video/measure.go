package video

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sozai/domain/library"
)

// Measure decodes the file at path once for its pictures and once for its sound.
func (a *Analyzer) Measure(ctx context.Context, path string, info Info) (library.Metrics, error) {
	c, err := a.pictures(ctx, path, info, nil)
	if err != nil {
		return library.Metrics{}, err
	}
	m := c.metrics(info)
	if err := a.sound(ctx, path, info, &m); err != nil {
		return library.Metrics{}, err
	}
	return m, nil
}

// smallSize is the size that pictures are compared at: whole blocks, about the
// shape of the video, small enough to forget noise.
func smallSize(info Info) (w, h int) {
	switch ratio := float64(info.Width) / float64(info.Height); {
	case ratio > 1.2:
		return 80, 48
	case ratio < 0.83:
		return 48, 80
	}
	return 64, 64
}

// pictures decodes every picture, scaled down, and feeds them to the cutter.
// Timestamps come beside the pictures: with a variable rate the number of a
// picture says nothing about its time.
func (a *Analyzer) pictures(ctx context.Context, path string, info Info, trace func(*small, verdict)) (*cutter, error) {
	w, h := smallSize(info)
	c := newCutter()
	c.trace = trace
	times := make(chan float64, 4096)
	f := &framer{size: w * h * 3, each: func(data []byte) error {
		select {
		case at := <-times:
			c.push(newSmall(at, w, h, data))
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	stamps := &lines{each: func(line string) error {
		if _, text, ok := strings.Cut(line, "pts_time:"); ok {
			at, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				at = 0
			}
			times <- at
		}
		return nil
	}}
	graph := fmt.Sprintf("scale=%d:%d:flags=area,format=yuv444p,metadata=mode=add:key=t:value=1,"+
		`metadata=mode=print:key=t:direct=1:file=pipe\\:3,settb=1/25,setpts=N`, w, h)
	err := a.run(ctx, job{
		program: a.ffmpeg, stdout: f, extra: stamps,
		args: a.ffmpegArgs([]string{"-v", "error"}, path,
			"-map", "0:"+strconv.Itoa(info.stream), "-an", "-sn", "-dn", "-vf", graph,
			"-r", "25", "-f", "rawvideo", "pipe:1"),
	})
	if err != nil && !(errors.Is(err, errProgram) && c.pushed > 0) {
		return nil, unreadable(err)
	}
	if c.pushed == 0 {
		return nil, notVideo("no picture of the file can be shown")
	}
	c.finish(info.Seconds)
	return c, nil
}

// framer cuts a stream of raw pictures into pictures.
type framer struct {
	size int
	rest []byte
	each func([]byte) error
}

func (f *framer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if f.rest == nil {
			f.rest = make([]byte, 0, f.size)
		}
		k := min(len(p), f.size-len(f.rest))
		f.rest = append(f.rest, p[:k]...)
		p = p[k:]
		if len(f.rest) == f.size {
			data := f.rest
			f.rest = nil
			if err := f.each(data); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}
