// Package domain holds the words and rules of Sozai, free of clocks,
// randomness, context and I/O: time and ids come in as arguments.
//
// Glossary: an agent (one business agent of a product) has one gene (search and
// steer documents plus constraints, in numbered versions), one room (chat, turns)
// and runs (background work). A card proposes a gene version, an order proposes
// paid work; both wait for a person. Each noun has its own package with its
// events, its state and its decisions.
//
// domain may import the standard library and its own sub-packages only.
package domain

import (
	"encoding/json"
	"strings"
	"time"
)

// Kind is the last token of an event's subject. There are exactly ten.
type Kind string

// Guarded kinds carry decisions: every append names the last sequence it was
// decided on. The others carry facts.
const (
	KindAgent    Kind = "agent"
	KindGene     Kind = "gene"
	KindRun      Kind = "run"
	KindTurn     Kind = "turn"
	KindChat     Kind = "chat"
	KindFeedback Kind = "feedback"
	KindBehavior Kind = "behavior"
	KindLibrary  Kind = "library"
	KindStep     Kind = "step"
	KindNotice   Kind = "notice"
)

// Kinds lists every kind, the four guarded ones first.
func Kinds() []Kind {
	return []Kind{
		KindAgent, KindGene, KindRun, KindTurn,
		KindChat, KindFeedback, KindBehavior, KindLibrary, KindStep, KindNotice,
	}
}

// Event is a fact in the past tense. EventType is its wire name, written by
// hand and never changed once released.
type Event interface {
	EventType() string
}

// Decision is an event of a guarded kind. It can only be appended by deciding
// on the folded state, so an unguarded append of one does not compile.
type Decision interface {
	Event
	Decision() Kind
}

// Fact is an event of an unguarded kind.
type Fact interface {
	Event
	Fact() Kind
}

// Key addresses one agent's events.
type Key struct {
	Product string `json:"product"`
	Agent   ID     `json:"agent"`
}

// Meta is what the log knows about an event beside its body.
type Meta struct {
	ID        ID        `json:"id"`
	Type      string    `json:"type"`
	Version   int       `json:"version"`
	Key                 //nolint:embeddedstructfieldcheck // reads as part of the envelope
	Kind      Kind      `json:"kind"`
	Seq       uint64    `json:"seq"`
	Time      time.Time `json:"time"`
	Actor     Actor     `json:"actor"`
	Command   string    `json:"command"`
	Causation ID        `json:"causation,omitempty"`
}

// Recorded is an event as it stands in the log.
type Recorded struct {
	Meta
	Event Event `json:"event"`
}

// Actor says who acted: "user:<id>", "butler:<turn or run id>",
// "worker:<worker id>" or "system:<part>".
type Actor string

// User, Butler, Worker and System build actors.
func User(id ID) Actor         { return Actor("user:" + id) }
func Butler(id ID) Actor       { return Actor("butler:" + id) }
func Worker(name string) Actor { return Actor("worker:" + name) }
func System(part string) Actor { return Actor("system:" + part) }
func (a Actor) Role() string   { role, _, _ := strings.Cut(string(a), ":"); return role }
func (a Actor) ID() ID         { _, id, _ := strings.Cut(string(a), ":"); return ID(id) }
func (a Actor) IsPerson() bool { return a.Role() == "user" && a.ID() != "" }
func (a Actor) IsButler() bool { return a.Role() == "butler" }
func (a Actor) String() string { return string(a) }

// ObjectType names what a Ref points at.
type ObjectType string

// The objects that people and tools can cite.
const (
	Material ObjectType = "material"
	Board    ObjectType = "board"
	Film     ObjectType = "film"
	Asset    ObjectType = "asset"
	Whole    ObjectType = "whole"
	RunObj   ObjectType = "run"
	CardObj  ObjectType = "card"
	OrderObj ObjectType = "order"
	Version  ObjectType = "version"
)

// Ref cites one object. Panel (from 1) narrows a board, From and To (seconds)
// narrow a film; zero means the object as a whole.
type Ref struct {
	Type  ObjectType `json:"type"`
	ID    ID         `json:"id,omitempty"`
	Panel int        `json:"panel,omitempty"`
	From  float64    `json:"from,omitempty"`
	To    float64    `json:"to,omitempty"`
}

// Document is one of the gene's two texts.
type Document string

// The search document steers what is looked for, the steer document how it is made.
const (
	Search Document = "search"
	Steer  Document = "steer"
)

// Constraints are the gene's hard limits. Zero means no limit.
type Constraints struct {
	MaxFilmSeconds int    `json:"max_film_seconds,omitempty"`
	Aspect         string `json:"aspect,omitempty"`
}

// Usage counts tokens of model rounds. Known is false when the provider did not
// say; the counts are then meaningless, never zero.
type Usage struct {
	Known      bool `json:"known"`
	Input      int  `json:"input"`
	CacheWrite int  `json:"cache_write"`
	CacheRead  int  `json:"cache_read"`
	Output     int  `json:"output"`
}

// Add sums two usages; the sum is known only if both are.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Known: u.Known && v.Known, Input: u.Input + v.Input, CacheWrite: u.CacheWrite + v.CacheWrite,
		CacheRead: u.CacheRead + v.CacheRead, Output: u.Output + v.Output,
	}
}

// Billed is the billed-equivalent token count: uncached input + cache write × 1.25
// + cache read × 0.1 + output.
func (u Usage) Billed() float64 {
	return float64(u.Input) + 1.25*float64(u.CacheWrite) + 0.1*float64(u.CacheRead) + float64(u.Output)
}

// Money is an amount in micro-yuan (¥1 = 1,000,000), so that sums are exact.
type Money int64

// Yuan is the amount in ¥.
func (m Money) Yuan() float64 { return float64(m) / 1e6 }

// Raw is a piece of JSON kept as it came.
type Raw = json.RawMessage
