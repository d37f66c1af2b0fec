package projections

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
)

// Agent is one business agent with what its card on the agents page shows.
type Agent struct {
	domain.Key
	Name          string               `json:"name"`
	Brief         string               `json:"brief"`
	Creator       domain.ID            `json:"creator"`
	Members       map[domain.ID]string `json:"members"` // user → member or viewer; without the creator
	Sources       []string             `json:"sources"`
	Daily         bool                 `json:"daily"`
	At            string               `json:"at,omitempty"`
	Zone          string               `json:"zone,omitempty"`
	Archived      bool                 `json:"archived"`
	CreatedAt     time.Time            `json:"created_at"`
	GeneVersion   int                  `json:"gene_version"`
	LastActivity  time.Time            `json:"last_activity"`
	WaitingCards  int                  `json:"waiting_cards"`
	WaitingOrders int                  `json:"waiting_orders"`
	RunningTasks  int                  `json:"running_tasks"`
	Seq           uint64               `json:"seq"`
	Rev           uint64               `json:"rev"`
}

// Role is "creator", "member", "viewer", or "" for a stranger.
func (a Agent) Role(user domain.ID) string {
	if user != "" && user == a.Creator {
		return "creator"
	}
	return a.Members[user]
}

// Access is what the policy needs to know about an agent.
type Access struct {
	Creator  domain.ID
	Members  map[domain.ID]string
	Archived bool
}

// Schedule is an agent's daily search.
type Schedule struct {
	domain.Key
	At   string
	Zone string
}

const selectAgents = `
	SELECT a.product, a.agent, a.seq, a.rev, a.name, a.brief, a.creator, a.sources, a.daily, a.daily_at, a.zone, a.archived,
		a.created_at, a.gene_version, a.last_activity,
		coalesce((SELECT jsonb_object_agg(person, role) FROM {s}.members m WHERE m.product = a.product AND m.agent = a.agent), '{}'),
		w.cards, w.orders, w.runs
	FROM {s}.agents a CROSS JOIN LATERAL (
		SELECT count(*) FILTER (WHERE kind = 'card')::int AS cards, count(*) FILTER (WHERE kind = 'order')::int AS orders,
			count(*) FILTER (WHERE kind = 'run')::int AS runs
		FROM {s}.waiting w WHERE w.product = a.product AND w.agent = a.agent) w`

func scanAgent(row pgx.CollectableRow) (Agent, error) {
	var a Agent
	var seq, rev int64
	err := row.Scan(&a.Product, &a.Agent, &seq, &rev, &a.Name, &a.Brief, &a.Creator, &a.Sources, &a.Daily, &a.At, &a.Zone,
		&a.Archived, &a.CreatedAt, &a.GeneVersion, &a.LastActivity, &a.Members, &a.WaitingCards, &a.WaitingOrders, &a.RunningTasks)
	a.Seq, a.Rev, a.CreatedAt, a.LastActivity = uint64(seq), uint64(rev), a.CreatedAt.UTC(), a.LastActivity.UTC()
	return a, err
}

// Agents lists a product's agents, the most recently active first. A user
// narrows it to the agents in which that user has a role.
func (s *Store) Agents(ctx context.Context, product string, user domain.ID) ([]Agent, error) {
	var out []Agent
	err := s.read(ctx, Directory, func(q query) (err error) {
		out, err = collect(ctx, q, scanAgent, selectAgents+`
			WHERE a.product = $1 AND ($2 = '' OR a.creator = $2 OR EXISTS (
				SELECT 1 FROM {s}.members m WHERE m.product = a.product AND m.agent = a.agent AND m.person = $2))
			ORDER BY a.last_activity DESC, a.agent`, product, string(user))
		return err
	})
	return out, err
}

// Agent is one agent; NotFound if there is none.
func (s *Store) Agent(ctx context.Context, key domain.Key) (Agent, error) {
	var out Agent
	err := s.read(ctx, Directory, func(q query) (err error) {
		out, err = one(ctx, q, "agent", scanAgent, selectAgents+` WHERE a.product = $1 AND a.agent = $2`, key.Product, key.Agent)
		return err
	})
	return out, err
}

// FindAgent looks an agent up by id alone. If two products should ever hold the
// same id, the agent that was there first has it.
func (s *Store) FindAgent(ctx context.Context, id domain.ID) (Agent, error) {
	var out Agent
	err := s.read(ctx, Directory, func(q query) (err error) {
		out, err = one(ctx, q, "agent", scanAgent, selectAgents+` WHERE a.agent = $1 ORDER BY a.seq LIMIT 1`, id)
		return err
	})
	return out, err
}

// Access is NotFound if there is no such agent.
func (s *Store) Access(ctx context.Context, key domain.Key) (Access, error) {
	var out Access
	err := s.read(ctx, Directory, func(q query) (err error) {
		out, err = one(ctx, q, "agent", func(row pgx.CollectableRow) (Access, error) {
			var a Access
			err := row.Scan(&a.Creator, &a.Archived, &a.Members)
			return a, err
		}, `
			SELECT creator, archived, coalesce((SELECT jsonb_object_agg(person, role) FROM {s}.members m
				WHERE m.product = a.product AND m.agent = a.agent), '{}')
			FROM {s}.agents a WHERE product = $1 AND agent = $2`, key.Product, key.Agent)
		return err
	})
	return out, err
}

// Schedules lists the agents with a daily search that are not archived.
func (s *Store) Schedules(ctx context.Context) ([]Schedule, error) {
	var out []Schedule
	err := s.read(ctx, Directory, func(q query) (err error) {
		out, err = collect(ctx, q, func(row pgx.CollectableRow) (Schedule, error) {
			var v Schedule
			err := row.Scan(&v.Product, &v.Agent, &v.At, &v.Zone)
			return v, err
		}, `SELECT product, agent, daily_at, zone FROM {s}.agents WHERE daily AND NOT archived ORDER BY 1, 2`)
		return err
	})
	return out, err
}
