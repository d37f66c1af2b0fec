package sourcetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// TikHub is a contract server of api.tikhub.io: the three searches, the three
// details, and the files they lead to.
type TikHub struct {
	Desk
	media
	URL string

	videos map[string][]Video // by platform
	mux    *http.ServeMux
	cats   int
}

// pageSize is how many entries each platform answers with.
const (
	tiktokPage    = 20
	instagramPage = 12
	douyinPage    = 10
)

// NewTikHub starts a server that has these videos by platform ("tiktok",
// "instagram", "douyin"), and stops it with the test.
func NewTikHub(t testing.TB, videos map[string][]Video, clips ...[]byte) *TikHub {
	t.Helper()
	s := MakeTikHub("key-of-tikhub", videos, clips...)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// MakeTikHub is NewTikHub without a server: whoever serves it sets URL.
func MakeTikHub(key string, videos map[string][]Video, clips ...[]byte) *TikHub {
	s := &TikHub{Desk: Desk{Key: key}, videos: videos, media: media{clips: clips}, mux: http.NewServeMux()}
	s.mux.HandleFunc("GET /api/v1/tiktok/app/v3/fetch_video_search_result", s.tiktok)
	s.mux.HandleFunc("GET /api/v1/instagram/v2/search_reels", s.instagram)
	s.mux.HandleFunc("POST /api/v1/douyin/search/fetch_video_search_v2", s.douyin)
	s.mux.HandleFunc("GET /api/v1/tiktok/app/v3/fetch_one_video", s.detail("tiktok", "aweme_id"))
	s.mux.HandleFunc("GET /api/v1/douyin/app/v3/fetch_one_video_v2", s.detail("douyin", "aweme_id"))
	s.mux.HandleFunc("GET /api/v1/instagram/v2/fetch_post_info", s.detail("instagram", "code_or_url"))
	s.mux.HandleFunc("GET /media/{id}/{file}", func(w http.ResponseWriter, r *http.Request) {
		for _, list := range s.videos {
			for i, v := range list {
				if v.ID == r.PathValue("id") {
					s.media.serve(w, r, v, i)
					return
				}
			}
		}
		http.NotFound(w, r)
	})
	return s
}

func (s *TikHub) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Cats is how often an empty keyword was sent and, as documented, charged.
func (s *TikHub) Cats() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cats
}

// begin admits a search and answers what is answered alike on every platform.
func (s *TikHub) begin(w http.ResponseWriter, r *http.Request, keyword string) (Odd, bool) {
	odd, ok := s.admit(w, r)
	if !ok {
		return "", false
	}
	s.charge()
	if strings.TrimSpace(keyword) == "" {
		s.mu.Lock()
		s.cats++
		s.mu.Unlock()
	}
	switch odd {
	case Garbage:
		_, _ = w.Write([]byte("<html>gateway</html>"))
		return "", false
	case Cut:
		cut()
	case Inner:
		s.envelope(w, "", object{"status_code": 2483, "status_msg": "login required"})
		return "", false
	}
	return odd, true
}

// envelope is the vendor's frame of every good answer.
func (s *TikHub) envelope(w http.ResponseWriter, odd Odd, data any) {
	if odd == Wrapped {
		data = object{"data": data, "status_code": "0"}
	}
	reply(w, http.StatusOK, object{
		"code": 200, "request_id": fmt.Sprintf("demo-%d", s.Calls()), "message": "Request successful. This request will incur a charge.",
		"cache_url": nil, "router": "/", "params": object{}, "time_stamp": 1767225600, "data": data,
	})
}

func (s *TikHub) tiktok(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	offset, err := strconv.Atoi(q.Get("offset"))
	if err != nil || q.Get("region") == "" || !q.Has("keyword") {
		problem(w, http.StatusUnprocessableEntity, "query parameters")
		return
	}
	odd, ok := s.begin(w, r, q.Get("keyword"))
	if !ok {
		return
	}
	items, more := s.slice("tiktok", q.Get("keyword"), offset, tiktokPage, odd)
	list := []object{}
	for _, v := range items {
		list = append(list, object{"type": 1, "aweme_info": s.aweme("tiktok", v)})
	}
	next := offset + tiktokPage
	if odd == Still {
		next = offset
	}
	var flag any = boolInt(more)
	if odd == Wrapped {
		flag = strconv.FormatBool(more)
	}
	s.envelope(w, odd, object{"has_more": flag, "cursor": next, "aweme_list": []any{}, "search_item_list": list})
}

func (s *TikHub) instagram(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if !q.Has("keyword") {
		problem(w, http.StatusUnprocessableEntity, "keyword")
		return
	}
	offset := 0
	if token := q.Get("pagination_token"); token != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(token, "token-"))
		if err != nil {
			problem(w, http.StatusBadRequest, "pagination_token")
			return
		}
		offset = n
	}
	odd, ok := s.begin(w, r, q.Get("keyword"))
	if !ok {
		return
	}
	items, more := s.slice("instagram", q.Get("keyword"), offset, instagramPage, odd)
	list := []object{}
	for _, v := range items {
		list = append(list, s.reel(v))
	}
	data := object{"data": object{"items": list, "count": len(list)}}
	if odd == Wrapped { // what the vendor's text says instead
		data = object{"items": list}
	}
	switch {
	case odd == Still && q.Get("pagination_token") != "":
		data["pagination_token"] = q.Get("pagination_token")
	case more:
		data["pagination_token"] = fmt.Sprintf("token-%d", offset+instagramPage)
	}
	s.envelope(w, "", data)
}

func (s *TikHub) douyin(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Keyword  *string `json:"keyword"`
		Cursor   int     `json:"cursor"`
		Sort     string  `json:"sort_type"` // a number is refused
		SearchID string  `json:"search_id"`
	}
	if json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&body) != nil {
		problem(w, http.StatusUnprocessableEntity, "body")
		return
	}
	keyword := ""
	if body.Keyword != nil {
		keyword = *body.Keyword
	}
	odd, ok := s.begin(w, r, keyword)
	if !ok {
		return
	}
	if body.Cursor > 0 && body.SearchID != "sid-"+keyword {
		s.envelope(w, "", object{"status_code": 5, "status_msg": "search id"})
		return
	}
	items, more := s.slice("douyin", keyword, body.Cursor, douyinPage, odd)
	list := []object{{"type": 999, "data": object{"card": "related searches"}}}
	if odd == Empty {
		list = nil
	}
	for _, v := range items {
		list = append(list, object{"type": 1, "data": object{"aweme_info": s.aweme("douyin", v)}})
	}
	next := body.Cursor + douyinPage
	if odd == Still {
		next = body.Cursor
	}
	var flag, kind any = boolInt(more), next
	if odd == Wrapped {
		flag, kind = more, strconv.Itoa(next)
	}
	s.envelope(w, odd, object{"status_code": 0, "business_data": list, "business_config": object{
		"has_more": flag, "next_page": object{"cursor": kind, "search_id": "sid-" + keyword}, "backtrace": "bt",
	}})
}

func (s *TikHub) detail(platform, param string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, ok := s.admit(w, r); !ok {
			return
		}
		for _, v := range s.videos[platform] {
			if id := r.URL.Query().Get(param); id == v.ID || platform == "instagram" && id == code(v) {
				s.charge()
				if platform == "instagram" {
					s.envelope(w, "", s.reel(v))
				} else {
					s.envelope(w, "", object{"aweme_detail": s.aweme(platform, v)})
				}
				return
			}
		}
		problem(w, http.StatusNotFound, "gone")
	}
}

// slice is a page of what matches. Pages overlap by one, as results drift.
func (s *TikHub) slice(platform, keyword string, offset, size int, odd Odd) ([]Video, bool) {
	all := matching(s.videos[platform], keyword)
	if odd == Empty {
		return nil, false
	}
	if odd == Loop {
		return all[:min(size, len(all))], true
	}
	from := min(max(offset-1, 0), len(all))
	return all[from:min(offset+size, len(all))], offset+size < len(all)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
