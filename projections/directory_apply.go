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
		Name: Directory, Version: 2,
		Kinds: []domain.Kind{
			domain.KindAgent, domain.KindGene, domain.KindRun, domain.KindTurn, domain.KindChat,
			domain.KindFeedback, domain.KindLibrary,
		},
		open: func(m *memory) func(domain.Recorded) error { return newDirectoryTables(m).apply },
	}
}

func (t *directoryTables) apply(r domain.Recorded) error {
	switch e := r.Event.(type) {
	case agent.Created:
		t.agents.add(agentRow{
			Key: r.Key, seq: r.Seq, name: e.Name, brief: e.Brief, creator: e.Creator, sources: e.Sources,
			createdAt: r.Time, lastActivity: r.Time,
		})
	case agent.MemberAdded:
		t.members.set(memberRow{idOf(r, e.User), e.Role})
	case agent.MemberRemoved:
		t.members.drop(idOf(r, e.User))
	default:
		t.applyWaiting(r)
	}
	t.agents.edit(r.Key, func(a *agentRow) {
		a.change(r.Event)
		if a.rev = r.Seq; r.Time.After(a.lastActivity) {
			a.lastActivity = r.Time
		}
	})
	return nil
}

// change follows what an event changes of the agent itself.
func (a *agentRow) change(e domain.Event) {
	switch e := e.(type) {
	case agent.Edited:
		if e.Name != nil {
			a.name = *e.Name
		}
		if e.Brief != nil {
			a.brief = *e.Brief
		}
		if e.Sources != nil {
			a.sources = e.Sources
		}
	case agent.ScheduleSet:
		a.daily, a.dailyAt, a.zone = e.Daily, e.At, e.Zone
	case agent.Archived:
		a.archived = true
	case gene.Minted:
		a.version = e.Version
	}
}

// applyWaiting keeps pending cards and orders, and runs that have not ended.
func (t *directoryTables) applyWaiting(r domain.Recorded) {
	begin := func(kind string, id domain.ID) { t.waiting.add(awaitedRow{awaitedKey{r.Key, kind, id}}) }
	end := func(kind string, id domain.ID) { t.waiting.drop(awaitedKey{r.Key, kind, id}) }
	switch e := r.Event.(type) {
	case gene.Proposed:
		begin("card", e.Card)
	case gene.Applied:
		end("card", e.Card)
	case gene.Rejected:
		end("card", e.Card)
	case gene.Expired:
		end("card", e.Card)
	case run.OrderProposed:
		begin("order", e.Order)
	case run.OrderConfirmed:
		end("order", e.Order)
	case run.OrderDeclined:
		end("order", e.Order)
	case run.OrderExpired:
		end("order", e.Order)
	case run.Requested:
		begin("run", e.Run)
	case run.Finished:
		end("run", e.Run)
	}
}
