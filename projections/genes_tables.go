package projections

import (
	"time"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/domain/run"
)

// genesTables are the tables of versions, cards and orders in memory.
type genesTables struct {
	versions *table[versionKey, versionRow]
	cards    *table[idKey, geneCard]
	orders   *table[idKey, geneOrder]
}

type versionKey struct {
	domain.Key
	version int
}

type versionRow struct {
	versionKey
	base          int
	search, steer string
	constraints   any // domain.Constraints
	origin        gene.Origin
	summary       string
	by            domain.Actor
	card          domain.ID
	rolledBackTo  int
	at            time.Time
	seq           uint64
	score         any // *gene.Score, once the next version was minted
}

type geneCard struct {
	idKey
	decided
	base            int
	search, steer   *string
	constraints     any // *domain.Constraints
	summary, reason string
	evidence        any // []domain.Ref
	feedback        any // []gene.Citation
	turn, run       domain.ID
	version         int
	applied         []string
	edited          bool
	settled         []domain.ID
	cause           gene.Cause
	movedTo         int
	chips           []string
}

type geneOrder struct {
	idKey
	decided
	work    run.Work
	request any // run.Request
	turn    domain.ID
	run     domain.ID
}

// decided is what cards and orders have in common: who proposed them, and how
// they were closed.
type decided struct {
	seq, rev uint64
	state    string
	by       domain.Actor
	at       time.Time
	expires  time.Time
	closedBy domain.Actor
	closedAt time.Time
	why      string
}

func newGenesTables(m *memory) *genesTables {
	return &genesTables{versions: newVersions(m), cards: newGeneCards(m), orders: newGeneOrders(m)}
}

func newVersions(m *memory) *table[versionKey, versionRow] {
	return newTable(m, layout[versionKey, versionRow]{
		name:  "versions",
		owner: func(r *versionRow) *domain.Key { return &r.Key },
		key:   func(r *versionRow) *versionKey { return &r.versionKey },
		id:    []column[versionRow]{integer("version", func(r *versionRow) *int { return &r.version })},
		rest: []column[versionRow]{
			integer("base_version", func(r *versionRow) *int { return &r.base }),
			text("search", func(r *versionRow) *string { return &r.search }),
			text("steer", func(r *versionRow) *string { return &r.steer }),
			document("constraints", func(r *versionRow) *any { return &r.constraints }),
			text("origin", func(r *versionRow) *gene.Origin { return &r.origin }),
			text("summary", func(r *versionRow) *string { return &r.summary }),
			text("minted_by", func(r *versionRow) *domain.Actor { return &r.by }),
			text("card", func(r *versionRow) *domain.ID { return &r.card }),
			integer("rolled_back_to", func(r *versionRow) *int { return &r.rolledBackTo }),
			moment("at", func(r *versionRow) *time.Time { return &r.at }),
			bigint("seq", func(r *versionRow) *uint64 { return &r.seq }),
			document("score", func(r *versionRow) *any { return &r.score }),
		},
	})
}

// decidedColumns are the columns of what cards and orders have in common.
func decidedColumns[R any](of func(*R) *decided) []column[R] {
	return []column[R]{
		bigint("seq", func(r *R) *uint64 { return &of(r).seq }),
		bigint("rev", func(r *R) *uint64 { return &of(r).rev }),
		text("state", func(r *R) *string { return &of(r).state }),
		text("proposed_by", func(r *R) *domain.Actor { return &of(r).by }),
		moment("proposed_at", func(r *R) *time.Time { return &of(r).at }),
		moment("expires", func(r *R) *time.Time { return &of(r).expires }),
		text("closed_by", func(r *R) *domain.Actor { return &of(r).closedBy }),
		moment("closed_at", func(r *R) *time.Time { return &of(r).closedAt }),
		text("why", func(r *R) *string { return &of(r).why }),
	}
}

func newGeneCards(m *memory) *table[idKey, geneCard] {
	return newTable(m, layout[idKey, geneCard]{
		name:  "cards",
		owner: func(r *geneCard) *domain.Key { return &r.Key },
		key:   func(r *geneCard) *idKey { return &r.idKey },
		id:    []column[geneCard]{text("card", func(r *geneCard) *domain.ID { return &r.ID })},
		rest: append(decidedColumns(func(r *geneCard) *decided { return &r.decided }),
			integer("base_version", func(r *geneCard) *int { return &r.base }),
			optionalText("search", func(r *geneCard) **string { return &r.search }),
			optionalText("steer", func(r *geneCard) **string { return &r.steer }),
			document("constraints", func(r *geneCard) *any { return &r.constraints }),
			text("summary", func(r *geneCard) *string { return &r.summary }),
			text("reason", func(r *geneCard) *string { return &r.reason }),
			document("evidence", func(r *geneCard) *any { return &r.evidence }),
			document("feedback", func(r *geneCard) *any { return &r.feedback }),
			text("turn", func(r *geneCard) *domain.ID { return &r.turn }),
			text("run", func(r *geneCard) *domain.ID { return &r.run }),
			integer("version", func(r *geneCard) *int { return &r.version }),
			list("applied", func(r *geneCard) *[]string { return &r.applied }),
			flag("edited", func(r *geneCard) *bool { return &r.edited }),
			list("settled", func(r *geneCard) *[]domain.ID { return &r.settled }),
			text("cause", func(r *geneCard) *gene.Cause { return &r.cause }),
			integer("moved_to", func(r *geneCard) *int { return &r.movedTo }),
			list("chips", func(r *geneCard) *[]string { return &r.chips }),
		),
	})
}

func newGeneOrders(m *memory) *table[idKey, geneOrder] {
	return newTable(m, layout[idKey, geneOrder]{
		name:  "orders",
		owner: func(r *geneOrder) *domain.Key { return &r.Key },
		key:   func(r *geneOrder) *idKey { return &r.idKey },
		id:    []column[geneOrder]{text(`"order"`, func(r *geneOrder) *domain.ID { return &r.ID })},
		rest: append(decidedColumns(func(r *geneOrder) *decided { return &r.decided }),
			text("work", func(r *geneOrder) *run.Work { return &r.work }),
			document("request", func(r *geneOrder) *any { return &r.request }),
			text("turn", func(r *geneOrder) *domain.ID { return &r.turn }),
			text("run", func(r *geneOrder) *domain.ID { return &r.run }),
		),
	})
}
