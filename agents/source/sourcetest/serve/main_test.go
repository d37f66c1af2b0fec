package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sozai/agents/source/sourcetest"
)

func TestServePrintsWhereItIs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-clips", "1", "-seconds", "1", "-fault", "tikhub:503:1"}, w, io.Discard)
		_ = w.Close()
	}()
	text, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("%v, %v", err, <-ended)
	}
	var line addresses
	if err := json.Unmarshal([]byte(text), &line); err != nil || len(line.MediaHosts) != 3 {
		t.Fatalf("%s: %v", text, err)
	}
	client := &http.Client{Timeout: 10 * time.Second}
	var body string
	for _, want := range []int{http.StatusServiceUnavailable, http.StatusOK} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, line.TikHub.URL+"/api/v1/tiktok/app/v3/fetch_video_search_result?keyword=zombie&offset=0&count=20&region=US", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+line.TikHub.Key)
		var status int
		if status, body = get(t, client, req); status != want {
			t.Fatalf("%d: %s", status, body)
		}
	}
	_, file, _ := strings.Cut(body, line.TikHub.URL+"/media/1")
	file, _, _ = strings.Cut(file, `"`)
	for _, address := range []string{line.TikHub.URL + "/media/1" + file, line.TikHub.URL + "/counts"} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		var status int
		if status, body = get(t, client, req); status != http.StatusOK {
			t.Fatalf("%s: %d", address, status)
		}
	}
	var counts map[string]int
	if err := json.Unmarshal([]byte(body), &counts); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"calls": 2, "charges": 1, "fetches": 1}, counts); diff != "" {
		t.Fatal(diff)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, c *http.Client, r *http.Request) (int, string) {
	t.Helper()
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestFaultsAreReadOrRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]sourcetest.Fault{
		"tikhub:429/30:2":  {Status: 429, RetryAfter: "30", Times: 2},
		"competitor:cut:1": {Odd: sourcetest.Cut, Times: 1},
		"hot:empty":        {Odd: sourcetest.Empty},
	} {
		service, got, err := parseFault(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil || !strings.HasPrefix(text, service) {
			t.Fatalf("%s: %v\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"", "tikhub", "other:429", "tikhub:200", "tikhub:nonsense", "tikhub:429:0", "tikhub:429:1:1"} {
		if _, _, err := parseFault(text); err == nil {
			t.Fatalf("%q is accepted", text)
		}
	}
}
