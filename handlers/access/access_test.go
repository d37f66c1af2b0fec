package access

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/domain"
)

func TestFirstAdminLink(t *testing.T) {
	t.Parallel()
	s, c, _ := setup(t)
	ctx := t.Context()
	if err := s.CreateProduct(ctx, Product{ID: "demo", Name: "Demo"}, ""); err != nil {
		t.Fatal(err)
	}
	old, err := s.FirstAdminLink(ctx)
	if err != nil {
		t.Fatal(err)
	}
	link, err := s.FirstAdminLink(ctx)
	if err != nil || link == old {
		t.Fatalf("second link %q after %q: %v", link, old, err)
	}
	if _, err := s.Link(ctx, old); !errors.Is(err, ErrLinkGone) {
		t.Fatalf("a voided link: %v", err)
	}
	l, err := s.Link(ctx, link)
	if err != nil || l.Purpose != FirstAdmin || !l.Admin {
		t.Fatalf("link %+v: %v", l, err)
	}
	if _, _, err := s.UseLink(ctx, link, "ada", "short"); domain.CodeOf(err) != domain.Invalid {
		t.Fatalf("a short password: %v", err)
	}
	a, secret, err := s.UseLink(ctx, link, " Ada ", "correct horse")
	if err != nil || !a.Admin || a.Name != "Ada" {
		t.Fatalf("account %+v: %v", a, err)
	}
	caller, err := s.Session(ctx, secret)
	if err != nil || caller.User != a.ID || !caller.Admin {
		t.Fatalf("session %+v: %v", caller, err)
	}
	if _, _, err := s.UseLink(ctx, link, "eve", "correct horse"); !errors.Is(err, ErrLinkGone) {
		t.Fatalf("used twice: %v", err)
	}
	if again, err := s.FirstAdminLink(ctx); err != nil || again != "" {
		t.Fatalf("a link although an administrator exists: %q, %v", again, err)
	}
	if member, err := s.Belongs(ctx, a.ID, "demo"); err != nil || !member {
		t.Fatalf("the first administrator belongs to what exists: %v, %v", member, err)
	}
	c.pass(LinkLifetime)
	if _, err := s.Link(ctx, link); !errors.Is(err, ErrLinkGone) {
		t.Fatalf("an expired link: %v", err)
	}
}

// Two first-administrator links cannot both be used, whatever the timing.
func TestFirstAdminOnce(t *testing.T) {
	t.Parallel()
	s, _, pool := setup(t)
	ctx := t.Context()
	link, err := s.FirstAdminLink(ctx)
	if err != nil {
		t.Fatal(err)
	}
	other, hash := secret()
	if _, err := pool.Exec(ctx, `INSERT INTO identity.links (hash, purpose, admin, created_at, expires_at) VALUES ($1, 'first_admin', true, $2, $3)`,
		hash, s.now(), s.now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	results := make(chan error)
	for i, l := range []string{link, other} {
		go func() {
			_, _, err := s.UseLink(ctx, l, string(rune('a'+i))+"da", "correct horse")
			results <- err
		}()
	}
	var won, lost int
	for range 2 {
		switch err := <-results; {
		case err == nil:
			won++
		case errors.Is(err, ErrAdminExists):
			lost++
		default:
			t.Fatal(err)
		}
	}
	if won != 1 || lost != 1 {
		t.Fatalf("won %d, lost %d", won, lost)
	}
}

func TestInvite(t *testing.T) {
	t.Parallel()
	s, _, _ := setup(t)
	ctx := t.Context()
	boss := admin(t, s)
	if err := s.CreateProduct(ctx, Product{ID: "demo", Name: "Demo"}, boss.User); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Invite(ctx, boss.User, false, nil); domain.CodeOf(err) != domain.Invalid {
		t.Fatalf("an invitation to nothing: %v", err)
	}
	if _, _, err := s.Invite(ctx, boss.User, false, []string{"nope"}); domain.CodeOf(err) != domain.NotFound {
		t.Fatalf("an invitation to an unknown product: %v", err)
	}
	_, link, err := s.Invite(ctx, boss.User, false, []string{"demo"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.UseLink(ctx, link, "ADA", "correct horse"); !errors.Is(err, ErrNameTaken) {
		t.Fatalf("a name that differs only in case: %v", err)
	}
	a, _, err := s.UseLink(ctx, link, "王小明", "correct horse")
	if err != nil || a.Admin {
		t.Fatalf("%+v: %v", a, err)
	}
	list, err := s.Accounts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, a := range list {
		got[a.Name] = a.Products
	}
	if diff := cmp.Diff(map[string][]string{"ada": {"demo"}, "王小明": {"demo"}}, got); diff != "" {
		t.Fatal(diff)
	}
	people, err := s.People(ctx, "demo")
	if err != nil || len(people) != 2 {
		t.Fatalf("people %v: %v", people, err)
	}
	names, err := s.Names(ctx, []domain.ID{a.ID, "01UNKNOWN"})
	if diff := cmp.Diff(map[domain.ID]string{a.ID: "王小明"}, names); err != nil || diff != "" {
		t.Fatal(diff, err)
	}
}

func TestSignInLimits(t *testing.T) {
	t.Parallel()
	s, c, _ := setup(t)
	ctx := t.Context()
	admin(t, s)
	if _, _, err := s.SignIn(ctx, "ADA", "correct horse", "10.0.0.1"); err != nil {
		t.Fatalf("names are not case-sensitive: %v", err)
	}
	for _, bad := range [][2]string{{"ada", "wrong password"}, {"nobody", "correct horse"}, {"", "x"}, {"ada", ""}, {"ada\x00", "correct horse"}} {
		if _, _, err := s.SignIn(ctx, bad[0], bad[1], "10.0.0.9"); !errors.Is(err, ErrSignIn) {
			t.Fatalf("%q: %v", bad, err)
		}
	}
	for range triesPerNameAndAddress {
		if _, _, err := s.SignIn(ctx, "ada", "wrong password", "10.0.0.2"); !errors.Is(err, ErrSignIn) {
			t.Fatal(err)
		}
	}
	_, _, err := s.SignIn(ctx, "ada", "correct horse", "10.0.0.2")
	var e *domain.Error
	if !errors.As(err, &e) || e.Code != domain.TooMany || e.RetryAfter <= 0 || e.RetryAfter > int(tryWindow.Seconds()) {
		t.Fatalf("after too many: %#v", err)
	}
	if _, _, err := s.SignIn(ctx, "ada", "correct horse", "10.0.0.3"); err != nil {
		t.Fatalf("another address is not locked out: %v", err)
	}
	c.pass(tryWindow)
	if _, _, err := s.SignIn(ctx, "ada", "correct horse", "10.0.0.2"); err != nil {
		t.Fatalf("after the window: %v", err)
	}
	for i := range triesPerAddress {
		_, _, err := s.SignIn(ctx, "nobody"+strconv.Itoa(i), "wrong password", "10.0.0.4")
		if !errors.Is(err, ErrSignIn) {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	if _, _, err := s.SignIn(ctx, "ada", "correct horse", "10.0.0.4"); !errors.Is(err, ErrTooManyTries) {
		t.Fatalf("one address guessing many names: %v", err)
	}
}

func TestSessionLife(t *testing.T) {
	t.Parallel()
	s, c, pool := setup(t)
	ctx := t.Context()
	boss := admin(t, s)
	_, secret, err := s.SignIn(ctx, "ada", "correct horse", "")
	if err != nil {
		t.Fatal(err)
	}
	var stored int
	if err := pool.QueryRow(ctx, `SELECT count(*) FROM identity.sessions WHERE encode(hash, 'escape') = $1`, secret).Scan(&stored); err != nil || stored != 0 {
		t.Fatalf("the secret is stored as it is (%d): %v", stored, err)
	}
	for range 3 { // used, it lives on
		c.pass(SessionLifetime - time.Hour)
		if _, err := s.Session(ctx, secret); err != nil {
			t.Fatal(err)
		}
	}
	c.pass(SessionLifetime)
	if _, err := s.Session(ctx, secret); !errors.Is(err, ErrSignedOut) {
		t.Fatalf("unused: %v", err)
	}
	_, secret, err = s.SignIn(ctx, "ada", "correct horse", "")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.SignOut(ctx, secret); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Session(ctx, secret); !errors.Is(err, ErrSignedOut) {
		t.Fatalf("signed out: %v", err)
	}
	if err := s.SetAccount(ctx, boss.User, true, true); !errors.Is(err, ErrLastAdmin) {
		t.Fatalf("the last administrator: %v", err)
	}
}

func TestDisable(t *testing.T) {
	t.Parallel()
	s, _, _ := setup(t)
	ctx := t.Context()
	boss := admin(t, s)
	_, link, err := s.Invite(ctx, boss.User, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, session, err := s.UseLink(ctx, link, "bob", "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	_, token, err := s.NewPersonToken(ctx, "bob", "correct horse", "", "cli")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetAccount(ctx, a.ID, false, true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Session(ctx, session); !errors.Is(err, ErrSignedOut) {
		t.Fatalf("session: %v", err)
	}
	if _, err := s.Bearer(ctx, token); !errors.Is(err, ErrSignedOut) {
		t.Fatalf("token: %v", err)
	}
	if _, _, err := s.SignIn(ctx, "bob", "correct horse", ""); !errors.Is(err, ErrSignIn) {
		t.Fatalf("sign-in: %v", err)
	}
	if err := s.SetAccount(ctx, "01UNKNOWN", false, false); domain.CodeOf(err) != domain.NotFound {
		t.Fatal(err)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	s, c, _ := setup(t)
	ctx := t.Context()
	boss := admin(t, s)
	soon := s.now().Add(time.Hour)
	tok, secret, err := s.NewToken(ctx, boss, "ci", []Scope{ScopeAnalyst}, &soon)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := s.Bearer(ctx, secret)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Caller{User: boss.User, Name: "ada", Admin: true, Scopes: []Scope{ScopeAnalyst}}, caller); diff != "" {
		t.Fatal(diff)
	}
	if _, _, err := s.NewToken(ctx, caller, "more", []Scope{ScopePerson}, nil); domain.CodeOf(err) != domain.Forbidden {
		t.Fatalf("a token made by a token: %v", err)
	}
	for _, scopes := range [][]Scope{nil, {"root"}} {
		if _, _, err := s.NewToken(ctx, boss, "", scopes, nil); domain.CodeOf(err) != domain.Invalid {
			t.Fatalf("scopes %v: %v", scopes, err)
		}
	}
	if _, _, err := s.NewToken(ctx, Caller{User: boss.User, Session: "x"}, "", []Scope{ScopeAdmin}, nil); domain.CodeOf(err) != domain.Forbidden {
		t.Fatalf("scope admin without an administrator: %v", err)
	}
	list, err := s.Tokens(ctx, boss.User)
	if err != nil || len(list) != 1 || list[0].ID != tok.ID || list[0].Used == nil {
		t.Fatalf("%+v: %v", list, err)
	}
	if err := s.Revoke(ctx, "01OTHER", tok.ID); domain.CodeOf(err) != domain.NotFound {
		t.Fatalf("another's token: %v", err)
	}
	c.pass(time.Hour)
	if _, err := s.Bearer(ctx, secret); !errors.Is(err, ErrSignedOut) {
		t.Fatalf("expired: %v", err)
	}
	_, secret, err = s.NewPersonToken(ctx, "ada", "correct horse", "", "cli")
	if err != nil {
		t.Fatal(err)
	}
	list, err = s.Tokens(ctx, boss.User)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Revoke(ctx, boss.User, list[0].ID); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{secret, "", "sozai_", strings.TrimPrefix(secret, TokenPrefix)} {
		if _, err := s.Bearer(ctx, text); !errors.Is(err, ErrSignedOut) {
			t.Fatalf("%q: %v", text, err)
		}
	}
}

func TestProductsAndMarks(t *testing.T) {
	t.Parallel()
	s, _, _ := setup(t)
	ctx := t.Context()
	boss := admin(t, s)
	for _, id := range []string{"", "Demo", "a.b", "-x", "a b", strings.Repeat("a", 33), "a>"} {
		if err := s.CreateProduct(ctx, Product{ID: id, Name: "x"}, ""); domain.CodeOf(err) != domain.Invalid {
			t.Fatalf("product %q: %v", id, err)
		}
	}
	for _, id := range []string{"demo", "other"} {
		if err := s.CreateProduct(ctx, Product{ID: id, Name: id}, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.CreateProduct(ctx, Product{ID: "demo", Name: "x"}, ""); !errors.Is(err, ErrProductExists) {
		t.Fatal(err)
	}
	member := Caller{User: boss.User}
	list, err := s.Products(ctx, member)
	if err != nil || len(list) != 0 {
		t.Fatalf("%v: %v", list, err)
	}
	for range 2 {
		if err := s.SetMembership(ctx, "demo", boss.User, true); err != nil {
			t.Fatal(err)
		}
	}
	if list, err = s.Products(ctx, member); err != nil || len(list) != 1 || list[0].ID != "demo" {
		t.Fatalf("%v: %v", list, err)
	}
	if list, err = s.Products(ctx, boss); err != nil || len(list) != 2 {
		t.Fatalf("an administrator belongs to all: %v: %v", list, err)
	}
	if err := s.SetMembership(ctx, "demo", boss.User, false); err != nil {
		t.Fatal(err)
	}
	if ok, err := s.Belongs(ctx, boss.User, "demo"); err != nil || ok {
		t.Fatalf("%v: %v", ok, err)
	}
	if err := s.SetMembership(ctx, "nope", boss.User, true); domain.CodeOf(err) != domain.NotFound {
		t.Fatal(err)
	}
	if at, err := s.ReadMark(ctx, boss.User, "A"); err != nil || at != 0 {
		t.Fatalf("%d: %v", at, err)
	}
	for _, step := range [][2]uint64{{7, 7}, {3, 7}, {9, 9}} {
		if at, err := s.MarkRead(ctx, boss.User, "A", step[0]); err != nil || at != step[1] {
			t.Fatalf("mark %d: %d, %v", step[0], at, err)
		}
	}
}
