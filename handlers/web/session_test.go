package web

import (
	"net/http"
	"strings"
	"testing"
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
