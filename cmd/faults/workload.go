package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"sozai/domain"
	"sozai/projections"
)

// action is one thing people do; do returns nil when there is nothing to do it to.
type action struct {
	name   string
	weight int
	do     func(c *client, ctx context.Context, agent string) *command
}

// actions is everything that clients do to a room.
var actions = []action{
	{"say", 22, (*client).say},
	{"take-back", 3, (*client).takeBack},
	{"feedback", 14, (*client).feedback},
	{"withdraw", 3, (*client).withdraw},
	{"behavior", 8, (*client).behavior},
	{"edit-gene", 7, (*client).editGene},
	{"rollback", 3, (*client).rollback},
	{"apply-card", 8, (*client).applyCard},
	{"reject-card", 3, (*client).rejectCard},
	{"confirm-order", 7, (*client).confirmOrder},
	{"decline-order", 2, (*client).declineOrder},
	{"search", 7, (*client).search},
	{"digest", 4, (*client).digest},
	{"cancel-run", 4, (*client).cancelRun},
	{"retry-run", 2, (*client).retryRun},
	{"stop-turn", 3, (*client).stopTurn},
	{"edit-agent", 2, (*client).editAgent},
	{"schedule", 2, (*client).schedule},
	{"board", 1, (*client).board},
}

// work lets a client give its commands. The first thing anybody does is to open
// an agent; there are two a round.
//
// Who was not answered twice gives up: the round is over for them.
func (c *client) work(ctx context.Context, commands int) {
	for given, unanswered := 0, 0; given < commands && unanswered < 2 && ctx.Err() == nil; {
		agent := c.room()
		var cmd *command
		if agent == "" || len(c.rooms()) < 2 && c.rng.IntN(6) == 0 {
			cmd = c.create(ctx)
		} else {
			cmd = c.choose().do(c, ctx, agent)
		}
		if cmd != nil {
			given++
			if cmd.Status == 0 {
				unanswered++
			}
		}
		pause(ctx, time.Duration(c.rng.IntN(60))*time.Millisecond)
	}
}

func (c *client) choose() action {
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	at := c.rng.IntN(total)
	for _, a := range actions {
		if at -= a.weight; at < 0 {
			return a
		}
	}
	return actions[0]
}

// rooms are the agents that somebody was told of.
func (w *world) rooms() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.agents)
}

func (c *client) room() string {
	rooms := c.rooms()
	if len(rooms) == 0 {
		return ""
	}
	return rooms[c.rng.IntN(len(rooms))]
}

func room(agent, suffix string) string { return "/api/agents/" + agent + suffix }

func (c *client) create(ctx context.Context) *command {
	cmd := c.give(ctx, command{Name: "create", Method: http.MethodPost, Path: "/api/agents?product=" + product, In: map[string]any{
		"name": "末日塔防 " + c.name, "brief": "手游买量", "search": "末日塔防\n要有丧尸", "steer": "竖屏\n前 3 秒出现敌人", "sources": []string{"fast"},
	}})
	var made struct {
		Agent string `json:"agent"`
	}
	if cmd.Outcome == acknowledged && json.Unmarshal([]byte(cmd.Answer), &made) == nil {
		c.mu.Lock()
		c.agents = append(c.agents, made.Agent)
		c.mu.Unlock()
	}
	return cmd
}

// sayings make the rehearsal model answer, record feedback, and propose cards
// and orders.
var sayings = []string{
	"你好", "爆炸感不够，节奏也慢", "再找一批丧尸素材", "现在的检索需求是什么？", "希望多一点雨夜霓虹的感觉",
	"成片控制在 15 秒以内", "V2 比 V1 好吗？", "大家最近做了什么？", "根据大家的反馈改一下基因", "too much text, want more explosions",
}

func (c *client) say(ctx context.Context, agent string) *command {
	in := map[string]any{"text": fmt.Sprintf("%s（%d）", sayings[c.rng.IntN(len(sayings))], c.rng.IntN(1000))}
	if m := c.material(ctx, agent); m != "" && c.rng.IntN(2) == 0 {
		in["refs"] = []domain.Ref{{Type: domain.Material, ID: m}}
	}
	cmd := c.give(ctx, command{Name: "say", Method: http.MethodPost, Path: room(agent, "/messages"), In: in})
	if cmd.Outcome == acknowledged && c.rng.IntN(4) == 0 {
		c.seesOwn(ctx, agent, cmd)
	}
	return cmd
}

// seesOwn reads the room right after a message was acknowledged: it stands there.
func (c *client) seesOwn(ctx context.Context, agent string, cmd *command) {
	var page struct {
		Rows []projections.Row `json:"rows"`
	}
	query := fmt.Sprintf("/timeline?after=%d&limit=1&min_seq=%d", cmd.Seq-1, cmd.Seq)
	if c.get(ctx, room(agent, query), &page) && (len(page.Rows) == 0 || page.Rows[0].Seq != cmd.Seq) {
		c.find("read-your-writes: %s %s was acknowledged at %d, and the timeline as of %d does not show it", cmd.Name, cmd.Key, cmd.Seq, cmd.Seq)
	}
}

// mine is the object that an own acknowledged command made, if there is one.
func (c *client) mine(name, agent, field string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var made []string
	for _, cmd := range c.commands {
		if cmd.Client != c.name || cmd.Name != name || cmd.Outcome != acknowledged || cmd.Path != room(agent, "/"+map[string]string{"say": "messages", "feedback": "feedback"}[name]) {
			continue
		}
		var answer map[string]any
		if json.Unmarshal([]byte(cmd.Answer), &answer) == nil {
			if id, ok := answer[field].(string); ok {
				made = append(made, id)
			}
		}
	}
	if len(made) == 0 {
		return ""
	}
	return made[len(made)-1-c.rng.IntN(min(2, len(made)))]
}

func (c *client) takeBack(ctx context.Context, agent string) *command {
	message := c.mine("say", agent, "message")
	if message == "" {
		return nil
	}
	return c.give(ctx, command{Name: "take-back", Method: http.MethodDelete, Path: room(agent, "/messages/"+message)})
}

func (c *client) feedback(ctx context.Context, agent string) *command {
	object := domain.Ref{Type: domain.Whole}
	if m := c.material(ctx, agent); m != "" {
		object = domain.Ref{Type: domain.Material, ID: m}
	}
	in := map[string]any{"object": object, "verdict": []string{"like", "dislike"}[c.rng.IntN(2)]}
	if object.Type == domain.Whole || c.rng.IntN(2) == 0 {
		in["words"] = fmt.Sprintf("爆炸感不够 %d", c.rng.IntN(1000))
	}
	return c.give(ctx, command{Name: "feedback", Method: http.MethodPost, Path: room(agent, "/feedback"), In: in})
}

func (c *client) withdraw(ctx context.Context, agent string) *command {
	id := c.mine("feedback", agent, "feedback")
	if id == "" {
		return nil
	}
	return c.give(ctx, command{Name: "withdraw", Method: http.MethodDelete, Path: room(agent, "/feedback/"+id)})
}

func (c *client) behavior(ctx context.Context, agent string) *command {
	m := c.material(ctx, agent)
	if m == "" {
		return nil
	}
	key := c.newKey()
	var seen []map[string]any
	for range 1 + c.rng.IntN(4) {
		seen = append(seen, map[string]any{
			"id": c.newKey(), "type": "material_viewed", "at": c.clock.now(), "object": domain.Ref{Type: domain.Material, ID: m},
		})
	}
	return c.give(ctx, command{
		Name: "behavior", Key: key, Optional: true, Method: http.MethodPost, Path: room(agent, "/behavior"),
		In: map[string]any{"beacon": key, "observations": seen},
	})
}

// material is one of the room's, "" while there is none.
func (c *client) material(ctx context.Context, agent string) domain.ID {
	var page struct {
		Materials []projections.Material `json:"materials"`
	}
	if !c.get(ctx, room(agent, "/materials?limit=10"), &page) || len(page.Materials) == 0 {
		return ""
	}
	return page.Materials[c.rng.IntN(len(page.Materials))].Material
}

func (c *client) version(ctx context.Context, agent string) int {
	var gene struct {
		Version int `json:"version"`
	}
	c.get(ctx, room(agent, "/gene"), &gene)
	return gene.Version
}

func (c *client) editGene(ctx context.Context, agent string) *command {
	base := c.version(ctx, agent)
	if base == 0 {
		return nil
	}
	if c.rng.IntN(4) == 0 {
		base = max(1, base-1) // an old page: the gene has moved on
	}
	return c.give(ctx, command{Name: "edit-gene", Method: http.MethodPost, Path: room(agent, "/gene/edit"), In: map[string]any{
		"base_version": base, "search": fmt.Sprintf("末日塔防\n要有丧尸\n第 %d 条", c.rng.IntN(1000)), "summary": "by hand",
	}})
}

func (c *client) rollback(ctx context.Context, agent string) *command {
	base := c.version(ctx, agent)
	if base < 2 {
		return nil
	}
	return c.give(ctx, command{Name: "rollback", Method: http.MethodPost, Path: room(agent, "/gene/rollback"), In: map[string]any{
		"base_version": base, "to": 1 + c.rng.IntN(base-1),
	}})
}

// pending is a card or order that waits for a person.
func (c *client) pending(ctx context.Context, agent, noun string) string {
	var page struct {
		Cards  []projections.Card  `json:"cards"`
		Orders []projections.Order `json:"orders"`
	}
	if !c.get(ctx, room(agent, "/"+noun+"s?state=pending"), &page) {
		return ""
	}
	var ids []string
	for _, card := range page.Cards {
		ids = append(ids, string(card.Card))
	}
	for _, order := range page.Orders {
		ids = append(ids, string(order.Order))
	}
	if len(ids) == 0 {
		return ""
	}
	return ids[c.rng.IntN(len(ids))]
}

func (c *client) close(ctx context.Context, agent, noun, verb string) *command {
	id := c.pending(ctx, agent, noun)
	if id == "" {
		return nil
	}
	return c.give(ctx, command{
		Name: verb + "-" + noun, Method: http.MethodPost, Path: room(agent, "/"+noun+"s/"+id+"/"+verb), In: map[string]any{},
	})
}

func (c *client) applyCard(ctx context.Context, agent string) *command {
	return c.close(ctx, agent, "card", "apply")
}

func (c *client) rejectCard(ctx context.Context, agent string) *command {
	return c.close(ctx, agent, "card", "reject")
}

func (c *client) confirmOrder(ctx context.Context, agent string) *command {
	return c.close(ctx, agent, "order", "confirm")
}

func (c *client) declineOrder(ctx context.Context, agent string) *command {
	return c.close(ctx, agent, "order", "decline")
}

func (c *client) start(ctx context.Context, agent string, in map[string]any) *command {
	return c.give(ctx, command{Name: fmt.Sprint(in["work"]), Method: http.MethodPost, Path: room(agent, "/runs"), In: in})
}

func (c *client) search(ctx context.Context, agent string) *command {
	return c.start(ctx, agent, map[string]any{"work": "search", "target": 2 + c.rng.IntN(5), "what": "丧尸 爆炸"})
}

func (c *client) digest(ctx context.Context, agent string) *command {
	return c.start(ctx, agent, map[string]any{"work": "digest"})
}

// board asks for a board; without materials in the library it ends, and says why.
func (c *client) board(ctx context.Context, agent string) *command {
	return c.start(ctx, agent, map[string]any{"work": "board", "what": "一个方案"})
}

// task is one of the room's latest runs.
func (c *client) task(ctx context.Context, agent string, states ...projections.TaskState) domain.ID {
	var page struct {
		Runs []projections.Task `json:"runs"`
	}
	query := url.Values{}
	for _, s := range states {
		query.Add("states", string(s))
	}
	if !c.get(ctx, room(agent, "/runs?"+query.Encode()), &page) || len(page.Runs) == 0 {
		return ""
	}
	return page.Runs[c.rng.IntN(min(3, len(page.Runs)))].Run
}

func (c *client) cancelRun(ctx context.Context, agent string) *command {
	id := c.task(ctx, agent)
	if id == "" {
		return nil
	}
	return c.give(ctx, command{Name: "cancel-run", Optional: true, Method: http.MethodPost, Path: room(agent, "/runs/"+string(id)+"/cancel")})
}

func (c *client) retryRun(ctx context.Context, agent string) *command {
	id := c.task(ctx, agent, "done", "failed", "cancelled")
	if id == "" {
		return nil
	}
	return c.give(ctx, command{Name: "retry-run", Method: http.MethodPost, Path: room(agent, "/runs/"+string(id)+"/retry"), In: map[string]any{}})
}

// stopTurn stops the answer that was last seen being written, often too late.
func (c *client) stopTurn(ctx context.Context, agent string) *command {
	turn := c.writing(agent)
	if turn == "" {
		return nil
	}
	return c.give(ctx, command{Name: "stop-turn", Optional: true, Method: http.MethodPost, Path: room(agent, "/turns/"+turn+"/stop")})
}

func (c *client) editAgent(ctx context.Context, agent string) *command {
	return c.give(ctx, command{Name: "edit-agent", Optional: true, Method: http.MethodPatch, Path: room(agent, ""), In: map[string]any{
		"brief": fmt.Sprintf("手游买量 %d", c.rng.IntN(1000)),
	}})
}

// schedule asks for a daily search in the next minutes, or none.
func (c *client) schedule(ctx context.Context, agent string) *command {
	at := c.clock.now().UTC().Add(time.Duration(c.rng.IntN(3)) * time.Minute).Format("15:04")
	return c.give(ctx, command{Name: "schedule", Optional: true, Method: http.MethodPut, Path: room(agent, "/schedule"), In: map[string]any{
		"daily": c.rng.IntN(3) > 0, "at": at, "zone": "UTC",
	}})
}

// writing is the answer that was last seen being written in a room.
func (c *client) writing(agent string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.turns[agent]
}
