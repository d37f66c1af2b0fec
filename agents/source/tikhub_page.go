package source

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sozai/agents/effect"
	"sozai/domain"
)

// answer is what the ledger keeps of a page: enough to give it again and to ask
// for the next one.
type answer struct {
	Items   []Candidate `json:"items"`
	Next    cursor      `json:"next"`
	More    bool        `json:"more"`
	Seen    []string    `json:"seen,omitempty"`    // ids of this page and those before
	Problem string      `json:"problem,omitempty"` // charged, but an error inside
	Request string      `json:"request,omitempty"` // the vendor's id of the request
	Replay  string      `json:"replay,omitempty"`  // the same answer for free, for a day
}

var errNotAsked = fmt.Errorf("this page was not asked for: %w", effect.ErrNotDone)

// Search asks one platform; "" is the first configured. Pages of a query come in
// order, because a page names where the next begins.
func (t *TikHub) Search(ctx context.Context, q Query) (Page, error) {
	q.Platform = cmp.Or(q.Platform, t.names[0])
	p, _ := platformOf(q.Platform)
	q.Text = line(q.Text, 200)
	page := Page{Items: []Candidate{}, Platform: q.Platform, Page: q.Page, Pages: q.Page}
	switch {
	case t.guards[q.Platform] == nil:
		return Page{}, refused(q.Platform, "this platform is not configured")
	case q.Page < 1:
		return Page{}, refused(q.Platform, "pages are counted from 1")
	case q.Run == "":
		return Page{}, refused(q.Platform, "only a run may search here, since it costs money")
	case q.Text == "": // sent, it would be charged; Douyin would look for cats
		page.Pages = 0
		return page, nil
	}
	before := answer{More: true}
	if q.Page > 1 {
		var err error
		before, _, _, err = t.page(ctx, q, q.Page-1, func(context.Context) (effect.Done, error) { return effect.Done{}, errNotAsked })
		if errors.Is(err, errNotAsked) {
			return Page{}, refused(q.Platform, "pages come in order: ask for the page before first")
		}
		if err != nil {
			return Page{}, err
		}
	}
	if !before.More {
		page.Pages = q.Page - 1
		return page, nil
	}
	a, cost, again, err := t.page(ctx, q, q.Page, func(ctx context.Context) (effect.Done, error) { return t.ask(ctx, p, q.Text, before) })
	if err != nil {
		return Page{}, err
	}
	page.Items, page.More, page.Cost, page.Again = a.Items, a.More, cost, again
	if a.More {
		page.Pages++
	}
	return page, nil
}

// page is a page of a run's query, remembered or made by do.
func (t *TikHub) page(ctx context.Context, q Query, number int, do func(context.Context) (effect.Done, error)) (answer, domain.Money, bool, error) {
	words := sha256.Sum256([]byte(strings.ToLower(q.Text)))
	key := strings.Join([]string{"tikhub", q.Platform, "search", q.Product, string(q.Run), hex.EncodeToString(words[:12]), strconv.Itoa(number)}, "/")
	d, again, err := once(ctx, t.conf.Ledger, q.Platform, effect.Call{
		Key: key, Kind: "tikhub", Product: q.Product, Agent: q.Agent, Run: q.Run, Attempt: q.Attempt, Paid: true,
	}, do)
	if err != nil {
		return answer{}, 0, false, err
	}
	var a answer
	if err := json.Unmarshal(d.Answer, &a); err != nil {
		return answer{}, 0, false, fmt.Errorf("remembered page %s: %w", key, err)
	}
	if a.Problem != "" {
		return answer{}, 0, false, &Error{Source: q.Platform, Kind: Refused, Message: a.Problem, Cost: d.Cost}
	}
	return a, d.Cost, again, nil
}

// ask makes the request for the page after before.
func (t *TikHub) ask(ctx context.Context, p platform, keyword string, before answer) (effect.Done, error) {
	e := p.request(t, keyword, before.Next)
	e.price = t.conf.Prices.of(p.search)
	text, err := t.service.ask(ctx, t.guards[p.name], e)
	if err != nil {
		return effect.Done{}, err
	}
	kept, err := json.Marshal(read(p, loose(text), before))
	return effect.Done{Answer: kept, Cost: e.price}, err
}

// read makes a page of an answer that was charged, whatever it holds.
func read(p platform, body node, before answer) answer {
	f := p.read(body, before.Next)
	a := answer{
		Items: []Candidate{}, Next: f.next, Seen: before.Seen,
		Request: line(body.at("request_id").text(), 100), Replay: webLink(body.at("cache_url").text()),
	}
	if len(f.items) == 0 {
		a.Problem = innerError(body)
		return a
	}
	videos := 0
	for _, item := range f.items {
		c, ok := p.candidate(item)
		if !ok {
			continue
		}
		videos++
		if !slices.Contains(a.Seen, c.ID) {
			a.Seen = append(a.Seen, c.ID)
			a.Items = append(a.Items, c)
		}
	}
	// A page of pictures only may be followed by videos; one of nothing but what
	// was there before is the end, and so is a cursor that stands still.
	a.More = f.more && f.next != before.Next && (len(a.Items) > 0 || videos == 0)
	return a
}

// innerError is the error inside an answer that was charged; "" if it is a page
// that holds nothing.
func innerError(body node) string {
	switch {
	case body.v == nil:
		return "its answer cannot be read"
	case body.at("code").number() != 0 && body.at("code").number() != 200:
		return "it answered with an error inside"
	}
	for _, data := range []node{body.at("data"), body.at("data", "data")} {
		code := data.at("code").number()
		if data.at("status_code").number() != 0 || code != 0 && code != 200 {
			return "the platform answered with an error"
		}
	}
	return ""
}
