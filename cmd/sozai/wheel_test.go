package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/oklog/ulid/v2"

	"sozai/agents/demo"
	"sozai/projections"
)

// wheel plays the whole turn of the workshop over the API against the built
// program: find, react, propose, apply, find again, compare, draw, film.
type wheel struct {
	t      *testing.T
	server *server
	ada    *person // the administrator, from the one-time link
	bo     *person // a member, invited
	rooms  map[string]*socket

	agent   string
	dislike string // the material that is disliked
	card    string
	turn    string
	board   string  // the second one
	length  float64 // that it promises, in seconds
	failed  int
	killed  int
	kills   bool
}

// step runs one step and prints its line.
func (w *wheel) step(name string, play func(t *testing.T)) {
	w.t.Helper()
	if w.failed > 0 {
		return
	}
	if w.t.Run(strings.ReplaceAll(name, " ", "_"), play) {
		steps.passed.Add(1)
		fmt.Printf("ok    %s\n", name)
		return
	}
	w.failed++
	steps.failed.Add(1)
	fmt.Printf("FAIL  %s\n", name)
}

// kill -9 and start again, if this wheel is one that is killed. No more than two
// kills may fall into one run: the third attempt lost ends it as worker_lost.
func (w *wheel) kill(point string) {
	if !w.kills {
		return
	}
	w.server.kill()
	w.server.start()
	w.killed++
	fmt.Printf("      killed and started again: %s\n", point)
}

var clips struct {
	once sync.Once
	dir  string
	made bool // by this process, which removes them
	err  error
}

// demoClips generates the demo's clips once a test process and returns a folder
// with n of them and a manifest.
func demoClips(t *testing.T, n int) string {
	t.Helper()
	clips.once.Do(func() {
		if clips.dir = os.Getenv("SOZAI_TEST_CLIPS"); clips.dir != "" {
			return // made earlier, to save time while working on the wheel
		}
		if clips.dir, clips.err = os.MkdirTemp("", "sozai-clips-"); clips.err != nil {
			return
		}
		clips.made = true
		_, clips.err = demo.Generate(t.Context(), clips.dir, nil)
	})
	if clips.err != nil {
		t.Fatal(clips.err)
	}
	return pickClips(t, clips.dir, n)
}

// pickClips links the first n videos and their manifest lines into a folder.
func pickClips(t *testing.T, from string, n int) string {
	t.Helper()
	dir := t.TempDir()
	data, err := os.ReadFile(filepath.Join(from, "manifest.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	lines = lines[:min(n, len(lines))]
	if err := os.WriteFile(filepath.Join(dir, "manifest.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(from, "*.mp4"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.Contains(strings.Join(lines, "\n"), filepath.Base(file)) {
			if err := os.Link(file, filepath.Join(dir, filepath.Base(file))); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// TestWheel turns it once, undisturbed.
func TestWheel(t *testing.T) {
	w := &wheel{t: t, server: newServer(t, "--no-demo")}
	w.play()
}

// TestWheelKilled turns it with the process killed at twelve points of the way; it
// ends in the same state.
func TestWheelKilled(t *testing.T) {
	w := &wheel{t: t, server: newServer(t, "--no-demo"), kills: true}
	w.play()
	if w.failed == 0 && w.killed != 12 {
		t.Errorf("killed %d times, want 12", w.killed)
	}
}

func (w *wheel) play() {
	w.server.start()
	w.step("one-time link makes the administrator", w.firstAdmin)
	w.step("a second person joins by invitation", w.invite)
	w.step("material is imported", w.importClips)
	w.step("an agent is created and its first search starts", w.create)
	w.step("the first search ends with materials", func(t *testing.T) { w.searched(t, 1, "first") })
	w.step("their media play, with ranges and types", w.media)
	w.step("looks are observed", w.observe)
	w.step("a dislike with words is recorded", w.react)
	w.step("the butler answers: deltas, tool rows, a card", w.chat)
	w.step("one of two people applies it, the other is told who", w.apply)
	w.step("the gene is at version 2", w.version2)
	w.step("the gene check searches with version 2", func(t *testing.T) { w.searched(t, 2, "gene_check") })
	w.step("performance shows both versions with n", w.performance)
	w.step("a board is drawn, and another that keeps a panel", w.drawn)
	w.step("the film plays and is as long as promised", w.filmed)
	w.step("every run has its version and one closing row", w.records)
	w.step("no material is there twice", w.noDuplicates)
	w.step("both people see the same room", w.sameRoom)
	w.step("stopping is clean", w.stopCleanly)
	w.step("rebuilt equals live", w.verify)
}

func (w *wheel) firstAdmin(t *testing.T) {
	until(t, "a link is printed", func() bool { return w.server.firstLink() != "" })
	link := w.server.firstLink()
	ok(t, link != "", "no link was printed:\n%s", w.server.printed())
	w.ada = newPerson(t, w.server.url())
	w.ada.useLink(link, "ada", "correct horse battery")
	var session struct {
		User struct {
			Name  string `json:"name"`
			Admin bool   `json:"admin"`
		} `json:"user"`
		Model struct {
			Rehearsal bool `json:"rehearsal"`
		} `json:"model"`
	}
	w.ada.get("/api/session", &session)
	ok(t, session.User.Name == "ada" && session.User.Admin && session.Model.Rehearsal, "got %+v", session)
	again := newPerson(t, w.server.url())
	a := again.do(http.MethodPost, "/api/links/"+link[strings.LastIndex(link, "/")+1:], map[string]string{"name": "eve", "password": "correct horse battery"})
	ok(t, a.status >= 400, "the link worked twice: %d", a.status)
	w.kill("after the administrator was made")
	w.ada.get("/api/session", &session)
}

func (w *wheel) invite(t *testing.T) {
	w.ada.t = t
	w.ada.must(http.MethodPost, "/api/products", map[string]string{"id": "games", "name": "游戏"}, nil)
	var link struct {
		Path string `json:"path"`
	}
	w.ada.must(http.MethodPost, "/api/invites", map[string]any{"products": []string{"games"}}, &link)
	w.bo = newPerson(t, w.server.url())
	w.bo.useLink(link.Path, "bo", "staple gun monday")
}

// importClips uses the CLI, as a person would, twice: the second run adds nothing.
func (w *wheel) importClips(t *testing.T) {
	dir := demoClips(t, 24)
	home := t.TempDir()
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home}
	_, stderr, err := sozai(t.Context(), t, env, strings.NewReader("correct horse battery\n"),
		"login", w.server.url(), "--name", "ada", "--password-stdin", "--product", "games")
	ok(t, err == nil, "login: %v %s", err, stderr)
	first, stderr, err := sozai(t.Context(), t, env, nil, "import", dir)
	ok(t, err == nil && strings.Contains(first, "24 added"), "import: %v\n%s%s", err, first, stderr)
	w.kill("after the import")
	second, stderr, err := sozai(t.Context(), t, env, nil, "import", dir)
	ok(t, err == nil && strings.Contains(second, "0 added, 24 already there"), "second import: %v\n%s%s", err, second, stderr)
}

func (w *wheel) create(t *testing.T) {
	w.ada.t, w.bo.t = t, t
	profile := demo.Agent()
	var created struct {
		Agent string `json:"agent"`
		Run   string `json:"run"`
	}
	w.bo.must(http.MethodPost, "/api/agents?product=games", map[string]any{
		"name": profile.Name, "brief": profile.Brief, "search": profile.Search, "steer": profile.Steer,
		"sources": []string{"fast"}, "constraints": map[string]any{"max_film_seconds": filmSeconds},
	}, &created)
	w.agent = created.Agent
	ok(t, w.agent != "" && created.Run != "", "got %+v", created)
	w.kill("after the agent was created")
	w.rooms = map[string]*socket{"ada": w.ada.enter(w.t, w.agent), "bo": w.bo.enter(w.t, w.agent)}
	for _, room := range w.rooms {
		room.connected(t)
	}
}

func (w *wheel) path(suffix string) string { return "/api/agents/" + w.agent + suffix }

func (w *wheel) runs(t *testing.T) []projections.Task {
	t.Helper()
	var answer struct {
		Runs []projections.Task `json:"runs"`
	}
	w.bo.get(w.path("/runs"), &answer)
	return answer.Runs
}

func (w *wheel) materials(t *testing.T, query string) []projections.Material {
	t.Helper()
	var answer struct {
		Materials []projections.Material `json:"materials"`
	}
	w.bo.get(w.path("/materials?limit=200"+query), &answer)
	return answer.Materials
}

func (w *wheel) searched(t *testing.T, version int, trigger string) {
	w.ada.t, w.bo.t = t, t
	find := func() *projections.Task {
		for _, r := range w.runs(t) {
			if string(r.Trigger) == trigger && string(r.Work) == "search" {
				return &r
			}
		}
		return nil
	}
	until(t, "the search is in the task center", func() bool { return find() != nil })
	if w.kills {
		if version == 1 {
			until(t, "something is saved", func() bool {
				return len(w.materials(t, "")) > 0 || !find().State.Open()
			})
			w.kill("in the middle of the first search")
		} else {
			until(t, "an attempt has started", func() bool { return find().Attempt > 0 || !find().State.Open() })
			w.kill("after the gene check had started")
		}
	}
	until(t, "the search ends", func() bool { return !find().State.Open() })
	r := find()
	ok(t, r.State == "done", "the search ended as %s (%s): %s", r.State, r.Reason, r.Summary)
	ok(t, r.GeneVersion == version, "the search ran with version %d, want %d", r.GeneVersion, version)
	found := w.materials(t, fmt.Sprintf("&run=%s", r.Run))
	if version == 1 {
		ok(t, len(found) >= 3, "the first search found %d materials", len(found))
	}
	for _, m := range found {
		ok(t, m.GeneVersion == version && m.Run == r.Run, "material %s has run %s, version %d", m.Material, m.Run, m.GeneVersion)
		ok(t, m.Analysis != nil, "material %s is not analysed", m.Material)
	}
}

func (w *wheel) media(t *testing.T) {
	w.bo.t = t
	for _, m := range w.materials(t, "") {
		path := "/api/media/" + m.Media.Hash
		whole, err := w.bo.once(http.MethodGet, path, "", nil, nil)
		ok(t, err == nil && whole.status == http.StatusOK, "%s: %v %d", path, err, whole.status)
		ok(t, strings.HasPrefix(whole.header.Get("Content-Type"), "video/"), "type %q", whole.header.Get("Content-Type"))
		ok(t, int64(len(whole.body)) == m.Media.Bytes, "%d bytes, want %d", len(whole.body), m.Media.Bytes)
		part, err := w.bo.once(http.MethodGet, path, "", map[string]string{"Range": "bytes=100-199"}, nil)
		ok(t, err == nil && part.status == http.StatusPartialContent, "range: %v %d", err, part.status)
		ok(t, string(part.body) == string(whole.body[100:200]), "the range has other bytes")
		poster, err := w.bo.once(http.MethodGet, path+".poster", "", nil, nil)
		ok(t, err == nil && poster.header.Get("Content-Type") == "image/jpeg", "poster: %v %v", err, poster.header)
	}
	stranger := newPerson(t, w.server.url())
	a := stranger.do(http.MethodGet, "/api/media/"+w.materials(t, "")[0].Media.Hash, nil)
	ok(t, a.status == http.StatusUnauthorized, "a stranger got %d", a.status)
}

func (w *wheel) observe(t *testing.T) {
	w.bo.t = t
	var observations []map[string]any
	for _, m := range w.materials(t, "") {
		observations = append(observations, map[string]any{
			"id": ulid.Make().String(), "type": "material_viewed", "at": m.SavedAt,
			"object": map[string]any{"type": "material", "id": m.Material},
		})
	}
	var answer struct {
		Recorded int   `json:"recorded"`
		Refused  []any `json:"refused"`
	}
	w.bo.must(http.MethodPost, w.path("/behavior"), map[string]any{"beacon": ulid.Make().String(), "observations": observations}, &answer)
	ok(t, answer.Recorded == len(observations) && len(answer.Refused) == 0, "got %+v", answer)
	w.kill("after the looks were observed")
}

func (w *wheel) react(t *testing.T) {
	w.bo.t = t
	w.dislike = string(w.materials(t, "")[0].Material)
	w.bo.must(http.MethodPost, w.path("/feedback"), map[string]any{
		"object":  map[string]any{"type": "material", "id": w.dislike},
		"verdict": "dislike", "words": "爆炸感不够，节奏太慢",
	}, nil)
	w.kill("after the dislike was acknowledged")
	var answer struct {
		Items []projections.FeedbackItem `json:"items"`
	}
	until(t, "the dislike is in the file", func() bool {
		w.bo.get(w.path("/feedback"), &answer)
		return len(answer.Items) == 1 && answer.Items[0].Words == "爆炸感不够，节奏太慢"
	})
}

func (w *wheel) timeline(t *testing.T, p *person) []projections.Row {
	t.Helper()
	var answer struct {
		Rows []projections.Row `json:"rows"`
	}
	p.get(w.path("/timeline?limit=200"), &answer)
	return answer.Rows
}
