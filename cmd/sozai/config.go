package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// place is where the log and the tables are. Empty URLs mean the embedded ones
// in the data folder.
type place struct {
	Data        string `default:"./data" type:"path" env:"SOZAI_DATA" help:"Data folder: log, tables, media."`
	NATSURL     string `name:"nats-url" env:"SOZAI_NATS_URL" help:"NATS server or cluster instead of the embedded one."`
	DatabaseURL string `env:"SOZAI_DATABASE_URL" help:"PostgreSQL instead of the private one."`
}

// redact is a URL as it may be shown, or what stands in its place.
func redact(raw, embedded string) string {
	if raw == "" {
		return embedded
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "external"
	}
	return u.Redacted()
}

// modelConfig chooses the model. Without a key the rehearsal model plays.
type modelConfig struct {
	Key      secret  `name:"model-key" env:"SOZAI_MODEL_KEY" hidden:"" help:"API key of the model provider."`
	BaseURL  string  `name:"model-url" default:"https://api.anthropic.com/" env:"SOZAI_MODEL_URL" help:"Base URL of an Anthropic Messages API."`
	Model    string  `default:"claude-sonnet-4-6" env:"SOZAI_MODEL" help:"Model id."`
	Prices   string  `name:"model-prices" env:"SOZAI_MODEL_PRICES" help:"USD per million tokens: input, cache write, cache read, output (default: the list price of a known model)."`
	Exchange float64 `name:"yuan-per-dollar" default:"7.2" env:"SOZAI_YUAN_PER_DOLLAR" help:"Exchange rate for costs."`
}

// roles of a process.
const (
	roleWeb       = "web"
	roleProjector = "projector"
	roleWorker    = "worker"
)

// secret is a key that no log, error or printed configuration shows.
type secret string

func (s secret) String() string {
	if s == "" {
		return ""
	}
	return "(set)"
}

// GoString and MarshalText keep it out of %#v and of JSON too.
func (s secret) GoString() string             { return s.String() }
func (s secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// mostAtOnce bounds how many runs of a kind one process works on.
const mostAtOnce = 64

// validate joins all problems, so that a person mends them in one go.
func (c serveCommand) validate() error {
	problems := c.Outside.problems()
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		problems = append(problems, fmt.Errorf("--listen %q: want host:port, for example 127.0.0.1:7317", c.Listen))
	}
	for _, role := range c.Roles {
		if !slices.Contains([]string{roleWeb, roleProjector, roleWorker}, role) {
			problems = append(problems, fmt.Errorf("--roles %q: choose from web, projector, worker", role))
		}
	}
	for name, value := range map[string]string{"--nats-url": c.NATSURL, "--database-url": c.DatabaseURL, "--model-url": c.Model.BaseURL} {
		if value == "" {
			continue
		}
		if u, err := url.Parse(value); err != nil || u.Scheme == "" {
			problems = append(problems, fmt.Errorf("%s: not a URL", name))
		}
	}
	for _, number := range []struct {
		name string
		n    int
	}{{"--butlers", c.Butlers}, {"--searches", c.Searches}, {"--boards", c.Boards}, {"--films", c.Films}, {"--analyses", c.Analyses}} {
		if number.n < 1 || number.n > mostAtOnce {
			problems = append(problems, fmt.Errorf("%s %d: want a number from 1 to %d", number.name, number.n, mostAtOnce))
		}
	}
	if c.Model.Exchange <= 0 {
		problems = append(problems, fmt.Errorf("--yuan-per-dollar %g: want a rate above 0", c.Model.Exchange))
	}
	if c.Replicas != 1 && c.NATSURL == "" {
		problems = append(problems, errors.New("--replicas: the embedded log keeps one copy; give --nats-url for a cluster"))
	}
	return errors.Join(problems...)
}

// redacted is the configuration as it may be printed and logged.
func (c serveCommand) redacted() string {
	model := "rehearsal"
	if c.Model.Key != "" {
		model = c.Model.Model + " at " + redact(c.Model.BaseURL, "")
	}
	return fmt.Sprintf("data=%s log=%s tables=%s roles=%s model=%s outside=%s", filepath.Clean(c.Data),
		redact(c.NATSURL, "embedded"), redact(c.DatabaseURL, "private"), strings.Join(c.Roles, ","), model, c.Outside)
}
