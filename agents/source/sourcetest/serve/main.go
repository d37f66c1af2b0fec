// Command serve runs the contract servers of the remote sources for the browser
// tests and for trying things out: TikHub, the competitor bridge and the hot
// engine, with videos made by ffmpeg. It prints one line of JSON with addresses
// and keys when they answer, and ends with SIGINT or SIGTERM:
//
//	{"tikhub":{"url":"http://127.0.0.1:…","key":"…"},"competitor":{…},"hot":{…},"media_hosts":["127.0.0.1:…",…]}
//
// GET {url}/counts says what a server was asked, what it charged, and how many
// files it gave. A fault is told with -fault SERVICE:WHAT[:TIMES], where WHAT is
// a status, a status with Retry-After (429/30), or a word of sourcetest.Odd:
//
//	go run ./agents/source/sourcetest/serve -fault tikhub:429/30:1 -fault competitor:cut:2
//
// It may import sourcetest only.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"sozai/agents/source/sourcetest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// place is where a server is, and its key.
type place struct {
	URL string `json:"url"`
	Key string `json:"key"`
}

// addresses is the line that is printed.
type addresses struct {
	TikHub     place    `json:"tikhub"`
	Competitor place    `json:"competitor"`
	Hot        place    `json:"hot"`
	MediaHosts []string `json:"media_hosts"`
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	host := flags.String("host", "127.0.0.1", "address to listen on")
	videos := flags.Int("videos", 30, "videos of each platform")
	clips := flags.Int("clips", 6, "different clips to make")
	seconds := flags.Float64("seconds", 6, "length of a clip")
	polls := flags.Int("polls", 2, "answers before a task is finished")
	wait := flags.Float64("wait", 0.2, "seconds that a task asks to wait")
	faults := map[string][]sourcetest.Fault{}
	flags.Func("fault", "SERVICE:WHAT[:TIMES], may be repeated", func(text string) error {
		service, f, err := parseFault(text)
		faults[service] = append(faults[service], f)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	made, err := sourcetest.Clips(ctx, *clips, *seconds)
	if err != nil {
		return err
	}

	tikhub := sourcetest.MakeTikHub("contract-tikhub", map[string][]sourcetest.Video{
		"tiktok": collection(1, *videos, *seconds), "instagram": collection(2, *videos, *seconds), "douyin": collection(3, *videos, *seconds),
	}, made...)
	competitor := sourcetest.MakeBridge("contract-competitor", collection(4, *videos/2, *seconds), made...)
	hot := sourcetest.MakeHot("contract-hot", analysed(collection(5, *videos/2, *seconds)), made...)
	for _, t := range []*sourcetest.Tasks{competitor, hot} {
		t.Polls, t.Wait = *polls, *wait
	}

	var line addresses
	failed := make(chan error, 3)
	for _, s := range []struct {
		name    string
		handler http.Handler
		desk    *sourcetest.Desk
		fetches func() int
		url     *string
		place   *place
	}{
		{"tikhub", tikhub, &tikhub.Desk, tikhub.Fetches, &tikhub.URL, &line.TikHub},
		{"competitor", competitor, &competitor.Desk, competitor.Fetches, &competitor.URL, &line.Competitor},
		{"hot", hot, &hot.Desk, hot.Fetches, &hot.URL, &line.Hot},
	} {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(*host, "0"))
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		*s.url = "http://" + l.Addr().String()
		*s.place = place{URL: *s.url, Key: s.desk.Key}
		line.MediaHosts = append(line.MediaHosts, l.Addr().String())
		for _, f := range faults[s.name] {
			s.desk.Break(f)
		}
		server := &http.Server{Handler: counted(s.handler, s.desk, s.fetches), ReadHeaderTimeout: 10 * time.Second}
		defer server.Close()
		go func() { failed <- server.Serve(l) }()
	}
	if err := json.NewEncoder(stdout).Encode(line); err != nil {
		return fmt.Errorf("print addresses: %w", err)
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	}
}

// counted adds the counts to a server.
func counted(next http.Handler, desk *sourcetest.Desk, fetches func() int) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", next)
	mux.HandleFunc("GET /counts", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]int{"calls": desk.Calls(), "charges": desk.Charges(), "fetches": fetches()})
	})
	return mux
}
