package streams

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
)

// pieces is a connection that only gives, as much at once as its reader does.
type pieces struct {
	net.Conn
	from io.Reader
}

func (p pieces) Read(b []byte) (int, error) { return p.from.Read(b) }

func TestUnparsedChangesOnlyEventsWithHeaders(t *testing.T) {
	t.Parallel()
	const (
		headers = "NATS/1.0\r\nce-id: 1\r\n\r\n"
		nested  = "\nHMSG evt.a 1 $JS.ACK.EVENTS.c.1.2.3.4.0 2 3\r\n" // in a body it is no line of the protocol
		body    = `{"a":"` + nested + `"}`
	)
	sent := "INFO {\"headers\":true}\r\nPONG\r\n" +
		"HMSG evt.p.a.run 1 $JS.ACK.EVENTS.c.1.2.3.4.0 22 76\r\n" + headers + body + "\r\n" +
		"HMSG _INBOX.x 1 22 22\r\n" + headers + "\r\n" +
		"HMSG _INBOX.x 1 some.reply 22 76\r\n" + headers + body + "\r\n" +
		"MSG evt.p.a.run 1 $JS.ACK.EVENTS.c.1.2.3.4.0 54\r\n" + body + "\r\n" +
		"HMSG other.p.a.run 1 $JS.ACK.WORK.c.1.2.3.4.0 22 76\r\n" + headers + body + "\r\n" +
		"MSG _INBOX.x 1 0\r\n\r\nPING\r\n" +
		"HMSG evt.p.a.run 12 $JS.ACK.EVENTS.c.1.2.3.4.0  22 22\r\n" + headers + "\r\n"
	want := strings.NewReplacer(
		"\nHMSG evt.p.a.run 1 $JS.ACK.EVENTS.c.1.2.3.4.0 22 76\r", "\nMSG  Evt.p.a.run 1 $JS.ACK.EVENTS.c.1.2.3.4.0    76\r",
		"\nHMSG evt.p.a.run 12 $JS.ACK.EVENTS.c.1.2.3.4.0  22 22\r", "\nMSG  Evt.p.a.run 12 $JS.ACK.EVENTS.c.1.2.3.4.0     22\r",
	).Replace(sent)
	for name, from := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader, "bytes": iotest.OneByteReader,
		"end with the last bytes": iotest.DataErrReader,
	} {
		got, err := io.ReadAll(bufio.NewReaderSize(&unparsedConn{Conn: pieces{from: from(strings.NewReader(sent))}}, 1<<15))
		if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
			t.Fatalf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// An event reads the same whoever parsed its headers.
func FuzzHeaderOnTheWire(f *testing.F) {
	f.Add("ce-id", "1", "ce-type", "run.started", []byte("{}"))
	f.Add("ce-id", "", "ce-id", "2", []byte("\r\n\r\n"))
	f.Add("ce-time", " 2026-01-01T00:00:00Z", "Nats-Msg-Id", "a:b", []byte{})
	f.Fuzz(func(t *testing.T, name, value, other, another string, body []byte) {
		msg := nats.NewMsg("evt.p.a.run")
		msg.Header[name] = []string{value}
		msg.Header[other] = append(msg.Header[other], another)
		wire := "NATS/1.0\r\n"
		for name, values := range msg.Header {
			if name == "" || strings.ContainsAny(name, ":\r\n") {
				t.Skip("no client sends it")
			}
			for _, value := range values {
				if strings.ContainsAny(value, "\r\n") {
					t.Skip("no client sends it")
				}
				wire += name + ": " + value + "\r\n"
			}
		}
		wire += "\r\n"
		parsed, err := nats.DecodeHeadersMsg([]byte(wire))
		if err != nil {
			t.Skip("the client cannot read it either")
		}
		subject, got, rest := part("Evt.p.a.run", nil, append([]byte(wire), body...))
		if subject != msg.Subject || !bytes.Equal(rest, body) {
			t.Fatalf("%s with body %q, want %s with %q", subject, rest, msg.Subject, body)
		}
		if diff := cmp.Diff(storedEvent("s", header{parsed: parsed}, body, 1), storedEvent("s", got, body, 1)); diff != "" {
			t.Fatalf("of %q (-client +ours):\n%s", wire, diff)
		}
		if want, got := (header{parsed: parsed}).envelope(), got.envelope(); want != got {
			t.Fatalf("of %q: %+v, want %+v", wire, got, want)
		}
	})
}
