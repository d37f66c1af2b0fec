package agent

import "sozai/domain"

// Created opens an agent. The gene's first version and the first search follow
// in the same batch.
type Created struct {
	Name    string    `json:"name"`
	Brief   string    `json:"brief"`
	Creator domain.ID `json:"creator"`
	Sources []string  `json:"sources"`
}

// Edited replaces the fields that are present.
type Edited struct {
	Name    *string  `json:"name,omitempty"`
	Brief   *string  `json:"brief,omitempty"`
	Sources []string `json:"sources,omitempty"`
}

// MemberAdded gives a person a role ("member" or "viewer"), or changes it.
type MemberAdded struct {
	User domain.ID `json:"user"`
	Role string    `json:"role"`
}

// MemberRemoved takes it away.
type MemberRemoved struct {
	User domain.ID `json:"user"`
}

// ScheduleSet turns the daily search on or off. At is "HH:MM" in Zone (IANA).
type ScheduleSet struct {
	Daily bool   `json:"daily"`
	At    string `json:"at,omitempty"`
	Zone  string `json:"zone,omitempty"`
}

// Archived closes the agent: no new runs, orders or messages.
type Archived struct {
	Reason string `json:"reason,omitempty"`
}

// Imported says that everything before it was recorded elsewhere: From is the
// source log's stream name and time of creation, Events how many events of this
// agent came, Digest that of the file they came in. Nothing before it starts
// work any more.
type Imported struct {
	From   string `json:"from"`
	Events int    `json:"events"`
	Digest string `json:"digest"`
}

func (Created) EventType() string       { return "agent.created" }
func (Edited) EventType() string        { return "agent.edited" }
func (MemberAdded) EventType() string   { return "agent.member_added" }
func (MemberRemoved) EventType() string { return "agent.member_removed" }
func (ScheduleSet) EventType() string   { return "agent.schedule_set" }
func (Archived) EventType() string      { return "agent.archived" }
func (Imported) EventType() string      { return "agent.imported" }

func (Created) Decision() domain.Kind       { return domain.KindAgent }
func (Edited) Decision() domain.Kind        { return domain.KindAgent }
func (MemberAdded) Decision() domain.Kind   { return domain.KindAgent }
func (MemberRemoved) Decision() domain.Kind { return domain.KindAgent }
func (ScheduleSet) Decision() domain.Kind   { return domain.KindAgent }
func (Archived) Decision() domain.Kind      { return domain.KindAgent }
func (Imported) Decision() domain.Kind      { return domain.KindAgent }

// Events lists a zero value of every event of this kind, for the codec.
func Events() []domain.Event {
	return []domain.Event{Created{}, Edited{}, MemberAdded{}, MemberRemoved{}, ScheduleSet{}, Archived{}, Imported{}}
}
