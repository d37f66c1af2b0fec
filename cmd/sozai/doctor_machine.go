package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"sozai/projections/postgres"
)

const (
	// lowSpace is the free space below which doctor warns, well before commands
	// are refused.
	lowSpace = 2 << 30
	// slowSync is an fsync that everybody who writes will feel.
	slowSync = 20 * time.Millisecond
	// syncTries is how many are measured.
	syncTries = 15
	// clockSkew is the difference between two clocks that is worth a word.
	clockSkew = 2 * time.Second
)

// machine looks at the data folder, the disk below it and the programs needed.
func (d *checkup) machine() {
	if d.NATSURL == "" || d.DatabaseURL == "" || exists(d.Data) {
		d.folder()
	}
	var missing, found []string
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		if version := programVersion(d.ctx, name); version != "" {
			found = append(found, name+" "+version)
		} else {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		d.fail("programs", "install the package ffmpeg", nil,
			"%s not found: videos cannot be analysed and `serve` does not start", strings.Join(missing, " and "))
		return
	}
	d.ok("programs", nil, "%s", strings.Join(found, ", "))
}

func (d *checkup) folder() {
	info, err := os.Stat(d.Data)
	if err != nil {
		d.fail("folder", "name the data folder of the workshop with --data, or make one by starting `sozai serve`", nil, "%s", sentence(err))
		return
	}
	if open := info.Mode().Perm() & 0o077; open != 0 {
		d.warn("folder", "chmod 700 "+d.Data, nil,
			"%s is open to other accounts (mode %o); it holds passwords and people's words", d.Data, info.Mode().Perm())
	}
	free, err := postgres.Free(d.Data)
	switch {
	case err != nil:
		d.fail("folder", "", nil, "%s", sentence(err))
	case free < postgres.MinFree:
		d.fail("folder", "make room; commands are refused below "+size(freeMark), nil,
			"%s has only %s free, and a start needs %s", d.Data, size(free), size(postgres.MinFree))
	case free < lowSpace:
		d.warn("folder", "make room soon; commands are refused below "+size(freeMark), nil, "%s has only %s free", d.Data, size(free))
	default:
		d.ok("folder", nil, "%s, %s free", d.Data, size(free))
	}
	took, err := syncTime(d.Data)
	switch {
	case err != nil:
		d.fail("disk", "", nil, "a small file cannot be written: %s", sentence(err))
	case took > slowSync:
		d.warn("disk", "use a faster disk: whoever writes waits for this at least once", took, "fsync takes %s (median of %d)", took.Round(100*time.Microsecond), syncTries)
	default:
		d.ok("disk", took, "fsync takes %s (median of %d)", took.Round(10*time.Microsecond), syncTries)
	}
}

// syncTime is the median time to write a page and have it on the disk.
func syncTime(dir string) (time.Duration, error) {
	file, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return 0, err
	}
	defer func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}()
	var took []time.Duration
	for range syncTries {
		begun := time.Now()
		if _, err := file.Write(make([]byte, 4096)); err != nil {
			return 0, err
		}
		if err := file.Sync(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// programVersion is the third word of what a program says about itself; "" if
// there is none.
func programVersion(ctx context.Context, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	out, err := exec.CommandContext(ctx, path, "-version").Output()
	if err != nil {
		return ""
	}
	if words := strings.Fields(string(out)); len(words) > 2 {
		return words[2]
	}
	return "?"
}

// configuration is what this shell would start, without secrets.
func (d *checkup) configuration() {
	d.ok("config", nil, "version %s; log %s, tables %s", version, redact(d.NATSURL, "embedded"), redact(d.DatabaseURL, "private"))
	d.model()
}

// holder says who has the data folder.
func (d *checkup) holder() {
	switch {
	case d.n.served:
		pid, command := holder(d.Data)
		if command != "" {
			command = ", sozai " + command
		}
		d.ok("server", nil, "process %s%s has the folder; looking beside it", pid, command)
	case d.NATSURL != "":
		d.ok("server", nil, "the log is external; this process looks from outside")
	default:
		d.ok("server", nil, "stopped; the folder is opened for this look and closed after it")
	}
}

// clocks compares this machine's, the database's and the log's.
func (d *checkup) clocks(database, newest time.Time) {
	off := database.Sub(d.now).Abs()
	switch ahead := newest.Sub(d.now); {
	case ahead > clockSkew:
		d.fail("clock", "set this machine's clock (NTP); ages, limits and timers count from it", nil,
			"the newest event lies %s in the future: a clock was wrong, or is now", ahead.Round(time.Second))
	case off > clockSkew:
		d.warn("clock", "set the clocks of both machines by NTP", nil, "the database's clock is %s off", off.Round(time.Millisecond))
	default:
		d.ok("clock", nil, "this machine and the database agree (%s apart)", off.Round(time.Millisecond))
	}
}

func (d *checkup) backup() {
	d.ok("backup", nil, "Sozai makes none by itself: copy the stopped folder, or `sozai export` (the log), pg_dump (accounts, catalogue) and media/")
}

// size writes bytes as people read them.
func size(n uint64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	value, i := float64(n), 0
	for value >= 1000 && i < len(units)-1 {
		value /= 1000
		i++
	}
	if i == 0 || value >= 100 {
		return fmt.Sprintf("%.0f %s", value, units[i])
	}
	return fmt.Sprintf("%.1f %s", value, units[i])
}
