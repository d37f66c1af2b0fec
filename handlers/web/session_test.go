package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.client()
	c.get("/api/session").problem(401, "signed_out")
	c.post("/api/session", body{"name": "boss", "password": "wrong password"}).problem(401, "bad_credentials")
	c.post("/api/session", body{"name": "boss"}).problem(400, "validation")
	a := c.post("/api/session", body{"name": "Boss", "password": "correct horse"}).want(204)
	cookie := a.header.Get("Set-Cookie")
	if !hasAll(strings.ToLower(cookie), "httponly", "samesite=lax", "path=/", "max-age=2592000") || strings.Contains(cookie, "secure") {
		t.Fatalf("cookie %q", cookie)
	}
	var s sessionView
	c.get("/api/session").want(200).into(&s)
	if s.User.Name != "boss" || !s.User.Admin || len(s.Products) != 1 || !s.Model.Rehearsal || s.Model.Name != "rehearsal" {
		t.Fatalf("session %+v", s)
	}
	// An old cookie must not keep anybody out.
	stale := b.client()
	stale.cookie = "stale"
	stale.get("/api/session").problem(401, "signed_out")
	stale.post("/api/session", body{"name": "boss", "password": "correct horse"}).want(204)

	gone := *c
	c.del("/api/session").want(204)
	gone.get("/api/session").problem(401, "signed_out")
}

// Before somebody asks for work, the pages say what it may cost and where it can
// search.
func TestSessionTellsLimitsAndSources(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sources []Source
		want    []searchable
	}{
		"nothing outside": {nil, []searchable{{Name: "fast", Configured: true}, {Name: "competitor"}, {Name: "hot"}}},
		"some of it": {
			[]Source{
				{Name: "tiktok", Kind: "search", Configured: true}, {Name: "douyin", Kind: "search"},
				{Name: "competitor", Kind: "competitor", Price: 2_000_000}, {Name: "hot", Kind: "hot", Configured: true, Price: 1_500_000},
				{Name: "render", Kind: "render", Configured: true},
			},
			[]searchable{{Name: "fast", Configured: true, Platforms: []string{"tiktok"}}, {Name: "competitor"}, {Name: "hot", Configured: true, PriceYuan: 1.5}},
		},
	} {
		b := setup(t, func(d *Deps) { d.Sources = c.sources })
		var s sessionView
		b.person("ann").get("/api/session").want(200).into(&s)
		if diff := cmp.Diff(c.want, s.Sources); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if want := (limitsView{RunCostYuan: 3, CompetitorSearches: 2, CompetitorMinutes: 8, HotMinutes: 30}); s.Limits != want {
			t.Errorf("%s: %+v, want %+v", name, s.Limits, want)
		}
	}
}

func TestSecureCookieBehindHTTPS(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *Deps) { d.PublicURL = "https://sozai.example" })
	c := b.client()
	a := c.do("POST", "/api/session", body{"name": "boss", "password": "correct horse"}, func(r *http.Request) {
		r.Header.Set("Origin", "https://sozai.example")
	}).want(204)
	if !strings.Contains(strings.ToLower(a.header.Get("Set-Cookie")), "secure") {
		t.Fatalf("cookie %q", a.header.Get("Set-Cookie"))
	}
}

func TestTokensOverHTTP(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cli := b.client()
	cli.post("/api/tokens", body{"label": "x", "scopes": []string{"person"}}).problem(401, "signed_out")
	cli.post("/api/tokens", body{"name": "boss", "password": "correct horse", "scopes": []string{"admin"}}).problem(400, "")
	cli.post("/api/tokens", body{"name": "boss", "password": "nonsense here"}).problem(401, "bad_credentials")
	var made createdToken
	cli.post("/api/tokens", body{"name": "boss", "password": "correct horse", "label": "cli"}).want(200).into(&made)
	cli.token = made.Token
	cli.get("/api/session").want(200)
	path, _ := cli.agent("from the command line")
	cli.get(path).want(200)
	// An administrator's token is no administrator without the scope.
	cli.get("/api/accounts").problem(403, "scope")
	cli.post("/api/tokens", body{"label": "more", "scopes": []string{"person"}}).problem(403, "session_needed")
	var admin createdToken
	b.boss.post("/api/tokens", body{"label": "ops", "scopes": []string{"admin"}}).want(200).into(&admin)
	ops := b.client()
	ops.token = admin.Token
	ops.get("/api/accounts").want(200)
	b.boss.del("/api/tokens/" + string(admin.ID)).want(204)
	ops.get("/api/accounts").problem(401, "signed_out")
	var list tokensView
	b.boss.get("/api/tokens").want(200).into(&list)
	if len(list.Tokens) != 1 || list.Tokens[0].Label != "cli" || strings.Contains(string(b.boss.get("/api/tokens").body), made.Token) {
		t.Fatalf("tokens %+v", list)
	}
	for _, h := range []string{"Basic Ym9zczpib3Nz", "Bearer nonsense", "Bearer"} {
		b.boss.do("GET", "/api/session", nil, func(r *http.Request) { r.Header.Set("Authorization", h) }).problem(401, "signed_out")
	}
}
