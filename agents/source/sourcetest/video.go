package sourcetest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Video is what a contract server has.
type Video struct {
	ID       string
	Title    string
	Author   string
	Tags     []string
	Seconds  float64
	Plays    int64
	Likes    int64
	State    State
	Analysis map[string]any // as the hot engine sends it; nil = none
}

// State says what is wrong with a video.
type State string

// The states; "" is an ordinary one.
const (
	Picture State = "picture" // not a video at all
	Deleted State = "deleted"
	Private State = "private"
	Missing State = "missing" // a video, but its file is not there
	Fake    State = "fake"    // its file is not a video
	NoFile  State = "no_file" // nothing said about a file
)

// Videos are n ordinary videos that all have the words in their title.
func Videos(n int, words string) []Video {
	out := make([]Video, n)
	for i := range out {
		out[i] = Video{
			ID: strconv.Itoa(7_000_000_000_000_000_001 + i), Title: fmt.Sprintf("%s %d", words, i+1),
			Author: fmt.Sprintf("maker%d", i%7), Tags: []string{"tower", "defense"}, Seconds: 14.6,
			Plays: int64(53_000 - i*17), Likes: int64(4_100 - i*3),
		}
	}
	return out
}

// matching are the videos with at least one of the words.
func matching(list []Video, text string) []Video {
	var out []Video
	words := strings.Fields(strings.ToLower(text))
	for _, v := range list {
		all := strings.ToLower(v.Title + " " + strings.Join(v.Tags, " "))
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(all, w) }) {
			out = append(out, v)
		}
	}
	return out
}

// media serves the files under signed addresses that can expire. Each video has
// a file of its own: a clip with its id appended where players do not look.
type media struct {
	clips [][]byte

	lock    sync.Mutex
	since   int // signatures below this have expired
	fetches map[string]int
}

func (m *media) address(base string, i int, v Video) string {
	if v.State == NoFile {
		return ""
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	return fmt.Sprintf("%s/media/%s/%d.mp4?sig=%d", base, v.ID, i, m.since)
}

// Expire makes all addresses given so far lead nowhere.
func (m *media) Expire() {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.since++
}

// Fetches is how often files were asked for.
func (m *media) Fetches() int {
	m.lock.Lock()
	defer m.lock.Unlock()
	n := 0
	for _, c := range m.fetches {
		n += c
	}
	return n
}

func (m *media) serve(w http.ResponseWriter, r *http.Request, v Video, i int) {
	sig, err := strconv.Atoi(r.URL.Query().Get("sig"))
	m.lock.Lock()
	if m.fetches == nil {
		m.fetches = map[string]int{}
	}
	m.fetches[v.ID]++
	expired := err != nil || sig < m.since
	m.lock.Unlock()
	switch {
	case expired:
		problem(w, http.StatusForbidden, "the signature has expired")
	case v.State == Missing || len(m.clips) == 0:
		problem(w, http.StatusNotFound, "no such file")
	case v.State == Fake:
		w.Header().Set("Content-Type", "video/mp4")
		_, _ = w.Write([]byte("<!doctype html><title>sign in</title>"))
	default:
		http.ServeContent(w, r, v.ID+".mp4", time.Time{}, bytes.NewReader(marked(m.clips[i%len(m.clips)], v.ID)))
	}
}

// marked is an mp4 file with a box at its end that no player reads, so that it
// has a hash of its own.
func marked(clip []byte, mark string) []byte {
	out := slices.Clone(clip)
	out = binary.BigEndian.AppendUint32(out, uint32(8+len(mark)))
	return append(append(out, "free"...), mark...)
}
