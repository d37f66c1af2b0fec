// Package projections owns the read models: what the log says, as tables that
// answer questions. Each read model is one noun (timeline, tasks, genes,
// feedback, library, directory, performance) with its rows, its apply and its
// queries; none reads another while applying.
//
// Rows and position change in one transaction whose first statement locks the
// control row, so an event is applied exactly once however many runners there
// are. Tables live in generations (schema <name>_g<n>); the control row names
// the one that serves. Everything here can be thrown away and rebuilt from the
// log; nothing here has side effects.
//
// projections may import domain, streams and migrations; not agents, not
// handlers, not NATS.
package projections

import (
	"sozai/domain"
)

// Projection is one read model. Version grows whenever its tables or its apply
// change, so that a new binary builds a generation of its own.
type Projection struct {
	Name    string
	Version int
	// Kinds are the kinds that apply looks at; the others only move the position.
	Kinds []domain.Kind
	// open makes its tables in a memory and returns what applies one event to them.
	// An error means that the event can never be applied; the event's agent is then
	// parked. Event types it does not know are ignored on purpose: most events are
	// not its business.
	open func(m *memory) (apply func(r domain.Recorded) error)
}

// The names, for Wait and Rebuild.
const (
	Timeline    = "timeline"
	Tasks       = "tasks"
	Genes       = "genes"
	Feedback    = "feedback"
	Library     = "library"
	Directory   = "directory"
	Performance = "performance"
)

// All is the list of read models.
func All() []Projection {
	return []Projection{
		timelineProjection(),
		tasksProjection(),
		genesProjection(),
		feedbackProjection(),
		libraryProjection(),
		directoryProjection(),
		performanceProjection(),
	}
}
