package access

import (
	"slices"

	"sozai/domain"
)

// Scope narrows what a bearer token may do. A token never may more than the
// person who made it.
type Scope string

// The scopes.
const (
	ScopePerson  Scope = "person"  // all that the person may do but administration
	ScopeReport  Scope = "report"  // report behavior
	ScopeAnalyst Scope = "analyst" // read
	ScopeWorker  Scope = "worker"  // reserved for workers that come over HTTP: no action yet
	ScopeAdmin   Scope = "admin"   // administration too
)

func (s Scope) valid() bool {
	return slices.Contains([]Scope{ScopePerson, ScopeReport, ScopeAnalyst, ScopeWorker, ScopeAdmin}, s)
}

// Action is what a route does, as far as rights go.
type Action string

// The actions. Every route names one of them.
const (
	Anyone       Action = "anyone"        // no sign-in needed
	Self         Action = "self"          // the caller's own session, tokens, products
	ReadSystem   Action = "system.read"   // positions, model name
	ReadProduct  Action = "product.read"  // catalogue, people, list of agents
	WriteProduct Action = "product.write" // import into the catalogue
	CreateAgent  Action = "agent.create"  // open an agent
	ReadRoom     Action = "room.read"     // room, gene, runs, library, performance
	WriteRoom    Action = "room.write"    // talk, decide, order, react, upload
	ReportRoom   Action = "room.report"   // behavior beacons
	ManageAgent  Action = "agent.manage"  // members, archive
	Administrate Action = "administrate"  // accounts, products, projections
)

// Role is a person's standing in one agent's room.
type Role string

// The roles, weakest first. Creator is whoever opened the agent.
const (
	NoRole  Role = ""
	Viewer  Role = "viewer"
	Member  Role = "member"
	Creator Role = "creator"
)

func (r Role) rank() int {
	return slices.Index([]Role{NoRole, Viewer, Member, Creator}, r)
}

// Standing is how a caller stands to the object of an action. Product is
// membership of its product; Role the role in the room, if it is about a room.
type Standing struct {
	Product bool
	Role    Role
}

// rule is one row of the policy. Administrators need neither role nor product.
type rule struct {
	action  Action
	role    Role    // the least role in the room
	product bool    // membership of the product is needed
	admin   bool    // for administrators only
	scopes  []Scope // of a token that may do it
}

// policy is who may do what, all of it.
func policy() []rule {
	person := []Scope{ScopePerson, ScopeAdmin}
	read := []Scope{ScopePerson, ScopeAdmin, ScopeAnalyst}
	return []rule{
		{action: Self, scopes: read},
		{action: ReadSystem, scopes: read},
		{action: ReadProduct, product: true, scopes: read},
		{action: WriteProduct, product: true, scopes: person},
		{action: CreateAgent, product: true, scopes: person},
		{action: ReadRoom, role: Viewer, scopes: read},
		{action: WriteRoom, role: Member, product: true, scopes: person},
		{action: ReportRoom, role: Member, product: true, scopes: []Scope{ScopePerson, ScopeAdmin, ScopeReport}},
		{action: ManageAgent, role: Creator, product: true, scopes: person},
		{action: Administrate, admin: true, scopes: []Scope{ScopeAdmin}},
	}
}

// Authorize returns nil if the caller, standing so, may do the action.
// Otherwise: Unauthorized for nobody, NotFound when the caller may not even see
// the room (ids of rooms are not confirmed to strangers), else Forbidden.
func Authorize(c Caller, a Action, st Standing) error {
	if a == Anyone {
		return nil
	}
	if !c.SignedIn() {
		return ErrSignedOut
	}
	for _, r := range policy() {
		if r.action != a {
			continue
		}
		return r.check(c, st)
	}
	return domain.Errorf(domain.Forbidden, "nobody may do this")
}

func (r rule) check(c Caller, st Standing) error {
	if r.role != NoRole && !c.Admin && st.Role == NoRole {
		return domain.Errorf(domain.NotFound, "there is no such agent")
	}
	if len(c.Scopes) > 0 && !slices.ContainsFunc(c.Scopes, func(s Scope) bool { return slices.Contains(r.scopes, s) }) {
		return domain.Rule(domain.Forbidden, "scope", "this token's scopes do not allow it")
	}
	if r.admin && !c.Admin {
		return domain.Rule(domain.Forbidden, "admin_needed", "only an administrator may do this")
	}
	if c.Admin {
		return nil
	}
	if r.product && !st.Product {
		return domain.Rule(domain.Forbidden, "not_a_member", "only members of the product may do this")
	}
	if st.Role.rank() < r.role.rank() {
		return domain.Rule(domain.Forbidden, "role", "your role in this room does not allow it")
	}
	return nil
}
