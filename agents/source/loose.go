package source

import (
	"bytes"
	"encoding/json"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"sozai/domain"
)

// node is a value of a service's JSON, of which nothing is certain: any field
// may be missing, null, or of another type than last week.
type node struct{ v any }

// loose decodes text; the zero node if it is none.
func loose(text json.RawMessage) node {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // ids are longer than a float holds
	var n node
	if d.Decode(&n.v) != nil {
		return node{}
	}
	return n
}

// at follows a path of object fields.
func (n node) at(path ...string) node {
	for _, field := range path {
		object, _ := n.v.(map[string]any)
		n = node{object[field]}
	}
	return n
}

// list is the elements of an array, at most limit of them.
func (n node) list(limit int) []node {
	array, _ := n.v.([]any)
	array = array[:min(len(array), limit)]
	out := make([]node, len(array))
	for i, v := range array {
		out[i] = node{v}
	}
	return out
}

// text is a string, or a number as it was written.
func (n node) text() string {
	switch v := n.v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// number is a finite number, also one written as a string; 0 if it is none.
func (n node) number() float64 {
	if n.v == true {
		return 1
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(n.text()), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// count is a number that can be a count; 0 means unknown.
func (n node) count() int64 { return int64(min(max(n.number(), 0), 1e15)) }

// yes reads a flag that is a bool, a number or a string.
func (n node) yes() bool {
	if s, ok := n.v.(string); ok && strings.EqualFold(strings.TrimSpace(s), "true") {
		return true
	}
	return n.number() != 0
}

func (n node) missing() bool { return n.v == nil }

// unix is a moment in seconds since 1970; the zero time if it cannot be one.
func (n node) unix() time.Time {
	s := n.number()
	if s > 1e11 {
		s /= 1000 // milliseconds
	}
	if s < 1 || s > 7e9 {
		return time.Time{}
	}
	return time.Unix(int64(s), 0).UTC()
}

// firstText is the first of them that says something.
func firstText(nodes ...node) string {
	for _, n := range nodes {
		if t := strings.TrimSpace(n.text()); t != "" {
			return t
		}
	}
	return ""
}

// firstList is the first of them that has elements.
func firstList(limit int, nodes ...node) []node {
	for _, n := range nodes {
		if l := n.list(limit); len(l) > 0 {
			return l
		}
	}
	return nil
}

// Limits of a candidate's words, in characters.
const (
	maxTitle  = 500
	maxAuthor = 100
	maxTag    = 100
	maxTags   = 20
	maxURL    = 2_000
)

// line is quoted text on one line: clean, without controls and without marks that
// turn the writing direction, at most limit characters.
func line(text string, limit int) string {
	if len(text) > 16*limit { // before it is looked at letter by letter
		text = text[:16*limit]
	}
	words := strings.FieldsFunc(domain.Clip(text, 16*limit), func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r)
	})
	text = strings.Map(func(r rune) rune {
		if r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0xFEFF {
			return -1
		}
		return r
	}, strings.Join(words, " "))
	return domain.Clip(text, limit)
}

// tags are words without their #, each once.
func tags(words []string) []string {
	var out []string
	for _, w := range words {
		w = line(strings.TrimLeft(strings.TrimSpace(w), "#＃"), maxTag)
		if w != "" && len(out) < maxTags && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

var plainID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`)

// external is the id of a video at a platform; "" if it has none that is safe to
// use as a key.
func external(platform, id string) string {
	if !plainID.MatchString(id) {
		return ""
	}
	return platform + ":" + id
}

// webLink is address if it leads to the web, to one of the hosts if any is
// named; "" otherwise.
func webLink(address string, hosts ...string) string {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxURL || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	if len(hosts) > 0 && !slices.ContainsFunc(hosts, func(h string) bool {
		return host == h || strings.HasSuffix(host, "."+h)
	}) {
		return ""
	}
	if link := u.String(); len(link) <= maxURL {
		return link
	}
	return ""
}

// webPlay is the address of a file as it came, which is signed; "" if it does not
// lead to the web.
func webPlay(address string) string {
	if u, err := url.Parse(address); err != nil || len(address) > 4_000 || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return address
}
