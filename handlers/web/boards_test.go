package web

import (
	"fmt"
	"strings"
	"testing"

	"sozai/domain"
	"sozai/domain/library"
	"sozai/domain/run"
)

// studio is an agent with two clips, a board of theirs, and a film of it.
type studio struct {
	*bench
	path       string
	key        domain.Key
	run        domain.ID
	attempt    int
	long, card domain.ID // a clip of 9 s, and an import without media
	board      domain.ID
	film       domain.ID
}

func openStudio(t *testing.T) *studio {
	t.Helper()
	b := setup(t)
	path, created := b.boss.agent("room")
	s := &studio{bench: b, path: path, key: b.key(created.Agent), run: created.Run}
	b.boss.post(path+"/gene/edit", body{"base_version": 1, "constraints": body{"max_film_seconds": 10}, "summary": "短"}).want(200)
	s.attempt = b.start(s.key, created.Run)
	s.long = b.material(s.key, s.run, s.attempt, "tower", library.Media{
		Hash: strings.Repeat("a", 64), Type: "video/mp4", Seconds: 9, Poster: true,
	})
	s.card = b.material(s.key, s.run, s.attempt, "no file", library.Media{})
	s.board = s.draw("first", "", library.Panel{Number: 1, Caption: "墙塌", Seconds: 3, Material: s.long, From: 1, To: 4}, library.Panel{Number: 2, Seconds: 2, Material: s.card})
	s.film = s.render(s.board)
	b.settle()
	return s
}

func (s *studio) draw(title string, base domain.ID, panels ...library.Panel) domain.ID {
	s.t.Helper()
	id := domain.ID(newKey())
	s.record(s.key, domain.Worker("w"), library.BoardCreated{
		Board: id, Run: s.run, Attempt: s.attempt, GeneVersion: 2, Base: base, Title: title, Panels: panels,
	})
	return id
}

func (s *studio) render(board domain.ID) domain.ID {
	s.t.Helper()
	id := domain.ID(newKey())
	s.record(s.key, domain.Worker("w"), library.FilmRendered{
		Film: id, Board: board, Run: s.run, Attempt: s.attempt, GeneVersion: 2,
		Media: library.Media{Hash: strings.Repeat("b", 64), Type: "video/mp4", Seconds: 5},
	})
	return id
}

func (s *studio) react(object body, words string) {
	s.t.Helper()
	s.boss.post(s.path+"/feedback", body{"object": object, "words": words}).want(200)
}

// A board comes with everything that its page shows.
func TestBoardWithAllAroundIt(t *testing.T) {
	t.Parallel()
	s := openStudio(t)
	second := s.draw("second", s.board, library.Panel{Number: 1, Seconds: 2, Material: s.long})
	third := s.draw("third", second, library.Panel{Number: 1, Seconds: 2})
	s.draw("apart", "", library.Panel{Number: 1, Seconds: 2})
	aside := s.draw("aside", s.board, library.Panel{Number: 1, Seconds: 2})
	late := s.render(third)
	s.react(body{"type": "board", "id": s.board, "panel": 2}, "保留第 2 格")
	s.react(body{"type": "board", "id": s.board}, "整体不错")
	s.react(body{"type": "film", "id": s.film, "from": 1.5, "to": 3}, "这里太慢")
	s.settle()

	var v boardView
	s.boss.get(s.path + "/boards/" + string(s.board)).want(200).into(&v)
	if v.Seconds != 5 || v.MaxSeconds != 10 || len(v.FilmList) != 1 {
		t.Fatalf("%+v", v)
	}
	if got := v.Materials[s.long]; got.Title != "tower" || got.Hash != strings.Repeat("a", 64) || !got.Poster || got.Seconds != 9 || got.Type != domain.Material {
		t.Fatalf("the clip: %+v", got)
	}
	if got, ok := v.Materials[s.card]; !ok || got.Hash != "" {
		t.Fatalf("the clip without a file: %+v", got)
	}
	if len(v.Feedback) != 2 || v.Feedback[0].Object.Panel != 0 || v.Feedback[1].Object.Panel != 2 || v.People[s.boss.id] != "boss" {
		t.Fatalf("reactions: %+v", v.Feedback)
	}
	for _, from := range []domain.ID{s.board, second, third, aside} {
		s.boss.get(s.path + "/boards/" + string(from)).want(200).into(&v)
		var kin []domain.ID
		for _, k := range v.Versions {
			kin = append(kin, k.Board)
		}
		if fmt.Sprint(kin) != fmt.Sprint([]domain.ID{aside, third, second, s.board}) {
			t.Fatalf("the family of %s: %+v", from, v.Versions)
		}
	}

	var f filmView
	s.boss.get(s.path + "/films/" + string(s.film)).want(200).into(&f)
	if f.Title != "first" || f.MadeFrom == nil || len(f.MadeFrom.Panels) != 2 || f.Materials[s.long].Title != "tower" {
		t.Fatalf("%+v", f)
	}
	if len(f.Feedback) != 1 || f.Feedback[0].Object.From != 1.5 || f.Feedback[0].Object.To != 3 {
		t.Fatalf("reactions: %+v", f.Feedback)
	}
	if len(f.Versions) != 2 || f.Versions[0].Film.Film != late || f.Versions[0].Title != "third" || f.Versions[1].Film.Film != s.film {
		t.Fatalf("versions: %+v", f.Versions)
	}
	var boards boardsView
	s.boss.get(s.path + "/boards").want(200).into(&boards)
	if len(boards.Boards) != 5 || boards.Materials[s.long].Title != "tower" {
		t.Fatalf("%+v", boards)
	}
	var films filmsView
	s.boss.get(s.path + "/films").want(200).into(&films)
	if len(films.Films) != 2 || films.Boards[third].Base != second || films.Boards[second].Base != s.board || films.Boards[s.board].Title != "first" {
		t.Fatalf("%+v", films)
	}
	s.boss.del(s.path + "/feedback/" + string(f.Feedback[0].Feedback)).want(200)
	s.settle()
	s.boss.get(s.path + "/films/" + string(s.film)).want(200).into(&f)
	if len(f.Feedback) != 0 {
		t.Fatalf("taken back, still there: %+v", f.Feedback)
	}
}

// A person's edit replaces the panels, once, and not over another's edit.
func TestEditBoard(t *testing.T) {
	t.Parallel()
	s := openStudio(t)
	at := s.path + "/boards/" + string(s.board)
	panels := func(p ...body) []body {
		for i := range p {
			p[i]["number"] = i + 1
			if p[i]["caption"] == nil {
				p[i]["caption"] = ""
			}
		}
		return p
	}
	var v boardView
	s.boss.get(at).want(200).into(&v)
	s.react(body{"type": "board", "id": s.board}, "不错") // moves rev, and is no edit
	s.settle()
	edit := body{"rev": v.Rev, "title": "改过的", "panels": panels(body{"seconds": 4, "material": s.long, "from": 5, "to": 9}, body{"caption": "字卡", "seconds": 1.5})}
	var d done
	s.boss.put(at, edit).want(200).into(&d)
	s.boss.get(fmt.Sprintf("%s?min_seq=%d", at, d.Seq)).want(200).into(&v)
	if v.Title != "改过的" || len(v.Panels) != 2 || v.Panels[0].From != 5 || v.EditedBy != domain.User(s.boss.id) || v.Rev != d.Seq {
		t.Fatalf("%+v", v)
	}
	s.boss.put(at, edit).want(200).into(&d) // said again: nothing changes
	s.settle()
	if s.boss.get(at).want(200).into(&v); v.Rev != d.Seq {
		t.Fatalf("said again it made another edit: %d, %d", v.Rev, d.Seq)
	}
	other := body{"rev": v.Rev - 1, "title": "another", "panels": panels(body{"seconds": 1})}
	if p := s.boss.put(at, other).problem(409, "board_moved"); p.Details["by_name"] != "boss" || p.Details["rev"] != float64(v.Rev) {
		t.Fatalf("%+v", p)
	}

	s.react(body{"type": "board", "id": s.board}, "更好")
	s.settle()
	seen := body{"rev": v.Rev, "edited_at": v.EditedAt, "title": "再改", "panels": panels(body{"seconds": 1})}
	s.boss.put(at, seen).want(200)
	s.settle()
	s.boss.put(at, body{"rev": v.Rev, "edited_at": v.EditedAt, "title": "晚了", "panels": panels(body{"seconds": 1})}).problem(409, "board_moved")

	elsewhere, else2 := s.boss.agent("another")
	foreign := s.material(s.bench.key(else2.Agent), else2.Run, s.start(s.bench.key(else2.Agent), else2.Run), "zombie", library.Media{})
	s.settle()
	for reason, in := range map[string][]body{
		"foreign_object": {{"seconds": 1, "material": foreign}},
		"board_cut":      {{"seconds": 1, "material": s.long, "from": 8, "to": 12}},
		"board_length":   {{"seconds": 6}, {"seconds": 6}},
	} {
		s.boss.put(at, body{"title": "x", "panels": panels(in...)}).problem(422, reason)
	}
	s.boss.put(at, body{"title": "x", "panels": []body{}}).problem(400, "library_panels")
	s.boss.put(at, body{"title": "x", "panels": panels(body{"seconds": -1})}).problem(400, "library_panels")
	s.boss.put(at, body{"title": "x", "panels": []body{{"number": 7, "caption": "", "seconds": 1}}}).problem(400, "library_panels")
	s.boss.put(elsewhere+"/boards/"+string(s.board), edit).problem(404, "")
	ann := s.person("ann")
	s.boss.put(s.path+"/members/"+string(ann.id), body{"role": "viewer"}).want(200)
	ann.get(at).want(200)
	ann.put(at, edit).problem(403, "role")
}

// The pages' buttons ask for every kind of run without a card.
func TestEveryKindOfRunByHand(t *testing.T) {
	t.Parallel()
	s := openStudio(t)
	for work, in := range map[run.Work]body{
		run.Search:  {"source": "hot", "what": "深搜"},
		run.Board:   {"what": "做一版方案", "cites": []body{{"type": "material", "id": s.long}}, "board": s.board},
		run.Film:    {"board": s.board},
		run.Analyze: {"cites": []body{{"type": "material", "id": s.card}}},
	} {
		in["work"] = work
		var a asked
		s.boss.post(s.path+"/runs", in).want(200).into(&a)
		var d struct {
			Work    run.Work
			Trigger run.Trigger
			Request run.Request
		}
		s.boss.get(fmt.Sprintf("%s/runs/%s?min_seq=%d", s.path, a.Run, a.Seq)).want(200).into(&d)
		if d.Work != work || d.Trigger != run.Hand || work == run.Film && d.Request.Board != s.board {
			t.Fatalf("%s: %+v", work, d)
		}
	}
	s.boss.post(s.path+"/runs", body{"work": "film"}).problem(400, "run_request")
}
