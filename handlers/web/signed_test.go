package web

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"sozai/agents/catalogue"
	"sozai/domain"
)

// Outside workers get exactly the file whose link they were given, for as long
// as it is good, and nobody else gets anything by a link.
func TestSignedLinks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	links, err := OpenMediaLinks(t.Context(), b.pool, b.url+"/")
	if err != nil {
		t.Fatal(err)
	}
	deps := b.server.deps
	deps.Links, err = OpenMediaLinks(t.Context(), b.pool, "") // another process: it shares the key
	if err != nil {
		t.Fatal(err)
	}
	_, serving := serve(t, deps)
	links.base = serving

	data := readAll(t, clip(t, "blue"))
	var kept, other catalogue.Result
	b.boss.upload("/api/catalogue/items?product=demo", "entry", `{"id":"x1","title":"a"}`, "file@", data).want(200).into(&kept)
	b.boss.upload("/api/catalogue/items?product=demo", "entry", `{"id":"x2","title":"b"}`, "file@", readAll(t, clip(t, "green"))).want(200).into(&other)
	hash := kept.Entry.Media.Hash
	link, err := links.Sign(hash, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	at := *b
	at.url = ""
	worker := &client{b: &at, t: t}
	if got := worker.get(link).want(200); string(got.body) != data {
		t.Fatalf("%d bytes", len(got.body))
	}
	if part := worker.do("GET", link, nil, func(r *http.Request) { r.Header.Set("Range", "bytes=4-7") }).want(206); string(part.body) != data[4:8] {
		t.Fatalf("a part: %q", part.body)
	}
	worker.do("HEAD", link, nil).want(200)

	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(change func(u *url.URL, q url.Values)) string {
		c, q := *u, u.Query()
		change(&c, q)
		c.RawQuery = q.Encode()
		return c.String()
	}
	past := strconv.FormatInt(time.Now().Add(-time.Second).Unix(), 10)
	far := strconv.FormatInt(time.Now().Add(2*MaxLinkLife).Unix(), 10)
	for name, wrong := range map[string]string{
		"another file":      changed(func(u *url.URL, _ url.Values) { u.Path = strings.Replace(u.Path, hash, other.Entry.Media.Hash, 1) }),
		"its picture":       changed(func(u *url.URL, _ url.Values) { u.Path += ".poster" }),
		"longer":            changed(func(_ *url.URL, q url.Values) { q.Set("until", far) }),
		"another signature": changed(func(_ *url.URL, q url.Values) { q.Set("sig", strings.Repeat("A", len(q.Get("sig")))) }),
		"a short one":       changed(func(_ *url.URL, q url.Values) { q.Set("sig", "AA") }),
		"none":              changed(func(_ *url.URL, q url.Values) { q.Set("sig", "!") }),
		"no end":            changed(func(_ *url.URL, q url.Values) { q.Del("until") }),
	} {
		if p := worker.get(wrong).problem(404, ""); p.Detail != errNoMedia.Error() {
			t.Errorf("%s: %+v", name, p)
		}
	}
	worker.get(changed(func(_ *url.URL, q url.Values) { q.Del("sig") })).problem(401, "signed_out")
	b.boss.get(u.RequestURI()).problem(404, "") // this server knows no links

	now := time.Now()
	for name, good := range map[string]bool{
		"over":        links.good(hash, past, encoded(links, hash, past), now),
		"much later":  links.good(hash, far, encoded(links, hash, far), now),
		"no number":   links.good(hash, "x", encoded(links, hash, "x"), now),
		"with a tail": links.good(hash, u.Query().Get("until"), u.Query().Get("sig")+"A", now),
	} {
		if good {
			t.Errorf("%s: good", name)
		}
	}
	for name, err := range map[string]error{
		"too long":  second(links.Sign(hash, 2*MaxLinkLife)),
		"no time":   second(links.Sign(hash, 0)),
		"no hash":   second(links.Sign("../../etc/passwd", time.Minute)),
		"no public": second(deps.Links.Sign(hash, time.Minute)),
	} {
		if code := domain.CodeOf(err); code != domain.Invalid && code != domain.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func encoded(l *MediaLinks, file, until string) string {
	return base64.RawURLEncoding.EncodeToString(l.mac(file, until))
}

func second(_ string, err error) error { return err }
