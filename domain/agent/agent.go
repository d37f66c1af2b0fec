// Package agent owns what an agent is: its name and brief, its members, its
// sources and its daily schedule. It decides what may happen to them, not who
// may ask (handlers/access does). It may import only domain.
package agent

import (
	"maps"
	"slices"
	"strings"
	"time"

	"sozai/domain"
)

// The rules:
//
//  1. An agent is created once.
//  2. It has a name of 1 to 80 characters and a brief of at most 20,000.
//  3. Nothing is decided about an agent that does not exist or is archived.
//  4. A member is a "member" or a "viewer"; the creator is neither and stays.
//  5. A daily schedule needs a time "HH:MM"; without a zone it is UTC.
//  6. A change that changes nothing leaves no event.
//  7. Archiving is final.
//  8. The daily search is due once a day, at its time in its zone or, missed,
//     later that day; not on days whose time had passed when it was set.
//  9. Importing switches the daily search off: only a person turns it on again.
var (
	ErrExists   = domain.Rule(domain.Exists, "agent_exists", "the agent exists already")
	ErrUnknown  = domain.Rule(domain.NotFound, "agent_unknown", "there is no such agent")
	ErrArchived = domain.Rule(domain.Conflict, "agent_archived", "the agent is archived")
	ErrCreator  = domain.Rule(domain.Conflict, "agent_creator", "the creator's role cannot be changed")
	ErrRole     = domain.Rule(domain.Invalid, "agent_role", "a role is member or viewer")
	ErrNoMember = domain.Rule(domain.NotFound, "agent_member", "this person is no member")
	ErrSchedule = domain.Rule(domain.Invalid, "agent_schedule", "the schedule cannot be kept")
	ErrImported = domain.Rule(domain.Invalid, "agent_imported", "the origin of the import cannot be right")
	ErrSource   = domain.Rule(domain.Invalid, "agent_source", "the sources cannot be right")
)

// The roles that RoleOf answers, strongest first; a stranger's is "".
const (
	Creator = "creator"
	Member  = "member"
	Viewer  = "viewer"
)

// State is folded from the events of this kind.
type State struct {
	Exists   bool
	Archived bool
	Name     string
	Brief    string
	Creator  domain.ID
	Members  map[domain.ID]string // without the creator
	Sources  []string
	Daily    bool
	At, Zone string    // "HH:MM" and IANA name; kept when Daily is off
	SetAt    time.Time // when the schedule was last set
}

// Active refuses with ErrUnknown or ErrArchived. Whoever starts something new in
// an agent (a run, an order, a message) asks it first.
func (s State) Active() error {
	switch {
	case !s.Exists:
		return ErrUnknown
	case s.Archived:
		return ErrArchived
	}
	return nil
}

// RoleOf is "creator", "member", "viewer", or "" for a stranger.
func (s State) RoleOf(user domain.ID) string {
	if user != "" && user == s.Creator {
		return Creator
	}
	return s.Members[user]
}

// Create opens the agent.
func (s State) Create(c Created) ([]domain.Decision, error) {
	if s.Exists {
		return nil, ErrExists
	}
	if c.Creator == "" {
		return nil, domain.Missing("creator")
	}
	c.Name, c.Brief = strings.TrimSpace(c.Name), strings.TrimSpace(c.Brief)
	if err := check(c.Name, c.Brief, c.Sources); err != nil {
		return nil, err
	}
	return []domain.Decision{c}, nil
}

// Edit replaces what is present and differs.
func (s State) Edit(e Edited) ([]domain.Decision, error) {
	if err := s.Active(); err != nil {
		return nil, err
	}
	e.Name, e.Brief = changed(e.Name, s.Name), changed(e.Brief, s.Brief)
	if slices.Equal(e.Sources, s.Sources) {
		e.Sources = nil
	}
	if e.Name == nil && e.Brief == nil && len(e.Sources) == 0 {
		return nil, nil
	}
	next := s.edited(e)
	if err := check(next.Name, next.Brief, e.Sources); err != nil {
		return nil, err
	}
	return []domain.Decision{e}, nil
}

// AddMember gives a role, or changes it.
func (s State) AddMember(user domain.ID, role string) ([]domain.Decision, error) {
	if err := s.Active(); err != nil {
		return nil, err
	}
	switch {
	case user == "":
		return nil, domain.Missing("user")
	case role != Member && role != Viewer:
		return nil, ErrRole
	case user == s.Creator:
		return nil, ErrCreator
	case s.Members[user] == role:
		return nil, nil
	}
	return []domain.Decision{MemberAdded{User: user, Role: role}}, nil
}

// RemoveMember takes a role away.
func (s State) RemoveMember(user domain.ID) ([]domain.Decision, error) {
	if err := s.Active(); err != nil {
		return nil, err
	}
	if user != "" && user == s.Creator {
		return nil, ErrCreator
	}
	if s.Members[user] == "" {
		return nil, ErrNoMember
	}
	return []domain.Decision{MemberRemoved{User: user}}, nil
}

// SetSchedule turns the daily search on or off. Whether the zone exists is for
// the caller to know: looking it up reads files.
func (s State) SetSchedule(c ScheduleSet) ([]domain.Decision, error) {
	if err := s.Active(); err != nil {
		return nil, err
	}
	if c.Daily || c.At != "" {
		if _, err := time.Parse("15:04", c.At); err != nil || len(c.At) != len("15:04") {
			return nil, ErrSchedule.With(nil, "%q is no time of day like 08:30", c.At)
		}
	}
	if c.Zone == "" && c.Daily {
		c.Zone = "UTC"
	}
	if !zoneLike(c.Zone) {
		return nil, ErrSchedule.With(nil, "%q is no time zone like Asia/Shanghai", c.Zone)
	}
	if !c.Daily && c.At == "" && c.Zone == "" {
		c.At, c.Zone = s.At, s.Zone
	}
	if c == (ScheduleSet{Daily: s.Daily, At: s.At, Zone: s.Zone}) {
		return nil, nil
	}
	return []domain.Decision{c}, nil
}

// Archive closes the agent for good.
func (s State) Archive(reason string) ([]domain.Decision, error) {
	if err := s.Active(); err != nil {
		return nil, err
	}
	if err := domain.CheckText("reason", reason, domain.MaxFeedback); err != nil {
		return nil, err
	}
	return []domain.Decision{Archived{Reason: reason}}, nil
}

// Import closes a history that was recorded elsewhere. An archived agent is
// imported as it is.
func (s State) Import(i Imported) ([]domain.Decision, error) {
	switch {
	case !s.Exists:
		return nil, ErrUnknown
	case i.From == "" || i.Digest == "" || i.Events < 1:
		return nil, ErrImported
	}
	if err := domain.CheckText("from", i.From+i.Digest, domain.MaxFeedback); err != nil {
		return nil, err
	}
	if s.Daily && !s.Archived {
		return []domain.Decision{ScheduleSet{At: s.At, Zone: s.Zone}, i}, nil
	}
	return []domain.Decision{i}, nil
}

// Evolve applies one recorded event.
func Evolve(s State, r domain.Recorded) (State, error) {
	if _, opens := r.Event.(Created); opens == s.Exists {
		return s, domain.Errorf(domain.Internal, "agent: %T at %d does not fit the history", r.Event, r.Seq)
	}
	switch e := r.Event.(type) {
	case Created:
		return State{
			Exists: true, Name: e.Name, Brief: e.Brief, Creator: e.Creator,
			Members: map[domain.ID]string{}, Sources: slices.Clone(e.Sources),
		}, nil
	case Edited:
		return s.edited(e), nil
	case MemberAdded:
		s.Members = maps.Clone(s.Members)
		s.Members[e.User] = e.Role
		return s, nil
	case MemberRemoved:
		s.Members = maps.Clone(s.Members)
		delete(s.Members, e.User)
		return s, nil
	case ScheduleSet:
		s.Daily, s.At, s.Zone, s.SetAt = e.Daily, e.At, e.Zone, r.Time
		return s, nil
	case Archived:
		s.Archived = true
		return s, nil
	case Imported:
		return s, nil
	}
	return s, domain.Errorf(domain.Internal, "agent: unknown event %T at %d", r.Event, r.Seq)
}

func (s State) edited(e Edited) State {
	if e.Name != nil {
		s.Name = *e.Name
	}
	if e.Brief != nil {
		s.Brief = *e.Brief
	}
	if len(e.Sources) > 0 {
		s.Sources = slices.Clone(e.Sources)
	}
	return s
}

func check(name, brief string, sources []string) error {
	if err := domain.CheckRequired("name", name, domain.MaxNameRunes); err != nil {
		return err
	}
	if strings.ContainsAny(name, "\r\n\t") {
		return domain.ErrText.With(map[string]any{"field": "name"}, "a name is one line")
	}
	if err := domain.CheckText("brief", brief, domain.MaxDocRunes); err != nil {
		return err
	}
	for i, source := range sources {
		if err := domain.CheckRequired("source", source, domain.MaxNameRunes); err != nil {
			return err
		}
		if slices.Contains(sources[:i], source) {
			return ErrSource.With(nil, "the source %q is named twice", source)
		}
		if !domain.IsSource(source) {
			return ErrSource.With(nil, "%q is no source: fast, competitor and hot are", source)
		}
	}
	return nil
}

// changed is the trimmed new text, or nil if it is absent or the old one.
func changed(now *string, was string) *string {
	if now == nil {
		return nil
	}
	text := strings.TrimSpace(*now)
	if text == was {
		return nil
	}
	return &text
}

// zoneLike accepts the letters an IANA zone name can have; "Local" means another
// zone on every machine and is none.
func zoneLike(zone string) bool {
	if zone == "Local" || len(zone) > 64 || strings.HasPrefix(zone, "/") || strings.Contains(zone, "..") {
		return false
	}
	for _, c := range zone {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("/_+-", c) {
			return false
		}
	}
	return true
}
