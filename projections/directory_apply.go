package projections

import (
	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/gene"
	"sozai/domain/run"
)

// directoryProjection keeps agents, members and what waits in each. Looks at
// pages and model rounds are no activity.
func directoryProjection() Projection {
	return Projection{
		Name: Directory, Version: 1, Apply: applyDirectory,
		Kinds: []domain.Kind{
			domain.KindAgent, domain.KindGene, domain.KindRun, domain.KindTurn, domain.KindChat,
			domain.KindFeedback, domain.KindLibrary,
		},
	}
}

func applyDirectory(b *Batch, r domain.Recorded) error {
	switch e := r.Event.(type) {
	case agent.Created:
		b.do(`INSERT INTO {s}.agents (product, agent, seq, rev, name, brief, creator, sources, created_at, last_activity)
			VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT DO NOTHING`,
			r.Seq, e.Name, e.Brief, e.Creator, append([]string{}, e.Sources...), r.Time)
	case agent.Edited:
		var sources any
		if e.Sources != nil {
			sources = e.Sources
		}
		b.do(`UPDATE {s}.agents SET name = coalesce($3, name), brief = coalesce($4, brief), sources = coalesce($5, sources)
			WHERE product = $1 AND agent = $2`, e.Name, e.Brief, sources)
	case agent.MemberAdded:
		b.do(`INSERT INTO {s}.members (product, agent, person, role) VALUES ($1, $2, $3, $4)
			ON CONFLICT (product, agent, person) DO UPDATE SET role = excluded.role`, e.User, e.Role)
	case agent.MemberRemoved:
		b.do(`DELETE FROM {s}.members WHERE product = $1 AND agent = $2 AND person = $3`, e.User)
	case agent.ScheduleSet:
		b.do(`UPDATE {s}.agents SET daily = $3, daily_at = $4, zone = $5 WHERE product = $1 AND agent = $2`, e.Daily, e.At, e.Zone)
	case agent.Archived:
		b.do(`UPDATE {s}.agents SET archived = true WHERE product = $1 AND agent = $2`)
	case gene.Minted:
		b.do(`UPDATE {s}.agents SET gene_version = $3 WHERE product = $1 AND agent = $2`, e.Version)
	case gene.Proposed:
		await(b, "card", e.Card)
	case gene.Applied:
		settled(b, "card", e.Card)
	case gene.Rejected:
		settled(b, "card", e.Card)
	case gene.Expired:
		settled(b, "card", e.Card)
	case run.OrderProposed:
		await(b, "order", e.Order)
	case run.OrderConfirmed:
		settled(b, "order", e.Order)
	case run.OrderDeclined:
		settled(b, "order", e.Order)
	case run.OrderExpired:
		settled(b, "order", e.Order)
	case run.Requested:
		await(b, "run", e.Run)
	case run.Finished:
		settled(b, "run", e.Run)
	}
	b.do(`UPDATE {s}.agents SET last_activity = greatest(last_activity, $3), rev = $4 WHERE product = $1 AND agent = $2`, r.Time, r.Seq)
	return nil
}

func await(b *Batch, kind string, id domain.ID) {
	b.do(`INSERT INTO {s}.waiting (product, agent, kind, id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, kind, id)
}

func settled(b *Batch, kind string, id domain.ID) {
	b.do(`DELETE FROM {s}.waiting WHERE product = $1 AND agent = $2 AND kind = $3 AND id = $4`, kind, id)
}
