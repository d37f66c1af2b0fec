package source

import (
	"math"

	"sozai/domain"
)

// Prices are what TikHub charges for a request, in USD by endpoint, and the rate
// at which that is counted. An endpoint without an entry costs Other.
type Prices struct {
	YuanPerUSD float64
	USD        map[Endpoint]float64
	Other      float64
}

// Endpoint names what is asked of TikHub, to be priced.
type Endpoint string

// The endpoints.
const (
	TikTokSearch    Endpoint = "tiktok/search"
	TikTokVideo     Endpoint = "tiktok/video"
	InstagramSearch Endpoint = "instagram/search"
	InstagramVideo  Endpoint = "instagram/video"
	DouyinSearch    Endpoint = "douyin/search"
	DouyinVideo     Endpoint = "douyin/video"
)

// DefaultPrices are the vendor's list prices as last seen, to be overridden by
// configuration: the account's own are at its get_endpoint_info.
func DefaultPrices() Prices {
	return Prices{YuanPerUSD: 7.2, Other: 0.002, USD: map[Endpoint]float64{
		TikTokSearch: 0.001, TikTokVideo: 0.001,
		InstagramSearch: 0.002, InstagramVideo: 0.002,
		DouyinSearch: 0.001, DouyinVideo: 0.001,
	}}
}

// of rounds up to a whole micro-yuan.
func (p Prices) of(e Endpoint) domain.Money {
	usd, ok := p.USD[e]
	if !ok {
		usd = p.Other
	}
	return domain.Money(math.Ceil(usd*p.YuanPerUSD*1e6 - 1e-6))
}

func (p Prices) check() error {
	for _, usd := range append([]float64{p.Other}, values(p.USD)...) {
		if !domain.Finite(usd) || usd < 0 {
			return domain.Errorf(domain.Invalid, "%g USD is no price", usd)
		}
	}
	if !domain.Finite(p.YuanPerUSD) || p.YuanPerUSD <= 0 {
		return domain.Errorf(domain.Invalid, "%g yuan to the dollar is no rate", p.YuanPerUSD)
	}
	return nil
}

func values(m map[Endpoint]float64) []float64 {
	var out []float64
	for _, v := range m {
		out = append(out, v)
	}
	return out
}
