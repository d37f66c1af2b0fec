package web

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"sozai/domain"
	"sozai/handlers/access"
)

// Every route by everybody: what the guard lets through is what the policy table
// says of the route's action, and nothing else. Requests are empty, so whoever is
// let through mostly gets 400, 404 or 409 from the handler; what counts is that
// 401, 403 and the guard's 404 come exactly when they should.
func TestEveryRouteByEveryRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	creator := b.person("creator")
	path, created := creator.agent("room")
	agent := string(created.Agent)
	stranger := b.personOf("stranger", "elsewhere")
	colleague := b.person("colleague")
	viewer := b.personOf("viewer", "elsewhere")
	member := b.person("member")
	creator.put(path+"/members/"+string(viewer.id), body{"role": "viewer"}).want(200)
	creator.put(path+"/members/"+string(member.id), body{"role": "member"}).want(200)
	creator.put(path+"/members/"+string(viewer.id), body{"role": "member"}).problem(409, "not_in_product")
	creator.put(path+"/members/"+newKey(), body{"role": "viewer"}).problem(404, "")
	everybody := []struct {
		name string
		c    *client
		st   access.Standing
	}{
		{"anonymous", b.client(), access.Standing{}},
		{"stranger", stranger, access.Standing{}},
		{"colleague", colleague, access.Standing{Product: true}},
		{"viewer", viewer, access.Standing{Role: access.Viewer}},
		{"member", member, access.Standing{Product: true, Role: access.Member}},
		{"creator", creator, access.Standing{Product: true, Role: access.Creator}},
		{"admin", b.boss, access.Standing{Product: true}},
	}
	replace := strings.NewReplacer("{agent}", agent, "{product}", "demo", "{hash}", strings.Repeat("a", 64), "{file}", strings.Repeat("a", 64))
	for _, rt := range b.server.routes() {
		if rt.path == "/api/session" && rt.method == "DELETE" || strings.HasSuffix(rt.path, "/archive") {
			continue // they would end the walk
		}
		for _, who := range everybody {
			caller := access.Caller{User: who.c.id, Admin: who.c == b.boss}
			want := access.Authorize(caller, rt.action, who.st)
			url := replace.Replace(rt.path)
			for _, name := range pathParams(url) {
				url = strings.ReplaceAll(url, "{"+name+"}", newKey())
			}
			if rt.product {
				url += "?product=demo"
			}
			var in any
			if rt.method != http.MethodGet && rt.method != http.MethodHead && rt.method != http.MethodDelete {
				in = []byte("")
			}
			a := who.c.do(rt.method, url, in)
			var got Problem
			if rt.method != http.MethodHead && a.status >= 400 {
				a.into(&got)
			}
			guarded := got.Reason == "signed_out" || got.Code == domain.Forbidden || got.Detail == "there is no such agent"
			if rt.method == http.MethodHead {
				guarded = a.status == 401 || a.status == 403
			}
			if rt.path == "/api/tokens" && rt.method == "POST" { // it asks for either sign-in itself
				guarded = false
			}
			if want == nil && guarded {
				t.Errorf("%s %s by %s: refused: %d %s", rt.method, rt.path, who.name, a.status, a.body)
			}
			if want != nil && a.status != status(domain.CodeOf(want)) {
				t.Errorf("%s %s by %s: %d, want %v: %s", rt.method, rt.path, who.name, a.status, want, a.body)
			}
			if a.status == 500 {
				t.Errorf("%s %s by %s: %s", rt.method, rt.path, who.name, a.body)
			}
		}
	}
	if strings.Contains(b.log.String(), "internal error") {
		t.Errorf("the walk left internal errors in the log:\n%s", b.log)
	}
}

// personOf is a person who belongs to another product only.
func (b *bench) personOf(name, product string) *client {
	b.t.Helper()
	if a := b.boss.post("/api/products", body{"id": product, "name": product}); a.status != 200 {
		a.problem(409, "product_exists")
	}
	return b.person(name, product)
}

func TestRemovedMemberIsOutAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, _ := b.boss.agent("room")
	ann := b.person("ann")
	ann.get(path).problem(404, "")
	b.boss.put(path+"/members/"+string(ann.id), body{"role": "member"}).want(200)
	ann.get(path + "/timeline").want(200)
	ann.del(path+"/members/"+string(ann.id)).problem(403, "role")
	b.boss.del(path + "/members/" + string(ann.id)).want(200)
	ann.get(path+"/timeline").problem(404, "")
	ann.post(path+"/messages", body{"text": "still here?"}).problem(404, "")
	b.boss.del(path+"/members/"+string(b.boss.id)).problem(409, "agent_creator")

	b.boss.put(path+"/members/"+string(ann.id), body{"role": "member"}).want(200)
	b.boss.del("/api/products/demo/people/" + string(ann.id)).want(204)
	ann.get(path + "/timeline").want(200) // reads need the role only
	ann.post(path+"/messages", body{"text": "still here?"}).problem(403, "not_a_member")
	var list agentsView
	ann.get("/api/agents?product=demo").problem(403, "not_a_member")
	b.boss.put("/api/products/demo/people/"+string(ann.id), nil).want(204)
	b.settle()
	ann.get("/api/agents?product=demo").want(200).into(&list)
	if len(list.Agents) != 1 {
		t.Fatalf("%+v", list)
	}
	bob := b.person("bob")
	bob.get("/api/agents?product=demo").want(200).into(&list)
	if len(list.Agents) != 0 {
		t.Fatalf("a colleague sees %+v", list)
	}
	var people peopleView
	bob.get("/api/products/demo/people").want(200).into(&people)
	if len(people.People) != 3 {
		t.Fatalf("%+v", people)
	}
}

func TestScheduleAndEdit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, _ := b.boss.agent("room")
	b.boss.put(path+"/schedule", body{"daily": true, "at": "25:00"}).problem(400, "agent_schedule")
	b.boss.put(path+"/schedule", body{"daily": true, "at": "08:30", "zone": "Mars/Base"}).problem(400, "agent_schedule")
	var d done
	b.boss.put(path+"/schedule", body{"daily": true, "at": "08:30", "zone": "Asia/Shanghai"}).want(200)
	b.boss.do("PATCH", path, body{"name": "new name"}).want(200).into(&d)
	b.settle()
	var v agentView
	b.boss.get(path).want(200).into(&v)
	if v.Name != "new name" || !v.Daily || v.At != "08:30" || v.Brief != "末日塔防" {
		t.Fatalf("%+v", v.Agent)
	}
	b.boss.post(path+"/archive", body{"reason": "done"}).want(200)
	b.boss.do("PATCH", path, body{"name": "newer"}).problem(409, "agent_archived")
	b.boss.post(path+"/runs", body{"work": "search"}).problem(409, "agent_archived")
	b.boss.post(path+"/gene/edit", body{"base_version": 1, "search": "x"}).problem(409, "agent_archived")
	b.boss.get(path + "/timeline").want(200)
}

// Below the free-space mark commands are refused, reads and sign-in are not.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	b := setup(t, func(d *Deps) {
		d.FreeSpace = func() error {
			if full.Load() {
				return domain.Rule(domain.Unavailable, "disk_full", "the disk is nearly full")
			}
			return nil
		}
	})
	path, _ := b.boss.agent("room")
	full.Store(true)
	b.boss.post(path+"/messages", body{"text": "hi"}).problem(503, "disk_full")
	b.boss.post(path+"/behavior", body{"beacon": newKey()}).problem(503, "disk_full")
	b.boss.post("/api/catalogue/items?product=demo", body{}).problem(503, "disk_full")
	b.boss.get(path + "/timeline").want(200)
	b.boss.post("/api/session", body{"name": "boss", "password": "correct horse"}).want(204)
	full.Store(false)
	b.boss.post(path+"/messages", body{"text": "hi"}).want(200)
}

// An administrator may act in every product, but only in one that exists: an
// agent in a product that nobody made would be lost to everybody else.
func TestProductsMustExist(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.boss.get("/api/agents?product=nowhere").problem(404, "")
	b.boss.post("/api/agents?product=nowhere", body{"name": "a", "search": "b"}).problem(404, "")
	b.boss.get("/api/catalogue?product=nowhere&q=x").problem(404, "")
}
