package web

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// What a refused request leaves unread is never taken for the next request: behind
// a proxy that could be another person's.
func TestRefusedBodyIsNoRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	smuggled := "GET /api/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for _, size := range []int{100, 8 << 10, 9_000, 100_000, 900_000, 3 << 20, 20 << 20} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		// Wherever the server stops reading, what follows is a request.
		body := strings.Repeat(smuggled, size/len(smuggled)+1)[:size]
		go func() {
			_, _ = fmt.Fprintf(conn, "POST /api/products HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", size, body)
			_, _ = fmt.Fprint(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		}()
		r := bufio.NewReader(conn)
		first, err := http.ReadResponse(r, nil)
		if err != nil || first.StatusCode != http.StatusUnauthorized {
			t.Fatalf("%d bytes: %v, %v", size, first, err)
		}
		_ = first.Body.Close()
		second, err := http.ReadResponse(r, nil)
		switch {
		case err != nil && size > drainLimit: // too much to read away: the connection ends
		case err != nil:
			t.Errorf("%d bytes: the next request has no answer: %v", size, err)
		default:
			_ = second.Body.Close()
			if second.StatusCode != http.StatusOK || size > drainLimit {
				t.Errorf("%d bytes: the next answer is %d", size, second.StatusCode)
			}
		}
	}
}
