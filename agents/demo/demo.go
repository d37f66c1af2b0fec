// Package demo makes the demo product: short clips drawn and encoded with
// ffmpeg, whose cuts are known, and an agent that looks for a third of them.
//
// It may import agents/catalogue (for the manifest's item). It writes files and
// nothing else; what it makes is imported like anything else.
package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"sozai/agents/catalogue"
	"sozai/domain"
)

// Product is the name of the demo product.
const Product = "demo"

// Manifest is the name of the manifest beside the clips.
const Manifest = "manifest.jsonl"

// Clip is a generated clip: what to import, its file, and its true cuts.
type Clip struct {
	Item catalogue.Item
	Path string
	Cuts []float64 // seconds; the first picture after each hard cut
}

// Profile is an agent as a person would have written it.
type Profile struct {
	Name, Brief, Search, Steer string
}

// Agent is the demo product's agent. Every line is in both languages.
func Agent() Profile {
	return Profile{
		Name:  "末日塔防 · Last Tower",
		Brief: "一款末日题材的塔防手游，为短视频平台找爆款素材并出广告片。\nA mobile tower-defence game set in the apocalypse; we look for viral material and make short ads.",
		Search: "题材：末日塔防、丧尸围城 / theme: apocalypse tower defense, zombie siege\n" +
			"画面：连锁爆炸、清屏 / pictures: chain explosion, clearing the screen\n" +
			"反转：差一点失败，最后一秒翻盘 / twist: almost a fail, last-second comeback\n" +
			"过程：炮塔升级、合成、前后对比 / process: tower upgrade, merge, before and after\n" +
			"不要美食、美妆、真人口播 / avoid food, makeup and talking heads",
		Steer: "开头三秒就是危机，不铺垫 / open on the crisis within three seconds, no build-up\n" +
			"一个镜头不超过两秒 / no shot longer than two seconds\n" +
			"字幕一屏不超过八个字 / captions of at most five words\n" +
			"结尾停在胜负未分的时候 / end before it is decided who wins",
	}
}

// Generate writes the clips and the manifest into dir, which must exist. Clips
// that are there already are kept. progress may be nil; it is called from one
// goroutine at a time.
func Generate(ctx context.Context, dir string, progress func(done, total int)) ([]Clip, error) {
	return generate(ctx, dir, specs(), progress)
}

func generate(ctx context.Context, dir string, list []spec, progress func(done, total int)) ([]Clip, error) {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		return nil, domain.Errorf(domain.Unavailable, "ffmpeg is not installed; the demo clips need it")
	}
	font, err := usableFont(ctx, program)
	if err != nil {
		return nil, err
	}
	if err := sweep(dir); err != nil {
		return nil, err
	}
	clips := make([]Clip, len(list))
	var mu sync.Mutex
	done := 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, runtime.NumCPU()))
	for i, s := range list {
		group.Go(func() error {
			path := filepath.Join(dir, s.id+".mp4")
			if err := render(ctx, program, font, s, path); err != nil {
				return fmt.Errorf("make clip %s: %w", s.id, err)
			}
			clips[i] = Clip{Item: s.item(), Path: path, Cuts: s.cuts()}
			mu.Lock()
			defer mu.Unlock()
			done++
			if progress != nil {
				progress(done, len(list))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return clips, writeManifest(filepath.Join(dir, Manifest), clips)
}

// render draws one clip in a folder of its own, where every name is plain, and
// moves it into place when it is whole.
func render(ctx context.Context, program, font string, s spec, path string) error {
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return nil
	}
	work, err := os.MkdirTemp(filepath.Dir(path), making)
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	args, err := s.command(work, font)
	if err != nil {
		return err
	}
	if err := run(ctx, program, work, args); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(work, output), path); err != nil {
		return fmt.Errorf("keep clip: %w", err)
	}
	return nil
}

// making begins the names of folders in which clips are made.
const making = ".making-"

// sweep removes what a killed process was making.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read demo folder: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), making) {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return fmt.Errorf("sweep demo folder: %w", err)
			}
		}
	}
	return nil
}

// output is the name of a clip in the folder it is made in.
const output = "clip.mp4"

func run(ctx context.Context, program, folder string, args []string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = folder
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("ffmpeg: %w: %s", err, out[max(0, len(out)-600):])
	}
	return nil
}

// usableFont is a font with Chinese letters, else any font, else "": then, or if
// this ffmpeg cannot draw text, the clips have none.
func usableFont(ctx context.Context, program string) (string, error) {
	cjk, latin := fonts()
	font := cmp.Or(findFont(cjk), findFont(latin))
	if font == "" {
		return "", nil
	}
	err := run(ctx, program, os.TempDir(), []string{
		"-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=s=64x64:d=0.1",
		"-vf", "drawtext=fontfile=" + font + ":text=x", "-f", "null", "-",
	})
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "", err
	}
	if err != nil {
		return "", nil
	}
	return font, nil
}

// line is a manifest line; cuts are for whoever checks an analysis.
type line struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Author   string    `json:"author"`
	Platform string    `json:"platform"`
	Tags     []string  `json:"tags"`
	Created  int64     `json:"created_at"`
	Plays    int64     `json:"plays"`
	Likes    int64     `json:"likes"`
	Shares   int64     `json:"shares"`
	Comments int64     `json:"comments"`
	File     string    `json:"file"`
	Cuts     []float64 `json:"cuts"`
}

func writeManifest(path string, clips []Clip) error {
	var out []byte
	for _, c := range clips {
		i := c.Item
		raw, err := json.Marshal(line{
			ID: i.External, Title: i.Title, Author: i.Author, Platform: i.Platform, Tags: i.Tags, Created: i.Published.Unix(),
			Plays: i.Counts.Plays, Likes: i.Counts.Likes, Shares: i.Counts.Shares, Comments: i.Counts.Comments,
			File: i.File, Cuts: c.Cuts,
		})
		if err != nil {
			return fmt.Errorf("encode manifest: %w", err)
		}
		out = append(append(out, raw...), '\n')
	}
	if err := os.WriteFile(path, out, 0o640); err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	return nil
}
