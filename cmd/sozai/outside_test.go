package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"sozai/agents/catalogue"
	"sozai/agents/searcher"
	"sozai/agents/source"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/handlers/ledger"
	"sozai/handlers/web"
	"sozai/migrations"
	"sozai/projections/postgres/postgrestest"
)

// parsed is `sozai serve` with these flags.
func parsed(t *testing.T, flags ...string) *serveCommand {
	t.Helper()
	var c commands
	parser, err := kong.New(&c, kong.Vars{"version": "test"}, kong.Exit(func(int) { t.Fatal("exited") }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(append([]string{"serve"}, flags...)); err != nil {
		t.Fatal(err)
	}
	return &c.Serve
}

func TestEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	if err := parsed(t).validate(); err != nil {
		t.Fatalf("the defaults: %v", err)
	}
	c := parsed(t, "--tikhub-key", "tk", "--tikhub-url", "ftp://x", "--tikhub-prices", "tiktok/search=cheap,mars=1", "--tikhub-platforms", "youtube",
		"--competitor-url", "https://user:pw@bridge.example.org", "--hot-key", "hk", "--video-worker-url", "https://video.example.org",
		"--render-url", "render.example.org", "--media-hosts", "10.0.0.7", "--films", "0", "--hot-price=-1", "--boards", "1000")
	err := c.validate()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		"SOZAI_TIKHUB_URL", "cheap", "mars", "youtube", "SOZAI_COMPETITOR_URL: a key belongs", "SOZAI_HOT_KEY is set, but SOZAI_HOT_URL",
		"SOZAI_VIDEO_WORKER_URL is set, but SOZAI_VIDEO_WORKER_KEY", "SOZAI_RENDER_URL", "10.0.0.7", "--films 0", "--boards 1000", "price at hot",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "pw") {
		t.Errorf("a password is shown: %v", err)
	}
}

// Keys appear in nothing that is printed or logged.
func TestKeysStayHidden(t *testing.T) {
	t.Parallel()
	const key = "k-3f9a"
	c := parsed(t, "--model-key", key, "--tikhub-key", key, "--competitor-url", "https://b.example.org", "--competitor-key", key,
		"--hot-url", "https://h.example.org", "--hot-key", key, "--video-worker-url", "https://v.example.org", "--video-worker-key", key,
		"--render-url", "https://r.example.org/x", "--render-key", key)
	if err := c.validate(); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{c.redacted(), fmt.Sprintf("%v", *c), fmt.Sprintf("%+v", *c), fmt.Sprintf("%#v", *c), string(text)} {
		if strings.Contains(shown, key) {
			t.Errorf("the key is shown: %s", shown)
		}
	}
	for _, name := range []string{"tikhub@https://api.tikhub.io", "competitor@", "hot@", "video@", "render@https://r.example.org/x"} {
		if !strings.Contains(c.redacted(), name) {
			t.Errorf("not named: %s in %s", name, c.redacted())
		}
	}
	var help bytes.Buffer
	execute(process{ctx: t.Context(), getenv: func(string) string { return "" }, stdout: &help, stderr: &help}, []string{"serve", "--help"})
	if strings.Contains(help.String(), "--tikhub-key") || !strings.Contains(help.String(), "SOZAI_TIKHUB_KEY") {
		t.Errorf("help:\n%s", help.String())
	}
}

func TestTikHubPrices(t *testing.T) {
	t.Parallel()
	p, err := parseTikHubPrices("tiktok/search=0.0005, other = 0.01", 7)
	if err != nil || p.USD[source.TikTokSearch] != 0.0005 || p.Other != 0.01 || p.YuanPerUSD != 7 || p.USD[source.DouyinSearch] != source.DefaultPrices().USD[source.DouyinSearch] {
		t.Fatalf("%+v, %v", p, err)
	}
}

// The System page lists services under the names that they report.
func TestListOfServices(t *testing.T) {
	t.Parallel()
	on := map[string]web.Source{}
	for _, s := range parsed(t, "--tikhub-key", "k", "--tikhub-platforms", "douyin", "--hot-url", "https://h.example.org", "--hot-key", "k").Outside.list() {
		on[s.Name] = s
	}
	if len(on) != 5 || !on["douyin"].Configured || !on["hot"].Configured || on["render"].Configured || on["competitor"].Kind != "competitor" {
		t.Fatalf("%+v", on)
	}
}

// A service that fails is left alone after a while; what was wrong with a job does
// not count against it.
func TestGuardedService(t *testing.T) {
	t.Parallel()
	guard := source.NewGuard(source.GuardConfig{Name: "render", Kind: "render", Failures: 2, OpenFor: time.Hour})
	down, ours := domain.Errorf(domain.Unavailable, "it is down"), domain.Errorf(domain.Unprocessable, "panel 3 cannot be drawn")
	ask := func(err error) error {
		_, got := guarded(t.Context(), guard, func(context.Context) (int, domain.Money, error) { return 1, 5, err })
		return got
	}
	for i, step := range []error{nil, ours, down, ours, down, down} {
		if err := ask(step); !errors.Is(err, step) && err != nil {
			t.Fatalf("step %d: %v, want %v", i, err, step)
		}
	}
	var said *domain.Error
	if err := ask(nil); !errors.As(err, &said) || said.Code != domain.Unavailable || said.Reason != "service_away" || said.RetryAfter < 3000 {
		t.Fatalf("it is not left alone: %#v", err)
	}
	if s := guard.Status(); s.State != source.Open || s.Failures != 3 || s.LastError != "it is down" {
		t.Fatalf("%+v", s)
	}
	if _, err := guarded(cancelled(t), guard, func(ctx context.Context) (int, domain.Money, error) { return 0, 0, ctx.Err() }); err == nil {
		t.Fatal("a cancelled job was done")
	}
}

func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// What is configured is there, and what is not is a nil that tests as one.
func TestOutsideIsBuilt(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Copy(t, "migrated", migrations.Up)
	analyzer, err := video.New(video.Config{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cat, err := catalogue.Open(t.Context(), catalogue.Config{Pool: pool, Dir: dir, Video: analyzer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cat.Close() })
	book, err := ledger.Open(t.Context(), pool, "w", discard())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(book.Close)
	links, err := web.OpenMediaLinks(t.Context(), pool, "https://sozai.example.org")
	if err != nil {
		t.Fatal(err)
	}
	parts := outsideParts{data: dir, exchange: 7, catalogue: cat, video: analyzer, ledger: book, links: links}

	off := parsed(t).Outside
	world, err := off.open(parts)
	if err != nil || world.competitor != nil || world.hot != nil || world.fast == nil || world.renderer == nil {
		t.Fatalf("nothing configured: %+v, %v", world, err)
	}
	if worker, err := off.analyser(book, links); worker != nil || err != nil {
		t.Fatalf("%v, %v", worker, err)
	}
	if fast, ok := world.fast.(searcher.Remembered); !ok || fast.Ledger != book {
		t.Fatalf("a search counts in %T", world.fast)
	}
	if got := world.fast.Platforms(); len(got) != 1 {
		t.Fatalf("platforms %v", got)
	}

	on := parsed(t, "--tikhub-key", "k", "--tikhub-platforms", "tiktok,douyin", "--competitor-url", "https://b.example.org", "--competitor-key", "k",
		"--hot-url", "https://h.example.org", "--hot-key", "k", "--video-worker-url", "https://v.example.org", "--video-worker-key", "k",
		"--render-url", "https://r.example.org").Outside
	if world, err = on.open(parts); err != nil || world.competitor == nil || world.hot == nil || len(world.fast.Platforms()) != 3 {
		t.Fatalf("all configured: %+v, %v", world, err)
	}
	if _, guarded := world.renderer.(*guardedRenderer); !guarded {
		t.Fatalf("films are rendered by %T", world.renderer)
	}
	if worker, err := on.analyser(book, links); worker == nil || err != nil {
		t.Fatalf("%v, %v", worker, err)
	}
	on.TikHubPlatforms, on.TikHubPrices = []string{"mars"}, "venus=1"
	if _, err = on.open(parts); err == nil || !strings.Contains(err.Error(), "mars") || !strings.Contains(err.Error(), "venus") {
		t.Fatalf("not all that is wrong is said: %v", err)
	}
}

// Outside workers come by the public address, or from this machine.
func TestOutsideURL(t *testing.T) {
	t.Parallel()
	listen := func(at string) net.Listener {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	local := listen("127.0.0.1:0")
	for _, c := range []struct {
		public   string
		listener net.Listener
		want     string
	}{
		{"https://sozai.example.org", local, "https://sozai.example.org"},
		{"https://sozai.example.org", nil, "https://sozai.example.org"},
		{"", local, "http://" + local.Addr().String()},
		{"", listen("0.0.0.0:0"), ""},
		{"", nil, ""},
	} {
		if got := (&serveCommand{PublicURL: c.public}).outsideURL(c.listener); got != c.want {
			t.Errorf("%q: %q, want %q", c.public, got, c.want)
		}
	}
}
