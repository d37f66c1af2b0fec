package source

import (
	"cmp"
	"slices"
	"time"

	"sozai/agents/effect"
	"sozai/domain"
)

// TikHubConfig says how TikHub is used. Zero fields take the defaults in
// brackets.
type TikHubConfig struct {
	ServiceConfig          // Base: [https://api.tikhub.io]; inside mainland China https://api.tikhub.dev
	Platforms     []string // [all three]
	Region        string   // of TikTok, ISO 3166-1 alpha-2 [US]
	Prices        Prices   // [DefaultPrices]
	PerSecond     float64  // requests with this key [5]
	Parallel      int      // requests at a time [4]
	Ledger        effect.Ledger
	Keeper        *Keeper
	Health        Health // [nobody]

	Failures         int           // see GuardConfig
	OpenFor, StopFor time.Duration // see GuardConfig
}

// TikHub searches the platforms behind one account. Each platform stands behind a
// guard of its own, since credit and key scopes differ by platform; the pace is
// one. Safe for concurrent use.
type TikHub struct {
	conf    TikHubConfig
	service *service
	names   []string
	guards  map[string]*Guard
}

// platform is what differs between the platforms.
type platform struct {
	name          string
	search, video Endpoint
	request       func(t *TikHub, keyword string, c cursor) exchange
	read          func(answer node, asked cursor) found
	detail        func(id string) exchange
	readDetail    func(answer node) node
	candidate     func(item node) (Candidate, bool)
}

// cursor is where a page begins; each platform uses its own part.
type cursor struct {
	Offset    int    `json:"offset,omitempty"`
	Token     string `json:"token,omitempty"`
	SearchID  string `json:"search_id,omitempty"`
	Backtrace string `json:"backtrace,omitempty"`
}

// found is what a platform's answer holds before it is cut to size.
type found struct {
	items []node
	next  cursor
	more  bool
}

// maxItems bounds what one answer may hold.
const maxItems = 100

// NewTikHub checks the configuration; nothing is asked yet.
func NewTikHub(c TikHubConfig) (*TikHub, error) {
	c.Base = cmp.Or(c.Base, "https://api.tikhub.io")
	c.Region = cmp.Or(c.Region, "US")
	if c.Prices.YuanPerUSD == 0 && c.Prices.USD == nil {
		c.Prices = DefaultPrices()
	}
	if err := c.Prices.check(); err != nil {
		return nil, err
	}
	if len(c.Platforms) == 0 {
		c.Platforms = []string{"tiktok", "instagram", "douyin"}
	}
	s, err := newService("tikhub", c.ServiceConfig)
	if err != nil {
		return nil, err
	}
	pace, err := NewPace(cmp.Or(c.PerSecond, 5), cmp.Or(c.Parallel, 4))
	if err != nil {
		return nil, err
	}
	t := &TikHub{conf: c, service: s, guards: map[string]*Guard{}}
	for _, name := range c.Platforms {
		if _, known := platformOf(name); !known || slices.Contains(t.names, name) {
			return nil, domain.Errorf(domain.Invalid, "%q is no platform of TikHub, or is named twice", name)
		}
		t.names = append(t.names, name)
		t.guards[name] = NewGuard(GuardConfig{
			Name: name, Kind: "tikhub", Pace: pace, Health: c.Health, Now: c.Now,
			Failures: c.Failures, OpenFor: c.OpenFor, StopFor: c.StopFor,
		})
	}
	return t, nil
}

func platformOf(name string) (platform, bool) {
	switch name {
	case "tiktok":
		return tiktok(), true
	case "instagram":
		return instagram(), true
	case "douyin":
		return douyin(), true
	}
	return platform{}, false
}

// Name is the source's name in events.
func (t *TikHub) Name() string { return "fast" }

// Platforms are those configured, in order.
func (t *TikHub) Platforms() []string { return slices.Clone(t.names) }

// Status is how each platform is.
func (t *TikHub) Status() []Status {
	out := make([]Status, len(t.names))
	for i, name := range t.names {
		out[i] = t.guards[name].Status()
	}
	return out
}

func refused(source, message string) *Error {
	return &Error{Source: source, Kind: Refused, Message: message, Err: effect.ErrNotDone}
}
