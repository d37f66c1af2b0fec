package renderer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"sozai/agents/video"
	"sozai/domain"
)

// LocalConfig is what a local renderer stands on.
type LocalConfig struct {
	Dir       string          // data folder; films are made below <Dir>/films
	Video     *video.Analyzer // looks at the clips
	FFmpeg    string          // program; "" = found on PATH
	ShortSide int             // of the film, in pixels; 0 = 720
}

// Local renders with ffmpeg on this machine: one program a shot draws raw
// pictures, this process joins them, one program encodes. Safe for concurrent
// use.
type Local struct {
	dir    string
	ffmpeg string
	short  int
	video  *video.Analyzer
	font   font
}

// NewLocal finds the program and removes what killed processes have left. It
// returns domain.Unavailable if ffmpeg is missing.
func NewLocal(c LocalConfig) (*Local, error) {
	name := c.FFmpeg
	if name == "" {
		name = "ffmpeg"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, domain.Errorf(domain.Unavailable, "ffmpeg is not installed (looked for %q); films need it", name)
	}
	l := &Local{dir: filepath.Join(c.Dir, "films"), ffmpeg: path, short: c.ShortSide, video: c.Video, font: installedFont()}
	if l.short == 0 {
		l.short = 720
	}
	return l, prepare(l.dir)
}

// Name implements Renderer.
func (l *Local) Name() string { return "local" }

// Render implements Renderer.
func (l *Local) Render(ctx context.Context, job Job, progress func(done, total int)) (Result, error) {
	p, err := newPlan(job, l.short)
	if err != nil {
		return Result{}, err
	}
	f, err := openFolder(l.dir)
	if err != nil {
		return Result{}, err
	}
	whole := false
	defer func() {
		if !whole {
			f.remove()
		}
	}()
	limit := 3*time.Minute + 20*time.Second*time.Duration(p.frames/FPS)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = l.render(limited, f, p, progress)
	switch {
	case err == nil:
		whole = true
		return Result{Path: f.file(filmFile), Frames: p.frames, Width: p.w, Height: p.h, folder: f}, nil
	case ctx.Err() != nil:
		err = ctx.Err()
	case limited.Err() != nil:
		err = domain.Errorf(domain.Unprocessable, "渲染超过 %s 还没有完成 · rendering takes longer than %s", limit, limit)
	}
	return Result{}, err
}

// Spent implements Renderer: this machine costs nothing.
func (l *Local) Spent(context.Context, Job) (domain.Money, error) { return 0, nil }

// The files of a film in its folder.
const (
	videoFile = "video.mp4"
	soundName = "sound.pcm"
	filmFile  = "film.mp4"
)

func (l *Local) render(ctx context.Context, f *folder, p plan, progress func(done, total int)) error {
	clips, err := l.look(ctx, p)
	if err != nil {
		return err
	}
	progress(0, p.frames)
	done := 0
	each := func() {
		if done++; done < p.frames {
			progress(done, p.frames)
		}
	}
	if err := l.encode(ctx, f, p, func(to io.Writer) error { return l.draw(ctx, f, p, clips, to, each) }); err != nil {
		return err
	}
	if err := mixSound(ctx, f, p, soundName); err != nil {
		return err
	}
	if err := l.run(ctx, command{dir: f.path, args: muxing(videoFile, soundName, filmFile)}); err != nil {
		return fmt.Errorf("finish film: %w", err)
	}
	progress(p.frames, p.frames)
	return nil
}

// look probes every clip, and refuses what cannot be drawn before anything is.
func (l *Local) look(ctx context.Context, p plan) (map[string]video.Info, error) {
	first := map[string]shot{}
	var paths []string
	for _, s := range p.shots {
		if err := l.font.check(s.Caption); drawable(s.Caption) != "" && err != nil {
			return nil, err
		}
		if _, known := first[s.Clip]; !known && s.Clip != "" {
			first[s.Clip] = s
			paths = append(paths, s.Clip)
		}
	}
	infos := make([]video.Info, len(paths))
	failed := make([]error, len(paths))
	group := errgroup.Group{}
	group.SetLimit(2)
	for i, path := range paths {
		group.Go(func() error {
			infos[i], failed[i] = l.video.Probe(ctx, path)
			return nil
		})
	}
	_ = group.Wait() // every clip has its own error
	clips := map[string]video.Info{}
	for i, path := range paths {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var refusal *domain.Error
		switch err := failed[i]; {
		case errors.Is(err, os.ErrNotExist):
			return nil, panelError(first[path].Number, "素材的视频文件不在了", "the video file of its clip is gone")
		case errors.As(err, &refusal):
			return nil, panelError(first[path].Number, "素材的视频文件读不出来", "its clip cannot be used: "+refusal.Message)
		case err != nil:
			return nil, fmt.Errorf("look at the clip of panel %d: %w", first[path].Number, err)
		}
		clips[path] = infos[i]
	}
	for _, s := range p.shots {
		if s.Clip != "" && s.From > clips[s.Clip].Seconds-0.5/FPS {
			return nil, panelError(s.Number,
				fmt.Sprintf("从 %.1f 秒取用，但素材只有 %.1f 秒", s.From, clips[s.Clip].Seconds),
				fmt.Sprintf("it begins at %.1f s, but its clip is %.1f s long", s.From, clips[s.Clip].Seconds))
		}
	}
	return clips, nil
}

// encode runs the encoder beside draw, which writes the pictures.
func (l *Local) encode(ctx context.Context, f *folder, p plan, draw func(to io.Writer) error) error {
	in, out, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("open pipe: %w", err)
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	encoded := make(chan error, 1)
	go func() {
		encoded <- l.run(running, command{dir: f.path, args: p.encoding(videoFile), stdin: in})
	}()
	drawErr := draw(out)
	if drawErr != nil {
		stop()
	}
	_ = out.Close() // the encoder's end of input
	encodeErr := <-encoded
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case drawErr != nil && !errors.Is(drawErr, errWrite):
		return drawErr
	case encodeErr != nil:
		return fmt.Errorf("encode film: %w", encodeErr)
	}
	return drawErr
}

// draw writes the pictures of all shots, and leaves their sound in files.
func (l *Local) draw(ctx context.Context, f *folder, p plan, clips map[string]video.Info, to io.Writer, each func()) error {
	w := newWeaver(to, p.w, p.h, each)
	for i, s := range p.shots {
		captions, err := lay(s.Caption, p.w, p.h, s.Clip == "").filters(f.path, fmt.Sprintf("caption-%03d", i), l.font.path)
		if err != nil {
			return err
		}
		drawn := 0
		err = l.run(ctx, command{
			dir: f.path, args: p.drawing(s, clips[s.Clip], captions, soundFile(i)),
			read: func(out io.Reader) (err error) {
				drawn, err = w.shot(s, out)
				return err
			},
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errProgram) || err == nil && drawn == 0:
			return errors.Join(panelError(s.Number, "素材的这一段读不出来", "this part of its clip cannot be read"), err)
		case err != nil:
			return err
		}
	}
	return nil
}
