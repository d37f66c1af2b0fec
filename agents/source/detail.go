package source

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"sozai/agents/effect"
)

// Examine fetches the candidate's video and analyses it. An address that has
// expired since the search is asked for again, which is charged, once a run.
func (t *TikHub) Examine(ctx context.Context, who Who, c Candidate) (Candidate, error) {
	name, id, _ := strings.Cut(c.ID, ":")
	p, known := platformOf(name)
	if !known || t.guards[name] == nil || who.Run == "" {
		return t.conf.Keeper.examine(ctx, who, c, nil)
	}
	return t.conf.Keeper.examine(ctx, who, c, func(ctx context.Context) (string, error) { return t.renew(ctx, who, p, id) })
}

// renew asks for a video's present address; "" cannot be fetched.
func (t *TikHub) renew(ctx context.Context, who Who, p platform, id string) (string, error) {
	call := effect.Call{
		Key:  strings.Join([]string{"tikhub", p.name, "video", who.Product, string(who.Run), id}, "/"),
		Kind: "tikhub", Product: who.Product, Agent: who.Agent, Run: who.Run, Attempt: who.Attempt, Paid: true,
	}
	d, _, err := once(ctx, t.conf.Ledger, p.name, call, func(ctx context.Context) (effect.Done, error) {
		e := p.detail(id)
		e.price = t.conf.Prices.of(p.video)
		text, err := t.service.ask(ctx, t.guards[p.name], e)
		if err != nil {
			return effect.Done{}, err
		}
		c, _ := p.candidate(p.readDetail(loose(text)))
		kept, err := json.Marshal(c.Play)
		return effect.Done{Answer: kept, Cost: e.price}, err
	})
	if err != nil {
		return "", err
	}
	var address string
	if err := json.Unmarshal(d.Answer, &address); err != nil {
		return "", fmt.Errorf("remembered address of %s: %w", call.Key, err)
	}
	return address, nil
}
