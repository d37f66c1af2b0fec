package catalogue

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/agents/video"
	"sozai/migrations"
	"sozai/projections/postgres/postgrestest"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

type bundle struct {
	*Catalogue
	pool *pgxpool.Pool
	dir  string
	conf Config
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{pool: postgrestest.Copy(t, "migrated", migrations.Up), dir: t.TempDir()}
	v, err := video.New(video.Config{})
	if err != nil {
		t.Fatal(err)
	}
	b.conf = Config{Pool: b.pool, Dir: b.dir, Video: v, MaxFile: 4 << 20}
	b.open(t)
	return b
}

// open opens the catalogue, again if it was closed.
func (b *bundle) open(t *testing.T) {
	t.Helper()
	c, err := Open(t.Context(), b.conf)
	if err != nil {
		t.Fatal(err)
	}
	b.Catalogue = c
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// clip draws a small video; another colour is another file.
func clip(t *testing.T, colour, ext string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clip."+ext)
	codec := []string{"-c:v", "libx264", "-preset", "ultrafast"}
	if ext == "webm" {
		codec = []string{"-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8"}
	}
	args := append([]string{
		"-nostdin", "-v", "error", "-f", "lavfi", "-i",
		"color=" + colour + ":s=90x160:r=25:d=1[a];testsrc2=s=90x160:r=25:d=1[b];[a][b]concat,format=yuv420p",
	}, append(codec, path)...)
	if out, err := exec.Command("ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// files counts what lies in the media folder.
func (b *bundle) files(t *testing.T) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(filepath.Join(b.dir, "media"), func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (b *bundle) add(t *testing.T, product string, item Item, file []byte) Result {
	t.Helper()
	var r Result
	var err error
	if file == nil {
		r, err = b.Import(t.Context(), product, item, nil)
	} else {
		r, err = b.Import(t.Context(), product, item, bytes.NewReader(file))
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}
