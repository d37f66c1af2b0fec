package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"sozai/domain"
	"sozai/handlers/access"
)

// visitor is one person's browser as far as HTTP goes.
type visitor struct {
	client http.Client
	base   string
	cookie string
}

func newVisitor(address string) *visitor {
	return &visitor{client: http.Client{Timeout: 20 * time.Second}, base: "http://" + address}
}

// call sends JSON and reads the answer into out unless that is nil.
func (v *visitor) call(ctx context.Context, method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, v.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", string(newID()))
	if v.cookie != "" {
		req.Header.Set("Cookie", v.cookie)
	}
	res, err := v.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %.300s", method, path, res.Status, answer)
	}
	for _, c := range res.Cookies() {
		v.cookie = c.Name + "=" + c.Value
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// signUp makes an administrator, a product, an agent and the people who listen in
// its room.
func (h *hall) signUp(ctx context.Context, accounts *access.Store) error {
	link, err := accounts.FirstAdminLink(ctx)
	if err != nil {
		return err
	}
	boss := newVisitor(h.address)
	if err := boss.call(ctx, "POST", "/api/links/"+link, map[string]any{"name": "boss", "password": "correct horse"}, nil); err != nil {
		return err
	}
	if err := boss.call(ctx, "POST", "/api/products", map[string]any{"id": product, "name": "Bench"}, nil); err != nil {
		return err
	}
	var created struct{ Agent domain.ID }
	if err := boss.call(ctx, "POST", "/api/agents?product="+product,
		map[string]any{"name": "末日塔防", "search": "爆炸\n僵尸", "steer": "节奏快"}, &created); err != nil {
		return err
	}
	h.room = "/api/agents/" + string(created.Agent)
	for i := range socketPeople {
		var invite struct{ Token string }
		if err := boss.call(ctx, "POST", "/api/invites", map[string]any{"products": []string{product}}, &invite); err != nil {
			return err
		}
		guest := newVisitor(h.address)
		if err := guest.call(ctx, "POST", "/api/links/"+invite.Token,
			map[string]any{"name": fmt.Sprintf("guest %c", 'a'+i), "password": "correct horse"}, nil); err != nil {
			return err
		}
		var me struct{ User struct{ ID domain.ID } }
		if err := guest.call(ctx, "GET", "/api/session", nil, &me); err != nil {
			return err
		}
		if err := boss.call(ctx, "PUT", h.room+"/members/"+string(me.User.ID), map[string]any{"role": "member"}, nil); err != nil {
			return err
		}
		h.cookies = append(h.cookies, guest.cookie)
	}
	h.speaker = &speaker{h: h, key: domain.Key{Product: product, Agent: created.Agent}, by: boss, filler: strings.Repeat("a", frameSize)}
	return nil
}
