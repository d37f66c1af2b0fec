package main

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"strconv"
	"strings"

	"sozai/agents/source"
	"sozai/domain"
)

// outsideConfig says which services outside may be used. One without a key or an
// address is off.
type outsideConfig struct {
	TikHubKey       secret   `name:"tikhub-key" env:"SOZAI_TIKHUB_KEY" hidden:"" help:"API key of TikHub."`
	TikHubURL       string   `name:"tikhub-url" default:"https://api.tikhub.io" env:"SOZAI_TIKHUB_URL" help:"Base URL of TikHub, which searches TikTok, Instagram and Douyin (SOZAI_TIKHUB_KEY)."`
	TikHubPlatforms []string `name:"tikhub-platforms" default:"tiktok,instagram,douyin" env:"SOZAI_TIKHUB_PLATFORMS" help:"Platforms searched through it."`
	TikHubRegion    string   `name:"tikhub-region" default:"US" env:"SOZAI_TIKHUB_REGION" help:"Region of TikTok, two letters."`
	TikHubPrices    string   `name:"tikhub-prices" env:"SOZAI_TIKHUB_PRICES" help:"USD a request, as tiktok/search=0.001,other=0.002 (default: the list prices)."`
	CompetitorURL   string   `env:"SOZAI_COMPETITOR_URL" help:"Base URL of the competitor bridge (SOZAI_COMPETITOR_KEY)."`
	CompetitorKey   secret   `env:"SOZAI_COMPETITOR_KEY" hidden:"" help:"Its key."`
	CompetitorPrice float64  `env:"SOZAI_COMPETITOR_PRICE" help:"Yuan a search there."`
	HotURL          string   `name:"hot-url" env:"SOZAI_HOT_URL" help:"Base URL of the deep-search engine (SOZAI_HOT_KEY)."`
	HotKey          secret   `env:"SOZAI_HOT_KEY" hidden:"" help:"Its key."`
	HotPrice        float64  `env:"SOZAI_HOT_PRICE" help:"Yuan a search there."`
	VideoURL        string   `name:"video-worker-url" env:"SOZAI_VIDEO_WORKER_URL" help:"Base URL of the video-analysis worker (SOZAI_VIDEO_WORKER_KEY)."`
	VideoKey        secret   `name:"video-worker-key" env:"SOZAI_VIDEO_WORKER_KEY" hidden:"" help:"Its key."`
	VideoPrice      float64  `name:"video-worker-price" env:"SOZAI_VIDEO_WORKER_PRICE" help:"Yuan an analysis there."`
	RenderURL       string   `env:"SOZAI_RENDER_URL" help:"Base URL of a render service, instead of ffmpeg on this machine (SOZAI_RENDER_KEY)."`
	RenderKey       secret   `env:"SOZAI_RENDER_KEY" hidden:"" help:"Its key."`
	MediaHosts      []string `env:"SOZAI_MEDIA_HOSTS" help:"host:port of media servers that may lie in a private network (default: none)."`
}

// service is one of them, as problems and doctor see it.
type outsideService struct {
	name, kind   string
	url          string
	key          secret
	urlVar, keys string // names of the settings
	keyless      bool   // it may do without a key
	price        float64
}

// services lists them; one is on when its address is set, TikHub when its key is.
func (c outsideConfig) services() []outsideService {
	tikhub := outsideService{name: "tikhub", kind: "search", key: c.TikHubKey, urlVar: "SOZAI_TIKHUB_URL", keys: "SOZAI_TIKHUB_KEY"}
	if c.TikHubKey != "" {
		tikhub.url = c.TikHubURL
	}
	return []outsideService{
		tikhub,
		{name: "competitor", kind: "competitor", url: c.CompetitorURL, key: c.CompetitorKey, urlVar: "SOZAI_COMPETITOR_URL", keys: "SOZAI_COMPETITOR_KEY", price: c.CompetitorPrice},
		{name: "hot", kind: "hot", url: c.HotURL, key: c.HotKey, urlVar: "SOZAI_HOT_URL", keys: "SOZAI_HOT_KEY", price: c.HotPrice},
		{name: "video", kind: "video", url: c.VideoURL, key: c.VideoKey, urlVar: "SOZAI_VIDEO_WORKER_URL", keys: "SOZAI_VIDEO_WORKER_KEY", price: c.VideoPrice},
		{name: "render", kind: "render", url: c.RenderURL, key: c.RenderKey, urlVar: "SOZAI_RENDER_URL", keys: "SOZAI_RENDER_KEY", keyless: true},
	}
}

// problems lists everything that is wrong with it.
func (c outsideConfig) problems() (problems []error) {
	for _, s := range c.services() {
		u, err := url.Parse(s.url)
		switch {
		case s.url == "" && s.key != "":
			problems = append(problems, fmt.Errorf("%s is set, but %s is not", s.keys, s.urlVar))
		case s.url == "":
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			problems = append(problems, fmt.Errorf("%s: want a web address, for example https://service.example.org", s.urlVar))
		case u.User != nil:
			problems = append(problems, fmt.Errorf("%s: a key belongs into %s, not into the address", s.urlVar, s.keys))
		case s.key == "" && !s.keyless:
			problems = append(problems, fmt.Errorf("%s is set, but %s is not", s.urlVar, s.keys))
		}
		if !domain.Finite(s.price) || s.price < 0 || s.price > 1000 {
			problems = append(problems, fmt.Errorf("the price at %s: want yuan from 0 to 1000", s.name))
		}
	}
	if _, err := parseTikHubPrices(c.TikHubPrices, 1); err != nil {
		problems = append(problems, err)
	}
	// What else it would refuse: platforms that it does not know.
	if _, err := source.NewTikHub(source.TikHubConfig{
		ServiceConfig: source.ServiceConfig{Key: "any"}, Platforms: c.TikHubPlatforms, Region: c.TikHubRegion,
	}); err != nil {
		problems = append(problems, fmt.Errorf("SOZAI_TIKHUB_PLATFORMS: %w", err))
	}
	for _, host := range c.MediaHosts {
		if name, port, err := net.SplitHostPort(host); err != nil || name == "" || port == "" {
			problems = append(problems, fmt.Errorf("SOZAI_MEDIA_HOSTS %q: want host:port", host))
		}
	}
	return problems
}

// String names the services that are on, and where they are.
func (c outsideConfig) String() string {
	var on []string
	for _, s := range c.services() {
		if s.url != "" {
			on = append(on, s.name+"@"+redact(s.url, ""))
		}
	}
	if len(on) == 0 {
		return "none"
	}
	return strings.Join(on, ",")
}

// yuan is an amount of the configuration.
func yuan(amount float64) domain.Money { return domain.Money(math.Round(amount * 1e6)) }

// parseTikHubPrices puts prices of one's own in place of the list prices.
func parseTikHubPrices(text string, exchange float64) (source.Prices, error) {
	prices := source.DefaultPrices()
	prices.YuanPerUSD = exchange
	var problems []error
	for field := range strings.SplitSeq(text, ",") {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		name, value, _ := strings.Cut(field, "=")
		usd, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		endpoint := source.Endpoint(strings.TrimSpace(name))
		_, known := prices.USD[endpoint]
		switch {
		case err != nil || !domain.Finite(usd) || usd < 0:
			problems = append(problems, fmt.Errorf("SOZAI_TIKHUB_PRICES %q: want a number of USD after =", field))
		case endpoint == "other":
			prices.Other = usd
		case known:
			prices.USD[endpoint] = usd
		default:
			problems = append(problems, fmt.Errorf("SOZAI_TIKHUB_PRICES: there is no endpoint %q", endpoint))
		}
	}
	return prices, errors.Join(problems...)
}
