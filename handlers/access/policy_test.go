package access

import (
	"strings"
	"testing"

	"sozai/domain"
)

// The table says for each action what every kind of caller gets: y, 401, 403 or
// 404. Whoever changes the policy changes it here too.
func TestPolicy(t *testing.T) {
	t.Parallel()
	session := Caller{User: "U", Session: "s"}
	boss := Caller{User: "B", Admin: true, Session: "s"}
	token := func(c Caller, scopes ...Scope) Caller {
		c.Session, c.Scopes = "", scopes
		return c
	}
	in := func(r Role) Standing { return Standing{Product: true, Role: r} }
	callers := []struct {
		name   string
		caller Caller
		st     Standing
	}{
		{"nobody", Caller{}, Standing{}},
		{"stranger", session, Standing{}},
		{"colleague", session, Standing{Product: true}},
		{"guest viewer", session, Standing{Role: Viewer}},
		{"viewer", session, in(Viewer)},
		{"member", session, in(Member)},
		{"member who left the product", session, Standing{Role: Member}},
		{"creator", session, in(Creator)},
		{"admin", boss, Standing{}},
		{"creator's person token", token(session, ScopePerson), in(Creator)},
		{"creator's analyst token", token(session, ScopeAnalyst), in(Creator)},
		{"creator's report token", token(session, ScopeReport), in(Creator)},
		{"creator's worker token", token(session, ScopeWorker), in(Creator)},
		{"admin's person token", token(boss, ScopePerson), Standing{}},
		{"admin's analyst token", token(boss, ScopeAnalyst), Standing{}},
		{"admin's admin token", token(boss, ScopeAdmin), Standing{}},
		{"former admin's admin token", token(session, ScopeAdmin), Standing{}},
	}
	table := map[Action]string{
		//            nob str col gue vie mem lef cre adm per ana rep wor ape aan aad fad
		Anyone:       "y   y   y   y   y   y   y   y   y   y   y   y   y   y   y   y   y",
		Self:         "401 y   y   y   y   y   y   y   y   y   y   403 403 y   y   y   y",
		ReadSystem:   "401 y   y   y   y   y   y   y   y   y   y   403 403 y   y   y   y",
		ReadProduct:  "401 403 y   403 y   y   403 y   y   y   y   403 403 y   y   y   403",
		WriteProduct: "401 403 y   403 y   y   403 y   y   y   403 403 403 y   403 y   403",
		CreateAgent:  "401 403 y   403 y   y   403 y   y   y   403 403 403 y   403 y   403",
		ReadRoom:     "401 404 404 y   y   y   y   y   y   y   y   403 403 y   y   y   404",
		WriteRoom:    "401 404 404 403 403 y   403 y   y   y   403 403 403 y   403 y   404",
		ReportRoom:   "401 404 404 403 403 y   403 y   y   y   403 y   403 y   403 y   404",
		ManageAgent:  "401 404 404 403 403 403 403 y   y   y   403 403 403 y   403 y   404",
		Administrate: "401 403 403 403 403 403 403 403 y   403 403 403 403 403 403 y   403",
	}
	want := map[string]domain.Code{
		"401": domain.Unauthorized, "403": domain.Forbidden, "404": domain.NotFound,
	}
	for _, r := range policy() {
		if table[r.action] == "" {
			t.Errorf("action %s is not in the table", r.action)
		}
	}
	for action, line := range table {
		cells := strings.Fields(line)
		if len(cells) != len(callers) {
			t.Fatalf("%s has %d cells for %d callers", action, len(cells), len(callers))
		}
		for i, who := range callers {
			err := Authorize(who.caller, action, who.st)
			if cells[i] == "y" && err != nil || cells[i] != "y" && domain.CodeOf(err) != want[cells[i]] {
				t.Errorf("%s by %s: want %s, got %v", action, who.name, cells[i], err)
			}
		}
	}
	if err := Authorize(boss, "unheard of", Standing{}); domain.CodeOf(err) != domain.Forbidden {
		t.Errorf("an action without a row: %v", err)
	}
}
