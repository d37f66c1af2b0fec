package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"sozai/domain"
)

// clip begins like a video and is n bytes long.
func clip(n int) []byte {
	b := []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom")
	return append(b, make([]byte, max(0, n-len(b)))...)
}

// server answers with handler and counts connections that reach it.
func server(t *testing.T, handler http.HandlerFunc) (address, host string, reached *atomic.Int32) {
	t.Helper()
	reached = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, strings.TrimPrefix(s.URL, "http://"), reached
}

func read(t *testing.T, f *Fetcher, address string) ([]byte, error) {
	t.Helper()
	body, err := f.Open(t.Context(), address)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

func TestFetchReadsAVideo(t *testing.T) {
	t.Parallel()
	want := clip(100_000)
	address, host, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie")+r.Header.Get("Authorization")+r.Header.Get("Referer") != "" {
			t.Errorf("sent %v", r.Header)
		}
		if r.URL.Path != "/there" {
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			http.Redirect(w, r, "/there?sig=x", http.StatusFound)
			return
		}
		_, _ = w.Write(want)
	})
	got, err := read(t, New(Config{Allow: []string{strings.ToUpper(host)}}), address+"/v.mp4?sig=secret")
	if err != nil || string(got) != string(want) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
}

func TestFetchRefusesAddressesInside(t *testing.T) {
	t.Parallel()
	address, host, reached := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(clip(100)) })
	_, port, _ := net.SplitHostPort(host)
	f := New(Config{})
	for _, a := range []string{
		address, "http://localhost:" + port, "http://localhost/", "http://127.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
		"http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://192.168.1.1/", "http://0.0.0.0/", "http://[fe80::1]/",
		"http://[fd00::1]/", "http://100.100.100.200/", "http://2130706433/", "http://0x7f.1/", "http://[64:ff9b::7f00:1]/",
		"ftp://example.com/v.mp4", "file:///etc/passwd", "gopher://127.0.0.1/", "//example.com", "", "http://user:pw@example.com/",
		"http://example.com:22/", "https://example.com:6379/", "http:///x", "http://exa mple/", "https://example.com/" + strings.Repeat("x", maxAddress),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		body, err := f.Open(ctx, a)
		cancel()
		if err == nil {
			_ = body.Close()
			t.Fatalf("%.80q is opened", a)
		}
		// The odd spellings of 127.0.0.1 are names to Go, and resolve to nothing.
		if !errors.Is(err, ErrAddress) && !(errors.Is(err, ErrAway) && (strings.Contains(a, "2130706433") || strings.Contains(a, "0x7f"))) {
			t.Fatalf("%.80q: %v", a, err)
		}
	}
	if reached.Load() != 0 {
		t.Fatalf("%d requests came through", reached.Load())
	}
}

func TestPublic(t *testing.T) {
	t.Parallel()
	for a, want := range map[string]bool{
		"1.1.1.1": true, "8.8.8.8": true, "2606:4700:4700::1111": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "127.255.255.254": false, "10.1.2.3": false, "172.16.0.1": false, "172.31.255.255": false, "172.32.0.1": true,
		"192.168.0.1": false, "169.254.169.254": false, "100.64.0.1": false, "100.128.0.1": true, "0.0.0.0": false, "0.1.2.3": false,
		"192.0.0.1": false, "198.18.0.1": false, "224.0.0.1": false, "240.0.0.1": false, "255.255.255.255": false, "203.0.113.9": false,
		"::": false, "::1": false, "::127.0.0.1": false, "::ffff:10.0.0.1": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false,
		"fec0::1": false, "ff02::1": false, "64:ff9b::a00:1": false, "2002:7f00:1::": false, "2001::1": false, "2001:db8::1": false, "100::1": false,
	} {
		if got := Public(netip.MustParseAddr(a)); got != want {
			t.Errorf("%s: %t", a, got)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// A name is judged by the address that is connected to: whatever it resolved to
// before, and whoever redirected there.
func TestFetchIsNotReboundInside(t *testing.T) {
	t.Parallel()
	_, inside, reached := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(clip(100)) })
	front, host, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://rebound.example/v.mp4", http.StatusTemporaryRedirect)
	})
	_, port, _ := net.SplitHostPort(inside)
	f := New(Config{Allow: []string{host, "rebound.example:" + port + "0"}, Timeout: 10 * time.Second})
	asked := &atomic.Int32{}
	f.dialer.Resolver = resolver(t, asked)
	for _, a := range []string{"http://rebound.example/v.mp4", front + "/v.mp4"} {
		for range 3 {
			if _, err := read(t, f, a); !errors.Is(err, ErrAddress) {
				t.Fatalf("%s: %v", a, err)
			}
		}
	}
	if asked.Load() == 0 || reached.Load() != 0 {
		t.Fatalf("%d names resolved, %d requests came through", asked.Load(), reached.Load())
	}
	// The allow-list is by name and port: this one may lead inside.
	f = New(Config{Allow: []string{"rebound.example:" + port}})
	f.dialer.Resolver = resolver(t, asked)
	if got, err := read(t, f, "http://rebound.example:"+port+"/v.mp4"); err != nil || len(got) != 100 {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
}

// resolver answers every name with addresses inside.
func resolver(t *testing.T, asked *atomic.Int32) *net.Resolver {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pc.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) == 0 {
				continue
			}
			asked.Add(1)
			m.Response, m.RCode, m.Additionals = true, dnsmessage.RCodeSuccess, nil
			if m.Questions[0].Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET, TTL: 0},
					Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
				}}
			}
			out, err := m.Pack()
			if err == nil {
				_, _ = pc.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
}

func TestFetchKeepsItsLimits(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	address, host, reached := server(t, func(w http.ResponseWriter, r *http.Request) {
		flush := func() { _ = http.NewResponseController(w).Flush() }
		switch r.URL.Path {
		case "/announced":
			w.Header().Set("Content-Length", strconv.Itoa(2<<20))
			_, _ = w.Write(clip(10))
		case "/endless":
			for i := 0; i < 64 && r.Context().Err() == nil; i++ {
				_, _ = w.Write(clip(64 << 10))
			}
		case "/exact":
			_, _ = w.Write(clip(1 << 20))
		case "/slow":
			_, _ = w.Write(clip(8 << 10))
			flush()
			select {
			case <-release:
			case <-r.Context().Done():
			}
		case "/short":
			w.Header().Set("Content-Length", "9000")
			_, _ = w.Write(clip(8_000))
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/page":
			_, _ = w.Write([]byte("<html>sign in</html>"))
		case "/empty":
		case "/out":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		default:
			code, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
			w.WriteHeader(code)
		}
	})
	t.Cleanup(func() { close(release) })
	f := New(Config{Allow: []string{host}, MaxBytes: 1 << 20, Timeout: 2 * time.Second})
	hasty := New(Config{Allow: []string{host}, Timeout: 50 * time.Millisecond})
	for path, want := range map[string]*domain.Error{
		"announced": ErrTooLarge, "endless": ErrTooLarge, "exact": nil, "slow": ErrAway, "short": ErrAway, "loop": ErrAway,
		"page": ErrNotVideo, "empty": ErrNotVideo, "out": ErrAddress,
		"403": ErrGone, "404": ErrGone, "410": ErrGone, "500": ErrAway, "429": ErrAway, "204": ErrAway, "206": ErrAway,
	} {
		fetcher := f
		if path == "slow" {
			fetcher = hasty
		}
		got, err := read(t, fetcher, address+"/"+path+"?sig=secret")
		if want == nil && (err != nil || len(got) != 1<<20) || want != nil && !errors.Is(err, want) {
			t.Fatalf("/%s: %d bytes, %v", path, len(got), err)
		}
		if len(got) > 1<<20 || err != nil && strings.Contains(fmt.Sprintf("%+v", err), "secret") {
			t.Fatalf("/%s: %d bytes, %v", path, len(got), err)
		}
	}
	before := reached.Load()
	_, _ = read(t, f, address+"/loop")
	if n := reached.Load() - before; n > maxRedirects+1 {
		t.Fatalf("%d redirects were followed", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	body, err := f.Open(ctx, address+"/slow")
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	cancel()
	if _, err := io.ReadAll(body); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestFetchSaysWhichServerIsAway(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := l.Addr().String()
	_ = l.Close()
	_, err = read(t, New(Config{Allow: []string{host}}), (&url.URL{Scheme: "http", Host: host, Path: "/v", RawQuery: "sig=secret"}).String())
	if !errors.Is(err, ErrAway) || !strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "secret") {
		t.Fatalf("got %v", err)
	}
}
