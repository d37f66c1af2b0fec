package catalogue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"sozai/agents/video"
	"sozai/domain"
	"sozai/domain/library"
)

// Rendition is one of the files kept under a hash.
type Rendition string

// The renditions.
const (
	Original Rendition = "original"
	Poster   Rendition = "poster"
	Preview  Rendition = "preview"
)

// File is where a rendition lies and what it is.
type File struct {
	Path string
	Type string // MIME type
}

// isHash says whether a text is a hash and so may be part of a path.
func isHash(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

// store keeps files under their hash: <dir>/<first two digits>/<hash>.<ext>. A
// file that is there is whole: it is written elsewhere, synced and renamed.
type store struct {
	dir   string
	video *video.Analyzer
	limit int64
}

// leftover is the age from which a temporary file belongs to nobody any more.
const leftover = 24 * time.Hour

func openStore(dir string, v *video.Analyzer, limit int64) (*store, error) {
	s := &store{dir: dir, video: v, limit: limit}
	if err := os.MkdirAll(s.temporary(), 0o750); err != nil {
		return nil, fmt.Errorf("make media folder: %w", err)
	}
	old, err := os.ReadDir(s.temporary())
	if err != nil {
		return nil, fmt.Errorf("read media folder: %w", err)
	}
	for _, f := range old {
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > leftover {
			_ = os.Remove(filepath.Join(s.temporary(), f.Name()))
		}
	}
	return s, nil
}

func (s *store) temporary() string { return filepath.Join(s.dir, "tmp") }

func (s *store) path(hash, suffix string) string {
	return filepath.Join(s.dir, hash[:2], hash+suffix)
}

// find looks for a rendition on disk.
func (s *store) find(hash string, r Rendition) (File, error) {
	missing := domain.Errorf(domain.NotFound, "there is no such media file")
	if !isHash(hash) {
		return File{}, missing
	}
	var candidates []File
	switch r {
	case Original:
		candidates = []File{
			{s.path(hash, ".mp4"), "video/mp4"},
			{s.path(hash, ".mov"), "video/quicktime"},
			{s.path(hash, ".webm"), "video/webm"},
		}
	case Poster:
		candidates = []File{{s.path(hash, ".jpg"), "image/jpeg"}}
	case Preview:
		candidates = []File{{s.path(hash, ".preview.mp4"), "video/mp4"}}
	}
	for _, f := range candidates {
		if _, err := os.Stat(f.Path); err == nil {
			return f, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return File{}, fmt.Errorf("look for media: %w", err)
		}
	}
	return File{}, missing
}

// keep stores a video with its poster and preview.
func (s *store) keep(ctx context.Context, file io.Reader) (library.Media, error) {
	tmp := filepath.Join(s.temporary(), ulid.Make().String())
	defer func() { _ = os.Remove(tmp) }()
	hash, size, err := s.receive(file, tmp)
	if err != nil {
		return library.Media{}, err
	}
	info, err := s.video.Probe(ctx, tmp)
	if err != nil {
		return library.Media{}, err
	}
	m := library.Media{
		Hash: hash, Type: info.Type, Bytes: size, Seconds: info.Seconds,
		Width: info.Width, Height: info.Height, HasSound: info.HasSound,
	}
	folder := filepath.Dir(s.path(hash, ""))
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return library.Media{}, fmt.Errorf("make media folder: %w", err)
	}
	if err := syncFolder(s.dir); err != nil {
		return library.Media{}, err
	}
	if m.Poster, err = s.derive(hash, Poster, ".jpg", func(dst string) error {
		return s.video.Poster(ctx, tmp, info, dst)
	}); err != nil {
		return library.Media{}, err // a video without one picture is none
	}
	m.Preview, err = s.derive(hash, Preview, ".preview.mp4", func(dst string) error {
		return s.video.Preview(ctx, tmp, info, dst)
	})
	if err != nil && !errors.Is(err, video.ErrNotVideo) {
		return library.Media{}, err
	}
	if _, err := s.find(hash, Original); err == nil {
		return m, nil
	}
	if err := os.Rename(tmp, s.path(hash, "."+info.Container)); err != nil {
		return library.Media{}, fmt.Errorf("keep media: %w", err)
	}
	return m, syncFolder(folder)
}

// derive makes a rendition unless it is there, and says whether it is there now.
func (s *store) derive(hash string, r Rendition, suffix string, write func(dst string) error) (bool, error) {
	if _, err := s.find(hash, r); err == nil {
		return true, nil
	}
	tmp := filepath.Join(s.temporary(), ulid.Make().String()+suffix)
	defer func() { _ = os.Remove(tmp) }()
	if err := write(tmp); err != nil {
		return false, err
	}
	if err := os.Rename(tmp, s.path(hash, suffix)); err != nil {
		return false, fmt.Errorf("keep %s: %w", r, err)
	}
	return true, nil
}

// receive writes what comes to path, synced, and returns its hash and size.
func (s *store) receive(file io.Reader, path string) (hash string, size int64, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return "", 0, fmt.Errorf("create media: %w", err)
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("close media: %w", cerr)
		}
	}()
	sum := sha256.New()
	size, err = io.Copy(io.MultiWriter(f, sum), io.LimitReader(file, s.limit+1))
	if err != nil {
		return "", 0, fmt.Errorf("receive media: %w", err)
	}
	switch {
	case size == 0:
		return "", 0, video.ErrNotVideo.With(nil, "the file is empty")
	case size > s.limit:
		return "", 0, domain.Errorf(domain.TooLarge, "the file is larger than %d MiB", s.limit>>20)
	}
	if err := f.Sync(); err != nil {
		return "", 0, fmt.Errorf("sync media: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), size, nil
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open media folder: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync media folder: %w", err)
	}
	return nil
}

// HashFile is the lower-case hex SHA-256 of the file at path.
func HashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("hash file: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("hash file: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
