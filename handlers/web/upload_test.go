package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"

	"sozai/agents/catalogue"
	"sozai/domain/library"
	"sozai/projections"
)

// form builds a multipart body; a part whose name ends in @ is a file.
func form(t *testing.T, parts ...string) ([]byte, func(*http.Request)) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		name, isFile := strings.CutSuffix(parts[i], "@")
		var p io.Writer
		var err error
		if isFile {
			p, err = w.CreateFormFile(name, "../../etc/"+name+" 视频.mp4")
		} else {
			p, err = w.CreateFormField(name)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(p, parts[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), func(r *http.Request) { r.Header.Set("Content-Type", w.FormDataContentType()) }
}

func (c *client) upload(path string, parts ...string) *answered {
	c.t.Helper()
	data, edit := form(c.t, parts...)
	return c.do("POST", path, data, edit)
}

// stream sends the same without saying how long it is.
func (c *client) stream(path string, parts ...string) *answered {
	c.t.Helper()
	data, edit := form(c.t, parts...)
	return c.do("POST", path, io.MultiReader(bytes.NewReader(data)), edit)
}

func readAll(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestImportAndMedia(t *testing.T) {
	t.Parallel()
	b := setup(t)
	video := readAll(t, clip(t, "red"))
	items := "/api/catalogue/items?product=demo"
	entry := `{"id":"x1","title":"末日塔防 red tower","author":"ann","tags":["塔防"]}`
	var r catalogue.Result
	b.boss.stream(items, "entry", entry, "file@", video).want(200).into(&r)
	hash := r.Entry.Media.Hash
	if r.Outcome != catalogue.Added || len(hash) != 64 || r.Entry.Media.Type != "video/mp4" {
		t.Fatalf("%+v", r)
	}
	b.boss.upload(items, "entry", entry, "file@", video).want(200).into(&r)
	if r.Outcome != catalogue.Duplicate {
		t.Fatalf("%+v", r)
	}
	b.boss.upload(items, "entry", `{"id":"x2","title":"no media"}`).want(200).into(&r)
	b.boss.upload(items, "entry", `{"id":"x3","title":"broken"}`, "file@", "this is no video").problem(422, "")
	b.boss.upload(items, "entry", `{"title":"a\u0000b"}`).problem(400, "")
	b.boss.upload(items, "entry", `{`).problem(400, "")
	b.boss.upload(items, "file@", video).problem(400, "")
	b.boss.upload(items, "entry", entry, "other", "x").problem(400, "")
	b.boss.post(items, body{"title": "not multipart"}).problem(400, "")
	b.boss.do("POST", items, []byte("--x\r\nbroken"), func(r *http.Request) {
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	}).problem(400, "upload_broken")
	b.boss.do("HEAD", "/api/catalogue/media/"+hash+"?product=demo", nil).want(200)
	b.boss.do("HEAD", "/api/catalogue/media/"+strings.Repeat("0", 64)+"?product=demo", nil).want(404)
	for _, q := range []string{"塔防", "tower"} {
		var hits catalogue.Hits
		b.boss.get("/api/catalogue?product=demo&q=" + q).want(200).into(&hits)
		if hits.Total != 1 || hits.Entries[0].Title != "末日塔防 red tower" {
			t.Fatalf("%s: %+v", q, hits)
		}
	}

	media := "/api/media/" + hash
	a := b.boss.get(media).want(200)
	if string(a.body) != video || a.header.Get("Content-Type") != "video/mp4" || a.header.Get("Accept-Ranges") != "bytes" {
		t.Fatalf("%d bytes, %v", len(a.body), a.header)
	}
	part := b.boss.do("GET", media, nil, func(r *http.Request) { r.Header.Set("Range", "bytes=10-19") }).want(206)
	if string(part.body) != video[10:20] {
		t.Fatalf("%q", part.body)
	}
	if head := b.boss.do("HEAD", media, nil).want(200); head.header.Get("Content-Length") != fmt.Sprint(len(video)) {
		t.Fatal(head.header)
	}
	if ct := b.boss.get(media + ".poster").want(200).header.Get("Content-Type"); ct != "image/jpeg" {
		t.Fatal(ct)
	}
	if ct := b.boss.get(media + ".preview").want(200).header.Get("Content-Type"); !strings.HasPrefix(ct, "video/") {
		t.Fatal(ct)
	}
	if cd := b.boss.get(media + "?download=true").want(200).header.Get("Content-Disposition"); !hasAll(cd, "attachment", ".mp4") {
		t.Fatal(cd)
	}
	for _, bad := range []string{media + ".exe", media[:20], "/api/media/..%2f..%2fetc%2fpasswd", "/api/media/" + strings.ToUpper(hash)} {
		b.boss.get(bad).problem(404, "")
	}
	// A product's catalogue is seen by its members; a material by its room.
	b.person("colleague").get(media).want(200)
	outsider := b.personOf("outsider", "elsewhere")
	outsider.get(media).problem(404, "")
	b.client().get(media).problem(401, "signed_out")
	path, created := b.boss.agent("room")
	attempt := b.start(b.key(created.Agent), created.Run)
	b.material(b.key(created.Agent), created.Run, attempt, "tower", library.Media{Hash: hash, Type: "video/mp4", Bytes: int64(len(video)), Seconds: 1, Width: 180, Height: 320})
	b.settle()
	outsider.get(media).problem(404, "")
	b.boss.put(path+"/members/"+string(outsider.id), body{"role": "viewer"}).want(200)
	outsider.get(media).want(200)
}

func TestUploadAsset(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, _ := b.boss.agent("room")
	video := readAll(t, clip(t, "blue"))
	key := newKey()
	var u, again uploaded
	b.boss.with(key).upload(path+"/assets", "title", "我的片子", "file@", video).want(200).into(&u)
	if !u.Analyzed || len(u.Media.Hash) != 64 {
		t.Fatalf("%+v", u)
	}
	b.settle()
	b.boss.with(key).upload(path+"/assets", "title", "我的片子", "file@", video).want(200).into(&again)
	if again.Asset != u.Asset {
		t.Fatalf("%+v, then %+v", u, again)
	}
	b.boss.with(key).upload(path+"/assets", "file@", readAll(t, clip(t, "green"))).problem(409, "key_reused")
	b.boss.upload(path+"/assets", "title", "x").problem(400, "missing")
	b.boss.upload(path+"/assets", "file@", "no video").problem(422, "")
	b.boss.upload(path+"/assets", "file@", "").problem(422, "")
	b.settle()
	var list assetsView
	b.boss.get(path + "/assets").want(200).into(&list)
	if len(list.Assets) != 1 || list.Assets[0].Title != "我的片子" || list.Assets[0].Analysis == nil || strings.Contains(list.Assets[0].File, "/") {
		t.Fatalf("%+v", list)
	}
	b.boss.get("/api/media/" + u.Media.Hash).want(200)
	b.boss.post(path+"/messages", body{"text": "use this", "refs": []body{{"type": "asset", "id": u.Asset}}}).want(200)
	b.settle()
	found := false
	for _, r := range b.boss.rows(path, u.Seq).Rows {
		found = found || r.Type == projections.RowAssetUploaded
	}
	if !found {
		t.Fatal("the upload is no part of the room")
	}
}

func TestUploadLimits(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *Deps) { d.MaxUpload = 1 << 20 })
	items := "/api/catalogue/items?product=demo"
	path, _ := b.boss.agent("room")
	big := strings.Repeat("x", 3<<20)
	for _, send := range []func(string, ...string) *answered{b.boss.upload, b.boss.stream} {
		for _, p := range []*answered{
			send(items, "entry", `{"title":"big"}`, "file@", big),
			send(items, "entry", strings.Repeat(" ", fieldLimit+1)),
			send(path+"/assets", "file@", big),
			send(path+"/assets", "title", strings.Repeat("x", fieldLimit+1)),
		} {
			if p := p.problem(413, ""); p.Code != "too_large" {
				t.Fatalf("%+v", p)
			}
		}
		// Refused before a byte of it was read; the answer arrives all the same.
		nobody := b.client()
		data, edit := form(t, "entry", `{}`, "file@", big)
		nobody.do("POST", items, data, edit).problem(401, "signed_out")
		nobody.do("POST", items, io.MultiReader(bytes.NewReader(data)), edit).problem(401, "signed_out")
	}
	b.boss.get("/api/session").want(200)
	// A chunked JSON body works, and one that is too large is refused.
	var said said
	in, err := json.Marshal(body{"text": "chunked"})
	if err != nil {
		t.Fatal(err)
	}
	b.boss.do("POST", path+"/messages", io.MultiReader(bytes.NewReader(in))).want(200).into(&said)
	b.boss.do("POST", path+"/messages", io.MultiReader(strings.NewReader(`{"text":"`+big+`"}`))).problem(413, "")
}
