package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"
	"golang.org/x/sync/errgroup"

	"sozai/agents/catalogue"
	"sozai/agents/video"
	"sozai/domain"
	"sozai/frontend"
	"sozai/handlers/access"
	"sozai/handlers/ledger"
	"sozai/handlers/web"
	"sozai/handlers/work"
	"sozai/projections"
	"sozai/projections/postgres"
	"sozai/streams"
)

type serveCommand struct {
	place       `embed:""`
	Replicas    int           `default:"1" env:"SOZAI_REPLICAS" help:"Copies of each stream: 1, or 3 on a cluster."`
	Deployment  string        `default:"sozai" env:"SOZAI_DEPLOYMENT" help:"Name of this deployment's consumers on a shared cluster."`
	Products    []string      `env:"SOZAI_PRODUCTS" help:"Products served by this deployment (default: all)."`
	Listen      string        `default:"127.0.0.1:7317" env:"SOZAI_LISTEN" help:"Address of the web server."`
	PublicURL   string        `name:"public-url" env:"SOZAI_PUBLIC_URL" help:"How browsers reach it through a proxy."`
	Roles       []string      `default:"web,projector,worker" env:"SOZAI_ROLES" help:"Parts that this process plays."`
	Butlers     int           `default:"4" env:"SOZAI_BUTLERS" help:"Answers and digests at once."`
	Searches    int           `default:"2" env:"SOZAI_SEARCHES" help:"Searches at once."`
	Boards      int           `default:"2" env:"SOZAI_BOARDS" help:"Boards at once."`
	Films       int           `default:"1" env:"SOZAI_FILMS" help:"Films at once."`
	Analyses    int           `default:"1" env:"SOZAI_ANALYSES" help:"Analysis runs at once."`
	PlainDigest bool          `env:"SOZAI_PLAIN_DIGEST" help:"Digests ask the model once, without tools."`
	Demo        bool          `default:"true" negatable:"" env:"SOZAI_DEMO" help:"Make a demo product on a first start."`
	LogLevel    string        `default:"warn" enum:"debug,info,warn,error" env:"SOZAI_LOG_LEVEL" help:"What the process logs on standard error."`
	Model       modelConfig   `embed:""`
	Outside     outsideConfig `embed:""`
}

// Run serves until it is told to stop, which may be before it is ready.
func (c *serveCommand) Run(p *process) error {
	err := c.serve(p)
	if p.ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		fmt.Fprintln(p.stdout, "stopped")
		return nil
	}
	return err
}

// serve is the whole server, constructed top to bottom and stopped in reverse.
func (c *serveCommand) serve(p *process) error {
	if err := c.validate(); err != nil {
		return err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: level}))
	logger.Info("starting", "version", version, "config", c.redacted())
	model, err := newModel(c.Model)
	if err != nil {
		return err
	}

	// The port first: a taken one should not start anything else.
	var listener net.Listener
	if c.plays(roleWeb) {
		if listener, err = new(net.ListenConfig).Listen(p.ctx, "tcp", c.Listen); err != nil {
			return err
		}
		defer func() { _ = listener.Close() }()
	}
	n, err := open(p.ctx, c.place, opening{replicas: c.Replicas})
	if err != nil {
		return err
	}
	defer n.close()
	if err := refuseHalfImported(p, c.Data, n); err != nil {
		return err
	}

	analyzer, err := video.New(video.Config{})
	if err != nil {
		return err
	}
	name := workerName()
	book, err := ledger.Open(p.ctx, n.pool, name, logger)
	if err != nil {
		return err
	}
	defer book.Close()
	links, err := web.OpenMediaLinks(p.ctx, n.pool, c.outsideURL(listener))
	if err != nil {
		return err
	}
	worker, err := c.Outside.analyser(book, links)
	if err != nil {
		return err
	}
	cat, err := catalogue.Open(p.ctx, catalogue.Config{Pool: n.pool, Dir: c.Data, Video: analyzer, Worker: worker})
	if err != nil {
		return err
	}
	defer func() { _ = cat.Close() }()
	accounts, err := access.New(n.pool)
	if err != nil {
		return err
	}
	hub := streams.NewHub(n.log)
	live := streams.NewLive(n.conn)

	// What everything stands on runs in base, which outlives the workers' drain.
	base, stopBase := context.WithCancel(context.WithoutCancel(p.ctx))
	defer stopBase()
	core, coreCtx := errgroup.WithContext(base)
	core.Go(func() error { return hub.Run(coreCtx) })
	if c.plays(roleProjector) {
		core.Go(func() error { return projections.NewRunner(n.store, n.log, logger).Run(coreCtx) })
	}
	select {
	case <-hub.Ready():
	case <-coreCtx.Done():
		return core.Wait()
	case <-p.ctx.Done(): // stopped while the log did not answer
		stopBase()
		return core.Wait()
	}

	queue, alive, err := c.queue(p.ctx, n)
	if err != nil {
		return err
	}
	parts, partsCtx := errgroup.WithContext(p.ctx)
	parts.Go(func() error { return c.watch(partsCtx, coreCtx, n) })
	if c.plays(roleWorker) {
		timers, err := streams.OpenTimers(n.conn)
		if err != nil {
			return err
		}
		world, err := c.Outside.open(outsideParts{
			data: c.Data, exchange: c.Model.Exchange, catalogue: cat, video: analyzer, ledger: book, links: links,
		})
		if err != nil {
			return err
		}
		workers := &work.Workers{
			Log: n.log, Queue: queue, Alive: alive, Timers: timers, Live: live, Hub: hub, Store: n.store,
			Model: model, Catalogue: cat, Names: accounts.Names,
			Fast: world.fast, Competitor: world.competitor, Hot: world.hot, Renderer: world.renderer,
			Name: name, Deployment: c.Deployment, Products: c.Products, Logger: logger,
			Butlers: c.Butlers, Searches: c.Searches, Boards: c.Boards, Films: c.Films, Analyses: c.Analyses, PlainDigest: c.PlainDigest,
		}
		parts.Go(func() error { return workers.Run(partsCtx) })
		parts.Go(func() error { return book.Tend(partsCtx) })
	}
	if c.plays(roleWeb) {
		front, err := fs.Sub(frontend.FS, "dist")
		if err != nil {
			return err
		}
		server, err := web.New(web.Deps{
			Log: n.log, Hub: hub, Live: live, Queue: queue, Alive: alive, Store: n.store, Access: accounts, Catalogue: cat, Frontend: front,
			Effects: book, Sources: c.Outside.list(), Links: links,
			Model:   web.Model{Name: model.Name(), Rehearsal: c.Model.Key == ""},
			Version: version, PublicURL: c.PublicURL, FreeSpace: freeSpace(c.Data), Logger: logger,
		})
		if err != nil {
			return err
		}
		parts.Go(func() error { return server.Serve(listener) })
		parts.Go(func() error {
			<-partsCtx.Done()
			ctx, cancel := context.WithTimeout(context.WithoutCancel(partsCtx), 5*time.Second)
			defer cancel()
			return server.Shutdown(ctx)
		})
		parts.Go(func() error { return c.greet(partsCtx, p, n, accounts, listener.Addr(), logger) })
		if c.Demo {
			parts.Go(func() error { return makeDemo(partsCtx, p, c.Data, n.log, accounts, cat) })
		}
	}
	err = parts.Wait()
	stopBase()
	if coreErr := core.Wait(); err == nil && !errors.Is(coreErr, context.Canceled) {
		err = coreErr
	}
	return err
}

func (c *serveCommand) plays(role string) bool { return slices.Contains(c.Roles, role) }

// watch ends the process when something it stands on ends.
func (c *serveCommand) watch(ctx, core context.Context, n *node) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-core.Done():
		return errors.New("the feed or a projection runner ended")
	case err := <-n.ended:
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the database ended: %w", err)
	}
}

// queue opens what workers take work from, and what the system page shows of it.
func (c *serveCommand) queue(ctx context.Context, n *node) (*streams.Queue, *streams.Alive, error) {
	cfg := streams.Config{Replicas: c.Replicas}
	queue, err := streams.OpenQueue(n.conn, cfg)
	if err != nil {
		return nil, nil, err
	}
	alive, err := streams.OpenAlive(ctx, n.conn, cfg)
	return queue, alive, err
}

func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), ulid.Make().String()[20:])
}

// linkPause is waited before the first administrator's link is made again.
const linkPause = time.Second

// greet prints where the workshop is once it answers, and the one-time link as
// long as no administrator exists.
func (c *serveCommand) greet(ctx context.Context, p *process, n *node, accounts *access.Store, at net.Addr, logger *slog.Logger) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n.store.Ready(ctx) != nil {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
	base := c.PublicURL
	if base == "" {
		base = "http://" + at.String()
	}
	fmt.Fprintf(p.stdout, "Sozai is ready at %s\n", base)
	if c.Model.Key == "" {
		fmt.Fprintln(p.stdout, "No model key is set: the rehearsal model plays the butler and the searcher (SOZAI_MODEL_KEY changes that).")
	}
	link, err := accounts.FirstAdminLink(ctx)
	for err != nil { // the database may be away for a moment, and nobody else waits for this
		logger.Warn("first administrator's link", "error", err, "again_in", linkPause)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(linkPause):
		}
		link, err = accounts.FirstAdminLink(ctx)
	}
	if link != "" {
		fmt.Fprintf(p.stdout, "Create the administrator with this one-time link:\n  %s/link/%s\n", base, link)
	}
	return nil
}

// freeMark is the free space below which commands are refused: a full disk
// freezes the log until there is room and its server has started anew.
const freeMark = 128 << 20

func freeSpace(dir string) func() error {
	return func() error {
		free, err := postgres.Free(dir)
		if err != nil {
			return fmt.Errorf("free space: %w", err)
		}
		if free < freeMark {
			return &domain.Error{
				Code: domain.Unavailable, Reason: "disk_full",
				Message: fmt.Sprintf("the disk is nearly full (%d MB free); nothing was recorded, make room and try again", free>>20),
			}
		}
		return nil
	}
}
