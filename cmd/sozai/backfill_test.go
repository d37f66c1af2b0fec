package main

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/oklog/ulid/v2"

	"sozai/agents/video/videotest"
	"sozai/domain/run"
	"sozai/projections"
)

// backfill runs the command against a server.
func backfill(t *testing.T, c backfillCommand, base string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	c.URL, c.Token, c.Product = base, "token", "games"
	dir := t.TempDir()
	err = c.Run(&process{
		ctx: t.Context(), stdin: strings.NewReader(""), stdout: &out, stderr: &errs,
		getenv: func(name string) string {
			if name == "XDG_CONFIG_HOME" {
				return dir
			}
			return ""
		},
	})
	return out.String(), errs.String(), err
}

// The command's side of it: one run an agent, an open one is followed, a refusal
// or a failed run of one agent fails the command and leaves the others alone.
func TestBackfillFollowsOneRunAnAgent(t *testing.T) {
	t.Parallel()
	var asked, looked atomic.Int32
	task := func(id string, state projections.TaskState, outcome run.Outcome) map[string]any {
		return map[string]any{
			"run": id, "work": "analyze", "state": state, "outcome": outcome, "reason": "finished", "summary": "分析了 2 条视频。",
			"cost_yuan": 0.4, "progress": map[string]any{"done": 1, "target": 2, "unit": "videos"},
		}
	}
	say := func(w http.ResponseWriter, status int, body any) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/agents", func(w http.ResponseWriter, _ *http.Request) {
		say(w, 200, map[string]any{"agents": []any{
			map[string]any{"agent": "A1", "name": "one"}, map[string]any{"agent": "A2", "name": "two"}, map[string]any{"agent": "A3", "name": "three"},
		}})
	})
	mux.HandleFunc("GET /api/agents/{a}/runs", func(w http.ResponseWriter, r *http.Request) {
		runs := []any{}
		if r.PathValue("a") == "A2" && r.URL.Query().Get("work") == "analyze" {
			runs = append(runs, task("R2", projections.TaskRunning, ""))
		}
		say(w, 200, map[string]any{"runs": runs})
	})
	mux.HandleFunc("POST /api/agents/{a}/runs", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("a") == "A3" {
			say(w, 409, map[string]any{"title": "Conflict", "detail": "the agent is archived"})
			return
		}
		asked.Add(1)
		say(w, 200, map[string]any{"run": "R1", "seq": 7})
	})
	mux.HandleFunc("GET /api/agents/{a}/runs/{r}", func(w http.ResponseWriter, r *http.Request) {
		switch n := looked.Add(1); {
		case n == 1:
			say(w, 503, map[string]any{"title": "starting"})
		case r.PathValue("r") == "R2":
			say(w, 200, task("R2", projections.TaskFailed, run.Failed))
		default:
			say(w, 200, task("R1", projections.TaskDone, run.Done))
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	out, _, err := backfill(t, backfillCommand{JSON: true}, server.URL)
	var list []backfilled
	if jsonErr := json.Unmarshal([]byte(out), &list); jsonErr != nil || len(list) != 3 || strings.Count(out, "\n") != 1 {
		t.Fatalf("%v: %s", jsonErr, out)
	}
	ok(t, err != nil && strings.Contains(err.Error(), "2 agents of 3"), "it ended with %v", err)
	ok(t, list[0].Run == "R1" && list[0].Outcome == run.Done && list[0].Cost == 0.4, "%+v", list[0])
	ok(t, list[1].Run == "R2" && list[1].Outcome == run.Failed, "%+v", list[1])
	ok(t, list[2].Run == "" && strings.Contains(list[2].Error, "archived"), "%+v", list[2])
	ok(t, asked.Load() == 1, "%d runs were asked for", asked.Load())
	out, _, err = backfill(t, backfillCommand{Agent: []string{"one"}}, server.URL)
	ok(t, err == nil && strings.Contains(out, "one") && strings.Contains(out, "分析了 2 条视频。") && strings.Contains(out, "¥0.40"), "%v: %s", err, out)
	if _, _, err = backfill(t, backfillCommand{Agent: []string{"nobody"}}, server.URL); err == nil {
		t.Error("an unknown agent is no error")
	}
}

// The real thing: an upload that was only measured gets the worker's report.
func TestBackfillImprovesAnUpload(t *testing.T) {
	t.Parallel()
	service, address := videotest.NewService(t)
	s := newServer(t, "--no-demo", "--video-worker-url", address, "--video-worker-key", service.Key)
	s.start()
	ada := newPerson(t, s.url())
	until(t, "a link is printed", func() bool { return s.firstLink() != "" })
	ada.useLink(s.firstLink(), "ada", "correct horse battery")
	ada.must(http.MethodPost, "/api/products", map[string]string{"id": "games", "name": "游戏"}, nil)
	var made struct {
		Agent string `json:"agent"`
	}
	ada.must(http.MethodPost, "/api/agents?product=games", map[string]any{
		"name": "塔防", "brief": "塔防游戏投放", "search": "塔防 爆炸", "steer": "快节奏",
	}, &made)
	path := filepath.Join(t.TempDir(), "a.mp4")
	clip(t, path, "180x320")
	asset := ada.upload("/api/agents/"+made.Agent+"/assets", path)
	ok(t, service.Counts().Requests == 0, "the upload waited for the worker")

	env := []string{"XDG_CONFIG_HOME=" + t.TempDir()}
	_, stderr, err := sozai(t.Context(), t, env, strings.NewReader("correct horse battery\n"), "login", s.url(), "-n", "ada", "--password-stdin")
	ok(t, err == nil, "login: %v %s", err, stderr)
	stdout, stderr, err := sozai(t.Context(), t, env, nil, "backfill", "--json", "--agent", "塔防")
	var list []backfilled
	ok(t, err == nil && json.Unmarshal([]byte(stdout), &list) == nil, "backfill: %v %s%s", err, stdout, stderr)
	ok(t, len(list) == 1 && strings.HasPrefix(list[0].Summary, "分析了 1 条视频（1 条亮点评级为高）"), "it ended as %+v", list)
	ok(t, service.Counts().Analyses == 1, "the worker was asked %+v", service.Counts())
	var seen struct {
		Assets []projections.Asset `json:"assets"`
	}
	ada.get("/api/agents/"+made.Agent+"/assets", &seen)
	ok(t, len(seen.Assets) == 1 && string(seen.Assets[0].Asset) == asset && seen.Assets[0].Analysis.Analyser == "worker/gemini-mai", "%+v", seen)
}

// upload sends a video as a browser does and returns the asset's id.
func (p *person) upload(path, file string) string {
	p.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", filepath.Base(file))
	if err == nil {
		_, err = part.Write(data)
	}
	if err != nil || form.Close() != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.base+path, &body)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Idempotency-Key", ulid.Make().String())
	req.Header.Set("Origin", p.base)
	resp, err := p.http.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var made struct {
		Asset string `json:"asset"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&made); err != nil || resp.StatusCode != http.StatusOK {
		p.t.Fatalf("upload: %d %v", resp.StatusCode, err)
	}
	return made.Asset
}
