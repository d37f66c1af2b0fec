package projections

import (
	"time"

	"sozai/domain"
)

// directoryTables are the tables of agents in memory.
type directoryTables struct {
	agents  *table[domain.Key, agentRow]
	members *table[idKey, memberRow]
	waiting *table[awaitedKey, awaitedRow]
}

type agentRow struct {
	domain.Key
	seq, rev     uint64
	name, brief  string
	creator      domain.ID
	sources      []string
	daily        bool
	dailyAt      string
	zone         string
	archived     bool
	createdAt    time.Time
	version      int
	lastActivity time.Time
}

type memberRow struct {
	idKey // the person
	role  string
}

type awaitedKey struct {
	domain.Key
	kind string
	id   domain.ID
}

type awaitedRow struct{ awaitedKey }

func newDirectoryTables(m *memory) *directoryTables {
	return &directoryTables{
		agents: newTable(m, layout[domain.Key, agentRow]{
			name:  "agents",
			owner: func(r *agentRow) *domain.Key { return &r.Key },
			key:   func(r *agentRow) *domain.Key { return &r.Key },
			rest: []column[agentRow]{
				bigint("seq", func(r *agentRow) *uint64 { return &r.seq }),
				bigint("rev", func(r *agentRow) *uint64 { return &r.rev }),
				text("name", func(r *agentRow) *string { return &r.name }),
				text("brief", func(r *agentRow) *string { return &r.brief }),
				text("creator", func(r *agentRow) *domain.ID { return &r.creator }),
				list("sources", func(r *agentRow) *[]string { return &r.sources }),
				flag("daily", func(r *agentRow) *bool { return &r.daily }),
				text("daily_at", func(r *agentRow) *string { return &r.dailyAt }),
				text("zone", func(r *agentRow) *string { return &r.zone }),
				flag("archived", func(r *agentRow) *bool { return &r.archived }),
				moment("created_at", func(r *agentRow) *time.Time { return &r.createdAt }),
				integer("gene_version", func(r *agentRow) *int { return &r.version }),
				moment("last_activity", func(r *agentRow) *time.Time { return &r.lastActivity }),
			},
		}),
		members: newTable(m, layout[idKey, memberRow]{
			name:  "members",
			owner: func(r *memberRow) *domain.Key { return &r.Key },
			key:   func(r *memberRow) *idKey { return &r.idKey },
			id:    []column[memberRow]{text("person", func(r *memberRow) *domain.ID { return &r.ID })},
			rest:  []column[memberRow]{text("role", func(r *memberRow) *string { return &r.role })},
		}),
		waiting: newTable(m, layout[awaitedKey, awaitedRow]{
			name:  "waiting",
			owner: func(r *awaitedRow) *domain.Key { return &r.Key },
			key:   func(r *awaitedRow) *awaitedKey { return &r.awaitedKey },
			id: []column[awaitedRow]{
				text("kind", func(r *awaitedRow) *string { return &r.kind }),
				text("id", func(r *awaitedRow) *domain.ID { return &r.id }),
			},
		}),
	}
}
