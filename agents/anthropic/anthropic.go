// Package anthropic is the Model that speaks the Anthropic Messages API through
// the official Go SDK, also to gateways that imitate it (ZenMux). It does not
// retry: the loop decides. It reads nothing from the environment.
//
// It may import agents and domain; nothing else of this module.
package anthropic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"sozai/agents"
	"sozai/domain"
)

// Config is what a model needs. Key and Model are required, and a price for the
// model, because the cap on a run's cost is computed from it.
type Config struct {
	Key     string
	BaseURL string // "" = the vendor's own
	Model   string // as the endpoint names it, for example anthropic/claude-sonnet-4.5:anthropic

	Prices     map[string]Price // by model; Model or its plain name is looked up
	YuanPerUSD float64

	// Thinking is "" (the model's default), "adaptive" or "disabled".
	Thinking string
	// HTTP is the client to use; nil = a default one without a time limit of
	// its own, since the loop sets idle and total limits.
	HTTP *http.Client
}

// Model is one configured model. Safe for concurrent use.
type Model struct {
	client sdk.Client
	config Config
	price  Price
}

// New checks the configuration; it does not call the endpoint.
func New(c Config) (*Model, error) {
	if c.Key == "" || c.Model == "" {
		return nil, errors.New("a key and a model are needed")
	}
	price, ok := lookUp(c.Prices, c.Model)
	if !ok || !price.valid() || c.YuanPerUSD <= 0 {
		return nil, fmt.Errorf("no price is configured for model %q: without one the cost of a run cannot be capped", c.Model)
	}
	switch c.Thinking {
	case "", "adaptive", "disabled":
	default:
		return nil, fmt.Errorf("thinking %q is none of adaptive, disabled", c.Thinking)
	}
	opts := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithoutOpenTelemetry(),
		option.WithAPIKey(c.Key), option.WithMaxRetries(0),
	}
	if c.BaseURL != "" {
		opts = append(opts, option.WithBaseURL(c.BaseURL))
	}
	if c.HTTP != nil {
		opts = append(opts, option.WithHTTPClient(c.HTTP))
	}
	return &Model{client: sdk.NewClient(opts...), config: c, price: price}, nil
}

// Name is the configured model name.
func (m *Model) Name() string { return m.config.Model }

// Price is what a usage costs.
func (m *Model) Price(u domain.Usage) domain.Money { return m.price.cost(u, m.config.YuanPerUSD) }

// priceOf is the price of the model that answered: a gateway may have chosen
// another one. One that the table does not know is charged as the configured one.
func (m *Model) priceOf(model string) Price {
	if p, ok := lookUp(m.config.Prices, model); ok && p.valid() {
		return p
	}
	return m.price
}

// Stream plays one round. Whatever arrives on the wire, keep-alive comments
// included, is passed on as a sign of life.
func (m *Model) Stream(ctx context.Context, req agents.Request, emit func(agents.Delta)) (agents.Response, error) {
	resp, _, err := m.stream(ctx, req, emit)
	return resp, err
}

// stream also tells whether the usage spoke of the cache.
func (m *Model) stream(ctx context.Context, req agents.Request, emit func(agents.Delta)) (resp agents.Response, counters bool, err error) {
	params, err := m.params(req)
	if err != nil {
		return resp, false, &agents.ModelError{Kind: agents.BadRequest, Message: err.Error(), Err: err}
	}
	stream := m.client.Messages.NewStreaming(ctx, params, option.WithMiddleware(
		func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			resp, err := next(r)
			if err == nil && resp.StatusCode == http.StatusOK {
				resp.Body = &pulse{ReadCloser: resp.Body, beat: func() { emit(agents.Delta{}) }}
			}
			return resp, err
		}))
	defer stream.Close()

	var a assembly
	for stream.Next() {
		if ctx.Err() != nil {
			return resp, false, ctx.Err()
		}
		if err := a.add(stream.Current().RawJSON(), emit); err != nil {
			return resp, false, &agents.ModelError{Kind: agents.ServerError, Message: "the stream cannot be understood", Retry: true, Err: err}
		}
		if a.complete {
			break
		}
	}
	switch {
	case ctx.Err() != nil:
		return resp, false, ctx.Err()
	case a.complete:
	case stream.Err() != nil:
		return resp, false, classify(stream.Err(), a.begun)
	default:
		return resp, false, &agents.ModelError{
			Kind: agents.Interrupted, Message: "the stream ended before the message was complete", Retry: true, Err: io.ErrUnexpectedEOF,
		}
	}
	resp = a.response(func() int { return agents.EstimateRequest(req) })
	if resp.Model == "" {
		resp.Model = m.config.Model
	}
	if resp.Usage.Known {
		resp.Cost = m.priceOf(resp.Model).cost(resp.Usage, m.config.YuanPerUSD)
	}
	return resp, a.tally.counters(), nil
}

// pulse tells of every read that brought something.
type pulse struct {
	io.ReadCloser
	beat func()
}

func (p *pulse) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if n > 0 {
		p.beat()
	}
	return n, err
}
