package postgres

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// minMajor is the oldest server that the SQL of this program is written for.
const minMajor = 15

// install is one folder with the programs of one server version.
type install struct {
	bin   string
	major int
}

func (i install) program(name string) string { return filepath.Join(i.bin, name) }

// installs lists what is on this machine, newest major first: PATH, pg_config,
// and the places where packages of common systems put their binaries.
func installs(ctx context.Context) []install {
	var bins []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			bins = append(bins, filepath.Dir(path))
		}
	}
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		bins = append(bins, strings.TrimSpace(string(out)))
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/usr/local/pgsql/bin",
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
	} {
		found, _ := filepath.Glob(pattern) // errs only on a bad pattern
		bins = append(bins, found...)
	}
	var all []install
	for _, bin := range bins {
		if slices.ContainsFunc(all, func(i install) bool { return i.bin == bin }) {
			continue
		}
		if _, err := exec.LookPath(filepath.Join(bin, "initdb")); err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output()
		if err != nil {
			continue
		}
		if major := majorOf(string(out)); major > 0 {
			all = append(all, install{bin: bin, major: major})
		}
	}
	slices.SortStableFunc(all, func(a, b install) int { return b.major - a.major })
	return all
}

// majorOf reads "postgres (PostgreSQL) 15.18 (Debian …)"; 0 when it cannot.
func majorOf(version string) int {
	m := regexp.MustCompile(`\(PostgreSQL\) (\d+)`).FindStringSubmatch(version)
	if m == nil {
		return 0
	}
	major, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return major
}

// choose picks the install for a cluster made by major; 0 means a new cluster.
func choose(all []install, major int, where string) (install, error) {
	var have []string
	for _, i := range all {
		if i.major == major || major == 0 && i.major >= minMajor {
			return i, nil
		}
		have = append(have, strconv.Itoa(i.major))
	}
	if major == 0 {
		found := "none was found"
		if len(have) > 0 {
			found = "only version " + strings.Join(have, ", ") + " was found"
		}
		return install{}, refuse(ErrNotInstalled, "PostgreSQL %d or newer is needed and %s: install its server binaries (on Debian and Ubuntu: .ci/setup, or apt-get install postgresql)", minMajor, found)
	}
	found := "no PostgreSQL was found"
	if len(have) > 0 {
		found = "only version " + strings.Join(have, ", ") + " is installed"
	}
	return install{}, refuse(ErrWrongVersion, "the database in %s was made by PostgreSQL %d and %s: install version %d, or move the data with pg_dump; nothing was changed", where, major, found, major)
}

// chooseInstall reads which version made the cluster and finds its binaries.
func (f *folder) chooseInstall(ctx context.Context) (install, error) {
	major, err := f.clusterMajor()
	if err != nil {
		return install{}, err
	}
	chosen, err := choose(installs(ctx), major, f.path(clusterDir))
	if err != nil && ctx.Err() != nil {
		return install{}, fmt.Errorf("look for postgres: %w", ctx.Err())
	}
	return chosen, err
}
