package main

import (
	"errors"
	"net"
	"strings"

	"sozai/agents/catalogue"
	"sozai/agents/fetch"
	"sozai/agents/renderer"
	"sozai/agents/searcher"
	"sozai/agents/source"
	"sozai/agents/video"
	"sozai/handlers/ledger"
	"sozai/handlers/web"
)

// outside is what workers reach of the world. Competitor and hot are nil where
// they are not configured.
type outside struct {
	fast       source.Source
	competitor source.Competitor
	hot        source.Hot
	renderer   renderer.Renderer
}

// outsideParts is what the services outside are built on.
type outsideParts struct {
	data      string
	exchange  float64 // yuan per dollar
	catalogue *catalogue.Catalogue
	video     *video.Analyzer
	ledger    *ledger.Ledger
	links     *web.MediaLinks
}

// open builds what is configured; all problems at once. Nothing is asked yet.
func (c outsideConfig) open(p outsideParts) (outside, error) {
	fetcher := fetch.New(fetch.Config{Allow: c.MediaHosts})
	keeper := source.NewKeeper(p.catalogue, fetcher)
	var out outside
	var problems []error
	problem := func(err error) {
		if err != nil {
			problems = append(problems, err)
		}
	}
	var tik *source.TikHub
	if c.TikHubKey != "" {
		prices, err := parseTikHubPrices(c.TikHubPrices, p.exchange)
		problem(err)
		tik, err = source.NewTikHub(source.TikHubConfig{
			ServiceConfig: source.ServiceConfig{Base: c.TikHubURL, Key: string(c.TikHubKey)},
			Platforms:     c.TikHubPlatforms, Region: c.TikHubRegion, Prices: prices,
			Ledger: searcher.Metered{Ledger: p.ledger}, Keeper: keeper, Health: p.ledger,
		})
		problem(err)
	}
	out.fast = searcher.Remembered{Source: source.NewFast(source.NewLocal(p.catalogue), tik), Ledger: p.ledger}
	if c.CompetitorURL != "" {
		bridge, err := source.NewBridge(c.task(c.CompetitorURL, c.CompetitorKey, c.CompetitorPrice, p, keeper))
		problem(err)
		out.competitor = bridge
	}
	if c.HotURL != "" {
		engine, err := source.NewEngine(c.task(c.HotURL, c.HotKey, c.HotPrice, p, keeper))
		problem(err)
		out.hot = engine
	}
	var err error
	if c.RenderURL == "" {
		out.renderer, err = renderer.NewLocal(renderer.LocalConfig{Dir: p.data, Video: p.video})
	} else {
		var remote *renderer.Remote
		remote, err = renderer.NewRemote(renderer.RemoteConfig{
			URL: strings.TrimRight(c.RenderURL, "/"), Token: string(c.RenderKey), Dir: p.data,
			Ledger: p.ledger, Fetch: fetcher, Video: p.video, SignURL: p.links.Sign,
		})
		out.renderer = &guardedRenderer{remote, guardOf("render", p.ledger)}
	}
	problem(err)
	return out, errors.Join(problems...)
}

// analyser is the video worker; nil if none is configured.
func (c outsideConfig) analyser(book *ledger.Ledger, links *web.MediaLinks) (video.Analyser, error) {
	if c.VideoURL == "" {
		return nil, nil
	}
	worker, err := video.NewWorker(video.WorkerConfig{
		URL: c.VideoURL, Key: string(c.VideoKey), Price: yuan(c.VideoPrice), Ledger: searcher.Metered{Ledger: book}, SignURL: links.Sign,
	})
	if err != nil {
		return nil, err
	}
	return &guardedAnalyser{worker, guardOf("video", book)}, nil
}

// guardOf is the guard of a service that has none of its own.
func guardOf(name string, book *ledger.Ledger) *source.Guard {
	return source.NewGuard(source.GuardConfig{Name: name, Kind: name, Health: book})
}

func (c outsideConfig) task(base string, key secret, price float64, p outsideParts, keeper *source.Keeper) source.TaskConfig {
	return source.TaskConfig{
		ServiceConfig: source.ServiceConfig{Base: base, Key: string(key)}, Price: yuan(price),
		Ledger: searcher.Metered{Ledger: p.ledger}, Keeper: keeper, Health: p.ledger,
	}
}

// list is what the System page shows, on or off; the names are those that the
// services report their health under.
func (c outsideConfig) list() []web.Source {
	var list []web.Source
	for _, s := range c.services() {
		if s.name != "tikhub" {
			list = append(list, web.Source{Name: s.name, Kind: s.kind, Configured: s.url != "", Price: yuan(s.price)})
			continue
		}
		for _, platform := range c.TikHubPlatforms {
			list = append(list, web.Source{Name: platform, Kind: s.kind, Configured: s.url != ""})
		}
	}
	return list
}

// outsideURL is how services outside reach our media: the public URL or, for
// those on this machine, the address that is listened on; "" if there is none.
func (c *serveCommand) outsideURL(listener net.Listener) string {
	switch {
	case c.PublicURL != "":
		return c.PublicURL
	case listener == nil:
		return ""
	}
	at, ok := listener.Addr().(*net.TCPAddr)
	if !ok || at.IP.IsUnspecified() {
		return ""
	}
	return "http://" + at.String()
}
