package web

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/gofiber/fiber/v2"
)

func TestParseRange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec         string
		from, length int64
		kind         rangeKind
	}{
		{"bytes=0-", 0, 100, rangeOne},
		{"bytes=0-0", 0, 1, rangeOne},
		{"bytes=10-19", 10, 10, rangeOne},
		{"bytes=90-1000", 90, 10, rangeOne},
		{"bytes=-30", 70, 30, rangeOne},
		{"bytes=-1000", 0, 100, rangeOne},
		{"bytes=100-", 0, 0, rangeBeyond},
		{"bytes=-0", 0, 0, rangeBeyond},
		{"bytes=20-10", 0, 0, rangeIgnored},
		{"bytes=0-1,5-6", 0, 0, rangeIgnored},
		{"bytes=", 0, 0, rangeIgnored},
		{"bytes=-", 0, 0, rangeIgnored},
		{"bytes=a-b", 0, 0, rangeIgnored},
		{"bytes=+1-2", 0, 0, rangeIgnored},
		{"bytes=1-+2", 0, 0, rangeIgnored},
		{"bytes=99999999999999999999-", 0, 0, rangeIgnored},
		{"lines=0-1", 0, 0, rangeIgnored},
	} {
		from, length, kind := parseRange(c.spec, 100)
		if kind != c.kind || kind == rangeOne && (from != c.from || length != c.length) {
			t.Errorf("%s: %d+%d %v", c.spec, from, length, kind)
		}
	}
	if _, _, kind := parseRange("bytes=-5", 0); kind != rangeBeyond {
		t.Error("a range of an empty file")
	}
}

func TestSendFile(t *testing.T) {
	t.Parallel()
	data := make([]byte, 300_000)
	for i := range data {
		data[i] = byte(i * 7)
	}
	path := tempFile(t, data)
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	send := func(c *fiber.Ctx) error { return sendFile(c, path, "video/mp4", `"abc"`) }
	app.Get("/", send)
	app.Head("/", send)
	ask := func(method string, header ...string) (*http.Response, []byte) {
		req := must(http.NewRequest(method, "/", nil))
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err := app.Test(req)
		if err != nil {
			t.Fatal(err)
		}
		return res, must(io.ReadAll(res.Body))
	}
	res, got := ask("GET")
	if res.StatusCode != 200 || !bytes.Equal(got, data) || res.Header.Get("Accept-Ranges") != "bytes" ||
		res.Header.Get("Content-Type") != "video/mp4" || res.Header.Get("ETag") != `"abc"` {
		t.Fatalf("%d %v, %d bytes", res.StatusCode, res.Header, len(got))
	}
	res, got = ask("HEAD")
	if res.StatusCode != 200 || len(got) != 0 || res.Header.Get("Content-Length") != strconv.Itoa(len(data)) {
		t.Fatalf("HEAD: %d %v, %d bytes", res.StatusCode, res.Header, len(got))
	}
	for _, c := range []struct {
		header []string
		status int
		want   []byte
		ranged string
	}{
		{[]string{"Range", "bytes=100-199"}, 206, data[100:200], "bytes 100-199/300000"},
		{[]string{"Range", "bytes=-10"}, 206, data[len(data)-10:], "bytes 299990-299999/300000"},
		{[]string{"Range", "bytes=0-"}, 206, data, "bytes 0-299999/300000"},
		{[]string{"Range", "bytes=300000-"}, 416, nil, "bytes */300000"},
		{[]string{"Range", "bytes=0-1,4-5"}, 200, data, ""},
		{[]string{"Range", "bytes=100-199", "If-Range", `"abc"`}, 206, data[100:200], "bytes 100-199/300000"},
		{[]string{"Range", "bytes=100-199", "If-Range", `"old"`}, 200, data, ""},
		{[]string{"If-None-Match", `"x", W/"abc"`}, 304, nil, ""},
		{[]string{"If-None-Match", `"x"`}, 200, data, ""},
	} {
		res, got := ask("GET", c.header...)
		if res.StatusCode != c.status || !bytes.Equal(got, c.want) || res.Header.Get("Content-Range") != c.ranged {
			t.Errorf("%v: %d %v, %d bytes", c.header, res.StatusCode, res.Header, len(got))
		}
	}
}
