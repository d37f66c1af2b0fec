package postgres

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnUnusableFolderIsRefusedInOneSentence(t *testing.T) {
	t.Parallel()
	whole := Config{Dir: folderIn(t, "postgres"), Test: true}
	mustStop(t, mustStart(t, whole))
	for name, c := range map[string]struct {
		damage func(cluster string) error
		kind   error
	}{
		"no PG_VERSION":         {func(c string) error { return os.Remove(filepath.Join(c, "PG_VERSION")) }, ErrDamaged},
		"PG_VERSION is noise":   {func(c string) error { return os.WriteFile(filepath.Join(c, "PG_VERSION"), []byte("\x00\x01"), 0o600) }, ErrDamaged},
		"no pg_control":         {func(c string) error { return os.Remove(filepath.Join(c, "global", "pg_control")) }, ErrDamaged},
		"pg_control cut short":  {func(c string) error { return os.Truncate(filepath.Join(c, "global", "pg_control"), 10) }, ErrDamaged},
		"no log of changes":     {func(c string) error { return os.RemoveAll(filepath.Join(c, "pg_wal")) }, ErrDamaged},
		"no password":           {func(c string) error { return os.Remove(filepath.Join(c, "..", passFile)) }, ErrDamaged},
		"another major version": {func(c string) error { return os.WriteFile(filepath.Join(c, "PG_VERSION"), []byte("9\n"), 0o600) }, ErrWrongVersion},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{Dir: folderIn(t, "postgres"), Test: true}
			if out, err := exec.Command("cp", "-a", whole.Dir, cfg.Dir).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if err := c.damage(filepath.Join(cfg.Dir, clusterDir)); err != nil {
				t.Fatal(err)
			}
			_, err := Start(t.Context(), cfg)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), cfg.Dir) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got %v, want one sentence of %v that names the folder", err, c.kind)
			}
			// The refusal has let go of the folder.
			release, err := Lock(cfg.Dir)
			if err != nil {
				t.Fatal(err)
			}
			release()
		})
	}
}

func TestAnUnfinishedClusterIsMadeAgain(t *testing.T) {
	t.Parallel()
	dir := folderIn(t, "postgres")
	if err := os.MkdirAll(filepath.Join(dir, newDir, "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := mustStart(t, Config{Dir: dir, Test: true})
	query(t, c.DSN(), `SELECT 1`)
}

func TestTheClusterKeepsItsAccount(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give folders away")
	}
	f := &folder{dir: folderIn(t, "postgres")}
	if err := os.MkdirAll(f.path(clusterDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(f.path(clusterDir), 4711, 4712); err != nil {
		t.Fatal(err)
	}
	if err := f.chooseAccount(); err != nil {
		t.Fatal(err)
	}
	if want := (account{uid: 4711, gid: 4712, drop: true}); f.account != want {
		t.Fatalf("got %+v, want %+v", f.account, want)
	}
}

func TestANearlyFullDiskIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	dir := folderIn(t, "not/yet/there")
	if err := checkSpace(dir, 1); err != nil {
		t.Fatal(err)
	}
	if err := checkSpace(dir, 1<<62); !errors.Is(err, ErrDiskFull) {
		t.Fatalf("got %v, want ErrDiskFull", err)
	}
}

func TestAttachWithoutAServerSaysSo(t *testing.T) {
	t.Parallel()
	if _, _, err := Attach(folderIn(t, "postgres")); !errors.Is(err, ErrEnded) {
		t.Fatalf("got %v, want ErrEnded", err)
	}
}

func TestChooseInstall(t *testing.T) {
	t.Parallel()
	all := []install{{"/17", 17}, {"/15", 15}, {"/13", 13}}
	for name, c := range map[string]struct {
		all   []install
		major int
		bin   string
		err   error
	}{
		"a new cluster gets the newest":        {all, 0, "/17", nil},
		"a cluster gets its own version":       {all, 15, "/15", nil},
		"no other version will do":             {all, 16, "", ErrWrongVersion},
		"too old for a new cluster":            {all[2:], 0, "", ErrNotInstalled},
		"nothing installed":                    {nil, 0, "", ErrNotInstalled},
		"nothing installed for an old cluster": {nil, 15, "", ErrWrongVersion},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := choose(c.all, c.major, "/data")
			if got.bin != c.bin || !errors.Is(err, c.err) {
				t.Fatalf("got %v, %v; want %s, %v", got, err, c.bin, c.err)
			}
		})
	}
}

func TestMajorOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18beta1":                          18,
		"postgres 9.6":                                           0,
	} {
		if got := majorOf(text); got != want {
			t.Errorf("majorOf(%q) = %d, want %d", text, got, want)
		}
	}
}
