package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"sozai/handlers/ledger"
)

// probeLimit bounds one look at a service outside.
const probeLimit = 10 * time.Second

// outside looks at the services outside: whether they answer, and take our key.
// What is asked of them costs nothing.
func (d *checkup) outside() {
	if problems := d.Outside.problems(); len(problems) > 0 {
		for _, problem := range problems {
			d.fail("outside", "mend the setting where `serve` is started", nil, "%s", problem)
		}
		return
	}
	on := false
	for _, s := range d.Outside.services() {
		if s.url == "" {
			continue
		}
		on = true
		if d.Probe {
			d.probe(s)
		} else {
			d.ok(s.name, nil, "%s, not asked", redact(s.url, ""))
		}
	}
	if !on {
		d.ok("outside", nil, "no outside service is configured: searches look in the catalogue, films are rendered here")
	}
	if len(d.Outside.MediaHosts) > 0 {
		d.warn("media", "make sure that every one of them is a media server of your own", d.Outside.MediaHosts,
			"videos may be fetched from private addresses: %s", strings.Join(d.Outside.MediaHosts, ", "))
	}
}

// harmless is an address of each service that only looks.
func (s outsideService) harmless() string {
	path := map[string]string{
		"tikhub": "/api/v1/tikhub/user/get_user_info", "competitor": "/tasks/doctor", "hot": "/searches/doctor",
		"video": "/process", "render": "/renders/doctor",
	}[s.name]
	return strings.TrimRight(s.url, "/") + path
}

func (d *checkup) probe(s outsideService) {
	ctx, cancel := context.WithTimeout(d.ctx, probeLimit)
	defer cancel()
	status, body, err := s.look(ctx)
	at := redact(s.url, "")
	switch {
	case err != nil:
		d.fail(s.name, "look at "+s.urlVar+" and at the network", nil, "%s does not answer: %s", at, sentence(err))
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		d.fail(s.name, "set "+s.keys+" to a key that it takes", nil, "%s refuses the key (%d)", at, status)
	case status == http.StatusPaymentRequired:
		d.fail(s.name, "top the account up", nil, "the account at %s is empty", at)
	case status == http.StatusTooManyRequests:
		d.warn(s.name, "look again in a minute", nil, "%s asks for a pause", at)
	case status >= http.StatusInternalServerError:
		d.fail(s.name, "ask whoever runs it", nil, "%s answers with an error (%d)", at, status)
	case s.name == "tikhub":
		d.account(at, body)
	default:
		d.ok(s.name, nil, "%s answers and takes the key", at)
	}
}

// look asks once. It follows no redirect: the key goes to the address configured.
func (s outsideService) look(ctx context.Context) (status int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.harmless(), nil)
	if err != nil {
		return 0, nil, err
	}
	if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+string(s.key))
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	return resp.StatusCode, body, err
}

// account tells what is left of TikHub's credit, if it says so.
func (d *checkup) account(at string, body []byte) {
	var told struct {
		Key struct {
			Status *int `json:"api_key_status"`
		} `json:"api_key_data"`
		User *struct {
			Balance  float64 `json:"balance"`
			Free     float64 `json:"free_credit"`
			Disabled bool    `json:"account_disabled"`
		} `json:"user_data"`
	}
	platforms := strings.Join(d.Outside.TikHubPlatforms, ", ")
	switch err := json.Unmarshal(body, &told); {
	case err != nil || told.User == nil:
		d.warn("tikhub", "look at SOZAI_TIKHUB_URL", nil, "%s answers, but not as TikHub does", at)
	case told.User.Disabled:
		d.fail("tikhub", "ask TikHub", nil, "the account at %s is disabled", at)
	case told.User.Balance+told.User.Free <= 0:
		d.fail("tikhub", "top the account up", nil, "the account at %s is empty", at)
	default:
		d.ok("tikhub", nil, "%s takes the key, %.2f USD left, for %s", at, told.User.Balance+told.User.Free, platforms)
	}
}

// effects looks for paid calls of which nobody knows whether they were done.
func (d *checkup) effects() {
	book, err := ledger.Open(d.ctx, d.n.pool, "doctor", slog.New(slog.DiscardHandler))
	if err != nil {
		d.fail("effects", "", nil, "%s", sentence(err))
		return
	}
	defer book.Close()
	list, total, err := book.Unknown(d.ctx, 5)
	switch {
	case err != nil:
		d.fail("effects", "the tables may be of another version: start `sozai serve` of this one", nil, "%s", sentence(err))
	case total == 0:
		d.ok("effects", nil, "every paid call outside is known to have been done, or not")
	default:
		newest := list[0]
		d.warn("effects", "compare with the bill of the service; they are not repeated, asking again makes a new run", list,
			"%s may or may not have been done, the newest at %s (%s)", plural(total, "paid call"), when(newest.IntendedAt, d.now), fmt.Sprintf("run %s", newest.Run))
	}
}
