package sourcetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Tasks is a contract server that takes work and is asked for it later: the
// competitor bridge or the hot engine. A task is finished after Polls answers
// that say it is not; Fails makes it fail instead.
type Tasks struct {
	Desk
	media
	URL   string
	Polls int
	Fails string // reason
	Wait  float64

	path, id string
	videos   []Video
	mux      *http.ServeMux

	tasks sync.Mutex // guards what follows
	byKey map[string]string
	asked map[string]int
	order map[string]string // task → query
}

// NewBridge starts a competitor bridge and stops it with the test.
func NewBridge(t testing.TB, videos []Video, clips ...[]byte) *Tasks {
	t.Helper()
	return start(t, MakeBridge("key-of-bridge", videos, clips...))
}

// NewHot starts a hot engine and stops it with the test.
func NewHot(t testing.TB, videos []Video, clips ...[]byte) *Tasks {
	t.Helper()
	return start(t, MakeHot("key-of-hot", videos, clips...))
}

func start(t testing.TB, s *Tasks) *Tasks {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// MakeBridge is NewBridge without a server: whoever serves it sets URL.
func MakeBridge(key string, videos []Video, clips ...[]byte) *Tasks {
	return makeTasks(key, "tasks", "task_id", videos, clips)
}

// MakeHot is NewHot without a server: whoever serves it sets URL.
func MakeHot(key string, videos []Video, clips ...[]byte) *Tasks {
	return makeTasks(key, "searches", "search_id", videos, clips)
}

func makeTasks(key, path, id string, videos []Video, clips [][]byte) *Tasks {
	s := &Tasks{
		Desk: Desk{Key: key}, media: media{clips: clips}, Polls: 2, Wait: 0.1, path: path, id: id, videos: videos,
		mux: http.NewServeMux(), byKey: map[string]string{}, asked: map[string]int{}, order: map[string]string{},
	}
	s.mux.HandleFunc("POST /"+path, s.submit)
	s.mux.HandleFunc("GET /"+path+"/{task}", s.check)
	s.mux.HandleFunc("GET /media/{id}/{file}", func(w http.ResponseWriter, r *http.Request) {
		for i, v := range s.videos {
			if v.ID == r.PathValue("id") {
				s.media.serve(w, r, v, i)
				return
			}
		}
		http.NotFound(w, r)
	})
	return s
}

func (s *Tasks) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// submit makes one task a key, charged once.
func (s *Tasks) submit(w http.ResponseWriter, r *http.Request) {
	odd, ok := s.admit(w, r)
	if !ok {
		return
	}
	var body struct{ Query, What, Search string }
	key := r.Header.Get("Idempotency-Key")
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&body)
	if err != nil || key == "" || body.Query+body.What+body.Search == "" {
		problem(w, http.StatusUnprocessableEntity, "an Idempotency-Key and a query are needed")
		return
	}
	s.tasks.Lock()
	task, known := s.byKey[key]
	if !known {
		task = fmt.Sprintf("%s-%d", s.path, len(s.byKey)+1)
		s.byKey[key], s.order[task] = task, body.Query+" "+body.What+" "+body.Search
		s.charge()
	}
	s.tasks.Unlock()
	switch odd {
	case Cut:
		cut()
	case Garbage:
		_, _ = w.Write([]byte("<html>"))
	default:
		reply(w, http.StatusAccepted, object{s.id: task})
	}
}

func (s *Tasks) check(w http.ResponseWriter, r *http.Request) {
	odd, ok := s.admit(w, r)
	if !ok {
		return
	}
	task := r.PathValue("task")
	s.tasks.Lock()
	query, known := s.order[task]
	s.asked[task]++
	asked := s.asked[task]
	s.tasks.Unlock()
	switch {
	case !known:
		problem(w, http.StatusNotFound, "no such task")
	case odd == Cut:
		cut()
	case odd == Garbage:
		_, _ = w.Write([]byte("<html>"))
	case s.Polls < 0 || asked <= s.Polls:
		reply(w, http.StatusOK, object{
			"state": "running", "retry_after_s": s.Wait, "progress": object{"done": asked, "total": s.Polls + 1},
		})
	case s.Fails != "":
		reply(w, http.StatusOK, object{"state": "failed", "reason": s.Fails})
	default:
		items := []object{}
		for i, v := range matching(s.videos, query) {
			if odd != Empty {
				items = append(items, s.item(i, v))
			}
		}
		reply(w, http.StatusOK, object{
			"state": "succeeded", "items": items, "summary": fmt.Sprintf("%d found", len(items)),
			"progress": object{"done": s.Polls + 1, "total": s.Polls + 1},
		})
	}
}

func (s *Tasks) item(i int, v Video) object {
	item := object{
		"id": v.ID, "title": v.Title, "author": v.Author, "platform": "tiktok", "tags": v.Tags,
		"url": "https://ads.example.com/" + v.ID, "published_at": "2026-01-01T00:00:00Z",
		"seconds": v.Seconds, "width": 576, "height": 1024,
		"counts": object{"plays": v.Plays, "likes": v.Likes, "shares": 1, "comments": nil},
	}
	if address := s.media.address(s.URL, i, v); address != "" {
		item["video_url"] = address
	}
	if v.Analysis != nil {
		item["analysis"] = v.Analysis
	}
	return item
}
