package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/oklog/ulid/v2"

	"sozai/domain"
	"sozai/projections"
)

// chat says what is wrong and waits for the answer with its card.
func (w *wheel) chat(t *testing.T) {
	w.ada.t, w.bo.t = t, t
	var said struct {
		Message string `json:"message"`
	}
	w.bo.must(http.MethodPost, w.path("/messages"), map[string]any{
		"text": "这条爆炸感不够，节奏太慢，帮我改一下基因",
		"refs": []map[string]any{{"type": "material", "id": w.dislike}},
	}, &said)
	w.kill("after a message was acknowledged")
	if w.kills {
		w.rooms["bo"].wait(t, "the answer begins", func(f frame, _ string) bool { return f.Type == "chat.delta" })
		w.kill("in the middle of the answer")
	}
	var body projections.TurnBody
	until(t, "the answer ends", func() bool {
		for _, r := range w.timeline(t, w.bo) {
			if r.Type == projections.RowTurn {
				w.turn = string(r.Ref)
				return json.Unmarshal(r.Body, &body) == nil
			}
		}
		return false
	})
	var text, tools []string
	for _, b := range body.Blocks {
		switch b.Type {
		case "text":
			text = append(text, b.Text)
		case "tool":
			tools = append(tools, b.Tool)
		case "card":
			w.card = string(b.Ref)
		}
	}
	ok(t, body.Reason == "finished", "the answer ended as %q: %s", body.Reason, text)
	ok(t, w.card != "", "no card in the answer: %v %v", text, tools)
	ok(t, len(tools) > 0 && len(text) > 0, "tools %v, text %v", tools, text)
	if !w.kills { // a restarted answer streams to whoever is there
		w.rooms["bo"].wait(t, "the answer's row comes", func(f frame, _ string) bool {
			return f.Row != nil && string(f.Row.Ref) == w.turn && f.Row.Type == projections.RowTurn
		})
		if diff := cmp.Diff(strings.Join(text, ""), w.rooms["bo"].streamed(w.turn)); diff != "" {
			t.Fatalf("the streamed text is not the recorded one (-recorded +streamed):\n%s", diff)
		}
	}
	for name, room := range w.rooms {
		room.wait(t, name+" sees the card", func(f frame, raw string) bool { return w.shows(t, f, raw, "gene.card", "pending") })
		if !w.kills {
			room.wait(t, name+" sees tool rows", func(f frame, _ string) bool { return f.Type == "chat.toolcall" })
		}
	}
	var cards struct {
		Cards []projections.Card `json:"cards"`
	}
	w.bo.get(w.path("/cards"), &cards)
	ok(t, len(cards.Cards) == 1, "%d cards, want 1", len(cards.Cards))
}

// apply lets both people press the button at once.
func (w *wheel) apply(t *testing.T) {
	w.ada.t, w.bo.t = t, t
	path := w.path("/cards/" + w.card + "/apply")
	keys := map[string]string{"ada": ulid.Make().String(), "bo": ulid.Make().String()}
	var mu sync.Mutex
	var wg sync.WaitGroup
	answers := map[string]answer{}
	for name, p := range map[string]*person{"ada": w.ada, "bo": w.bo} {
		wg.Go(func() {
			a := p.doWith(keys[name], http.MethodPost, path, map[string]any{})
			mu.Lock()
			defer mu.Unlock()
			answers[name] = a
		})
	}
	w.kill("while the card was being applied")
	wg.Wait()
	winner, loser := "ada", "bo"
	if answers["bo"].status < 400 {
		winner, loser = loser, winner
	}
	ok(t, answers[winner].status < 400, "nobody won: %s / %s", answers["ada"].body, answers["bo"].body)
	var refused struct {
		Reason  string         `json:"reason"`
		Details map[string]any `json:"details"`
	}
	ok(t, answers[loser].status == http.StatusConflict, "the loser got %d %s", answers[loser].status, answers[loser].body)
	answers[loser].into(t, &refused)
	ok(t, refused.Details["state"] == "applied" && strings.Contains(string(answers[loser].body), winner),
		"the loser is not told who won (%s): %s", winner, answers[loser].body)
	// The winner's click, repeated with its key, is answered as the first time.
	p := map[string]*person{"ada": w.ada, "bo": w.bo}[winner]
	again := p.doWith(keys[winner], http.MethodPost, path, map[string]any{})
	ok(t, again.status == answers[winner].status && string(again.body) == string(answers[winner].body), "repeated: %d %s", again.status, again.body)
	for name, room := range w.rooms {
		room.wait(t, name+" sees it applied", func(f frame, raw string) bool { return w.shows(t, f, raw, "gene.card.resolved", "applied") })
	}
}

// shows says that a frame shows the card in a state: the live one of that type or,
// for who was away at that moment, a row.
func (w *wheel) shows(t *testing.T, f frame, raw, live, state string) bool {
	var in struct {
		Rows []projections.Row
		Row  projections.Row
	}
	switch f.Type {
	case live:
		return strings.Contains(raw, w.card) && strings.Contains(raw, state)
	case "sync", "timeline.entry":
		if err := json.Unmarshal([]byte(raw), &in); err != nil {
			t.Fatalf("frame %s: %v", raw, err)
		}
	}
	for _, row := range append(in.Rows, in.Row) {
		for _, card := range row.Cards {
			if string(card.Card) == w.card && card.State == state {
				return true
			}
		}
	}
	return false
}

func (w *wheel) version2(t *testing.T) {
	w.bo.t = t
	var answer struct {
		Versions []projections.GeneVersion `json:"versions"`
	}
	w.bo.get(w.path("/gene/versions"), &answer)
	ok(t, len(answer.Versions) == 2, "%d versions, want 2", len(answer.Versions))
	ok(t, answer.Versions[0].Version == 2 && string(answer.Versions[0].Card) == w.card, "got %+v", answer.Versions[0])
	for _, line := range strings.Split(answer.Versions[1].Search, "\n") {
		ok(t, strings.Contains(answer.Versions[0].Search, strings.TrimSpace(line)), "a person's line is gone: %q", line)
	}
	var items struct {
		Items []projections.FeedbackItem `json:"items"`
	}
	w.bo.get(w.path("/feedback"), &items)
	settled := 0
	for _, item := range items.Items {
		if item.SettledIn > 0 {
			settled++
		}
	}
	ok(t, settled > 0, "applying settled nothing of %+v", items.Items)
}

func (w *wheel) performance(t *testing.T) {
	w.bo.t = t
	var answer projections.Scores
	w.bo.get(w.path("/performance"), &answer)
	shown := map[int]projections.VersionScore{}
	for _, v := range answer.Versions {
		shown[v.Version] = v
	}
	ok(t, shown[1].Found > 0 && shown[1].Dislikes > 0 && shown[1].Shown > 0, "version 1: %+v", shown[1])
	_, has2 := shown[2]
	ok(t, has2 && shown[2].Runs == 1, "version 2: %+v", shown[2])
	ok(t, answer.Baseline == 1 && len(shown[2].Rates) > 0, "baseline %d, rates %v", answer.Baseline, shown[2].Rates)
	for _, rate := range shown[2].Rates {
		ok(t, rate.Verdict == "not_enough", "version 2: rate %s says %q on %d of %d", rate.Name, rate.Verdict, rate.N, rate.Of)
	}
}

func (w *wheel) records(t *testing.T) {
	w.bo.t = t
	closing := map[domain.ID]int{}
	for _, r := range w.timeline(t, w.bo) {
		if r.Type == projections.RowRunFinished {
			closing[r.Ref]++
		}
	}
	attempts := 0
	runs := w.runs(t)
	ok(t, len(runs) == 5, "%d runs, want the first search, the gene check, two boards and a film", len(runs))
	for _, r := range runs {
		ok(t, r.GeneVersion > 0, "run %s has no version", r.Run)
		ok(t, closing[r.Run] == 1, "run %s has %d closing rows", r.Run, closing[r.Run])
		attempts = max(attempts, r.Attempt)
	}
	if w.kills {
		ok(t, attempts > 1, "no kill hit a run in its middle; the test proves nothing about takeovers")
	} else {
		ok(t, attempts == 1, "a run needed %d attempts", attempts)
	}
	var turn projections.TurnDetail
	w.bo.get(w.path("/turns/"+w.turn), &turn)
	ok(t, (len(turn.Attempts) > 1) == w.kills, "the answer had %d attempts", len(turn.Attempts))
}

func (w *wheel) noDuplicates(t *testing.T) {
	w.bo.t = t
	seen := map[string]domain.ID{}
	for _, m := range w.materials(t, "") {
		key := m.Source + "/" + m.External
		ok(t, seen[key] == "", "%s is there as %s and %s", key, seen[key], m.Material)
		seen[key] = m.Material
	}
}

func (w *wheel) sameRoom(t *testing.T) {
	w.ada.t, w.bo.t = t, t
	a, b := w.timeline(t, w.ada), w.timeline(t, w.bo)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Fatalf("the rooms differ:\n%s", diff)
	}
	for i := 1; i < len(a); i++ {
		ok(t, a[i].Seq > a[i-1].Seq, "row %d is out of order", i)
	}
}

func (w *wheel) stopCleanly(t *testing.T) {
	for _, room := range w.rooms {
		room.stop()
	}
	if w.kills {
		w.server.kill() // verify then works on what a killed server leaves
		return
	}
	if err := w.server.interrupt(); err != nil {
		t.Fatalf("Ctrl-C: %v\n%s", err, w.server.printed())
	}
}

func (w *wheel) verify(t *testing.T) {
	stdout, stderr, err := sozai(t.Context(), t, nil, nil, "verify", "--data", w.server.data)
	ok(t, err == nil && strings.Contains(stdout, ", 0 differ"), "verify: %v\n%s%s", err, stdout, stderr)
	fmt.Print("      " + stdout[strings.LastIndex(strings.TrimSpace(stdout), "\n")+1:])
	stdout, stderr, err = sozai(t.Context(), t, nil, nil, "rebuild", "--data", w.server.data)
	ok(t, err == nil, "rebuild: %v\n%s%s", err, stdout, stderr)
}
