package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// answering is a service that answers every GET with the right key.
func answering(t *testing.T, key string, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// looked is what doctor finds with these settings, by name.
func looked(t *testing.T, probe bool, c outsideConfig) map[string]check {
	t.Helper()
	if c.TikHubPlatforms == nil {
		c.TikHubPlatforms = []string{"tiktok"}
	}
	d := &checkup{doctorCommand: &doctorCommand{Outside: c, Probe: probe}, ctx: t.Context(), now: time.Now()}
	d.outside()
	found := map[string]check{}
	for _, one := range d.done {
		found[one.Name] = one
		for _, shown := range []string{one.Says, one.Do} {
			if strings.Contains(shown, "s3cret") {
				t.Errorf("%s shows a key: %s", one.Name, shown)
			}
		}
	}
	return found
}

func TestDoctorAsksTheServices(t *testing.T) {
	t.Parallel()
	if c := looked(t, true, outsideConfig{})["outside"]; c.Status != checkOK {
		t.Errorf("nothing configured: %+v", c)
	}
	if c := looked(t, true, outsideConfig{HotURL: "https://h.example.org"})["outside"]; c.Status != checkFail || !strings.Contains(c.Says, "SOZAI_HOT_KEY") {
		t.Errorf("a key is missing: %+v", c)
	}
	if c := looked(t, false, outsideConfig{RenderURL: "http://127.0.0.1:1"})["render"]; c.Status != checkOK || !strings.Contains(c.Says, "not asked") {
		t.Errorf("not to be asked: %+v", c)
	}
	rich := `{"code":200,"api_key_data":{"api_key_status":1},"user_data":{"balance":3.5,"free_credit":0.25,"account_disabled":false}}`
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, c := range map[string]struct {
		config outsideConfig
		row    string
		status string
		says   string
	}{
		"rich":     {outsideConfig{TikHubKey: "s3cret", TikHubURL: answering(t, "s3cret", 200, rich)}, "tikhub", checkOK, "3.75 USD"},
		"poor":     {outsideConfig{TikHubKey: "s3cret", TikHubURL: answering(t, "s3cret", 200, `{"user_data":{"balance":0}}`)}, "tikhub", checkFail, "empty"},
		"disabled": {outsideConfig{TikHubKey: "s3cret", TikHubURL: answering(t, "s3cret", 200, `{"user_data":{"balance":9,"account_disabled":true}}`)}, "tikhub", checkFail, "disabled"},
		"no money": {outsideConfig{TikHubKey: "s3cret", TikHubURL: answering(t, "s3cret", 402, ``)}, "tikhub", checkFail, "empty"},
		"a page":   {outsideConfig{TikHubKey: "s3cret", TikHubURL: answering(t, "s3cret", 200, `<html>`)}, "tikhub", checkWarn, "not as TikHub"},
		"wrong":    {outsideConfig{TikHubKey: "s3cret", TikHubURL: answering(t, "other", 200, rich)}, "tikhub", checkFail, "refuses the key"},
		"bridge":   {outsideConfig{CompetitorURL: answering(t, "s3cret", 404, ``), CompetitorKey: "s3cret"}, "competitor", checkOK, "takes the key"},
		"busy":     {outsideConfig{HotURL: answering(t, "s3cret", 429, ``), HotKey: "s3cret"}, "hot", checkWarn, "pause"},
		"broken":   {outsideConfig{VideoURL: answering(t, "s3cret", 502, ``), VideoKey: "s3cret"}, "video", checkFail, "502"},
		"gone":     {outsideConfig{RenderURL: gone.URL, RenderKey: "s3cret"}, "render", checkFail, "does not answer"},
		"private":  {outsideConfig{MediaHosts: []string{"10.0.0.1:9"}}, "media", checkWarn, "10.0.0.1:9"},
	} {
		if got := looked(t, true, c.config)[c.row]; got.Status != c.status || !strings.Contains(got.Says, c.says) {
			t.Errorf("%s: %+v, want %s with %q", name, got, c.status, c.says)
		}
	}
}
