package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/agents/catalogue"
	"sozai/agents/video"
	"sozai/handlers/access"
	"sozai/migrations"
	"sozai/projections/postgres"
)

// What every round finds: a product, an administrator and two colleagues, and a
// supply of videos.
const (
	product  = "games"
	password = "correct horse battery"
	template = "faults_template"
)

// lane plays rounds one after another on one database cluster; each round has a
// log, folders and a copy of the template database of its own.
type lane struct {
	dir    string
	binary string
	keep   string

	crashing sync.Mutex
	cluster  *postgres.Cluster
	address  string // how this process connects; the same after every start
	people   []account
}

// account is somebody who has signed in.
type account struct {
	name    string
	session string
}

func openLane(ctx context.Context, dir, binary, keep string) (*lane, error) {
	l := &lane{dir: dir, binary: binary, keep: keep}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := l.startCluster(ctx); err != nil {
		return nil, err
	}
	if err := l.fill(ctx); err != nil {
		l.close()
		return nil, fmt.Errorf("prepare the template: %w", err)
	}
	return l, nil
}

func (l *lane) startCluster(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	cluster, err := postgres.Start(ctx, postgres.Config{Dir: filepath.Join(l.dir, "postgres"), Test: true})
	if err != nil {
		return err
	}
	l.cluster = cluster
	if l.address == "" {
		l.address = cluster.DSN()
	}
	return nil
}

// crashCluster ends the database without a checkpoint and starts it again: every
// session breaks, and what was not committed is gone.
func (l *lane) crashCluster(ctx context.Context, away time.Duration) error {
	l.crashing.Lock()
	defer l.crashing.Unlock()
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := l.cluster.Stop(over); err != nil {
		return err
	}
	pause(ctx, away)
	return l.startCluster(context.WithoutCancel(ctx))
}

func (l *lane) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = l.cluster.Stop(ctx)
	_ = os.RemoveAll(l.dir)
}

// dsn connects this process to a database of the cluster.
func (l *lane) dsn(database string) (string, error) {
	dsn, err := url.Parse(l.address)
	if err != nil {
		return "", err
	}
	dsn.Path = "/" + database
	return dsn.String(), nil
}

// dsnAt is the same through a proxy.
func (l *lane) dsnAt(database, address string) (string, error) {
	dsn, err := url.Parse(l.address)
	if err != nil {
		return "", err
	}
	at := url.URL{Scheme: "postgres", User: dsn.User, Host: address, Path: "/" + database, RawQuery: "sslmode=disable"}
	return at.String(), nil
}

// dial opens a connection to the cluster, for a proxy.
func (l *lane) dial() (net.Conn, error) {
	config, err := pgx.ParseConfig(l.address)
	if err != nil {
		return nil, err
	}
	return dialServer("unix", filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port)))
}

func (l *lane) admin(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, l.address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

func (l *lane) createDatabase(ctx context.Context, name string) error {
	return l.admin(ctx, `CREATE DATABASE `+name+` TEMPLATE `+template+` STRATEGY FILE_COPY`)
}

func (l *lane) dropDatabase(ctx context.Context, name string) error {
	return l.admin(ctx, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`)
}

// seedDir holds the media and the search index that belong to the template.
func (l *lane) seedDir() string { return filepath.Join(l.dir, "seed") }

// fill makes the template database and the files that go with it.
func (l *lane) fill(ctx context.Context) error {
	if err := l.admin(ctx, `CREATE DATABASE `+template); err != nil {
		return err
	}
	// A cluster for tests acknowledges commits before they are written. One that is
	// crashed on purpose must not: what it acknowledged has to be there afterwards.
	if err := l.admin(ctx, `ALTER ROLE CURRENT_USER SET synchronous_commit = on`); err != nil {
		return err
	}
	dsn, err := l.dsn(template)
	if err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close() // a template in use cannot be copied
	if err := migrations.Up(ctx, pool); err != nil {
		return err
	}
	if err := l.fillPeople(ctx, pool); err != nil {
		return err
	}
	return l.fillCatalogue(ctx, pool)
}

func (l *lane) fillPeople(ctx context.Context, pool *pgxpool.Pool) error {
	accounts, err := access.New(pool)
	if err != nil {
		return err
	}
	link, err := accounts.FirstAdminLink(ctx)
	if err != nil {
		return err
	}
	admin, session, err := accounts.UseLink(ctx, link, "ada", password)
	if err != nil {
		return err
	}
	l.people = []account{{"ada", session}}
	if err := accounts.CreateProduct(ctx, access.Product{ID: product, Name: "游戏"}, admin.ID); err != nil {
		return err
	}
	for _, name := range []string{"bo", "cy"} {
		_, link, err := accounts.Invite(ctx, admin.ID, true, []string{product})
		if err != nil {
			return err
		}
		_, session, err := accounts.UseLink(ctx, link, name, password)
		if err != nil {
			return err
		}
		l.people = append(l.people, account{name, session})
	}
	return nil
}

// fillCatalogue imports entries without media, and a few clips that are analysed
// here, so that no round spends its time on measuring videos.
func (l *lane) fillCatalogue(ctx context.Context, pool *pgxpool.Pool) (err error) {
	analyzer, err := video.New(video.Config{})
	if err != nil {
		return err
	}
	cat, err := catalogue.Open(ctx, catalogue.Config{Pool: pool, Dir: l.seedDir(), Video: analyzer})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cat.Close()) }()
	words := []string{"塔防 爆炸", "丧尸 围城", "末日 塔防", "塔防 翻盘", "丧尸 爆炸 翻盘", "末日 求生"}
	for i := range 36 {
		item := catalogue.Item{
			External: fmt.Sprintf("entry-%d", i), Title: fmt.Sprintf("%s %d", words[i%len(words)], i),
			Author: fmt.Sprintf("creator-%d", i%7), Platform: "douyin", Tags: strings.Fields(words[i%len(words)]), Seconds: 8,
		}
		if i%12 != 0 {
			if _, err := cat.Import(ctx, product, item, nil); err != nil {
				return err
			}
			continue
		}
		if err := l.importClip(ctx, cat, item, i); err != nil {
			return err
		}
	}
	return nil
}

func (l *lane) importClip(ctx context.Context, cat *catalogue.Catalogue, item catalogue.Item, n int) error {
	path := filepath.Join(l.dir, fmt.Sprintf("clip-%d.mp4", n))
	//nolint:gosec // fixed program, our own folder
	out, err := exec.CommandContext(ctx, "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi",
		"-i", fmt.Sprintf("testsrc2=size=96x160:rate=12:duration=%d", 1+n/12), "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", path).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ffmpeg: %w\n%s", err, out)
	}
	file, err := os.Open(path) //nolint:gosec // as above
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	kept, err := cat.Import(ctx, product, item, file)
	if err != nil {
		return err
	}
	_, err = cat.Analysis(ctx, product, kept.Entry.ID)
	return err
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
