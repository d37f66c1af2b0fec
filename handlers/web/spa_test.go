package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"testing"
)

// The front end's files go out packed to whoever takes them so, with a tag of
// their own, and as they are to everybody else.
func TestFrontEndIsPacked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	get := func(accepts, tag string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/assets/app-1a2b3c.js", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", accepts)
		if tag != "" {
			req.Header.Set("If-None-Match", tag)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		var body io.Reader = resp.Body
		if resp.Header.Get("Content-Encoding") == "gzip" {
			if body, err = gzip.NewReader(resp.Body); err != nil {
				t.Fatal(err)
			}
		}
		text, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(text)
	}
	plain, whole := get("br", "")
	for accepts, packed := range map[string]bool{"gzip": true, "br, GZIP;q=0.5": true, "gzip;q=0": false, "identity": false} {
		resp, text := get(accepts, "")
		if got := resp.Header.Get("Content-Encoding") == "gzip"; got != packed || text != whole || resp.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: packed %v, want %v; %q", accepts, got, packed, text)
		}
		if tag := resp.Header.Get("Etag"); (tag == plain.Header.Get("Etag")) == packed {
			t.Errorf("%q: tag %s, plain %s", accepts, tag, plain.Header.Get("Etag"))
		}
		again, _ := get(accepts, resp.Header.Get("Etag"))
		if again.StatusCode != http.StatusNotModified || again.Header.Get("Content-Encoding") != "" {
			t.Errorf("%q again: %d %v", accepts, again.StatusCode, again.Header)
		}
	}
}
