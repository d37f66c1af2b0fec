package streams

import (
	"bytes"
	"strings"

	"github.com/nats-io/nats.go"
)

// header is what came in front of an event's body: parsed by the client or, over
// a connection of unparsed, as it stood on the wire.
type header struct {
	parsed nats.Header
	wire   []byte
}

// unparsedSubject begins the subject of a message whose headers are not parsed.
const unparsedSubject = "Evt."

// part returns the subject, the headers and the body of a delivered event.
func part(subject string, parsed nats.Header, payload []byte) (string, header, []byte) {
	rest, unparsed := strings.CutPrefix(subject, unparsedSubject)
	if !unparsed {
		return subject, header{parsed: parsed}, payload
	}
	wire, body, _ := bytes.Cut(payload, []byte("\r\n\r\n"))
	return "evt." + rest, header{wire: wire}, body
}

// each calls see with every value, those of one name in their order.
func (h header) each(see func(name, value string)) {
	for name, values := range h.parsed {
		for _, value := range values {
			see(name, value)
		}
	}
	for rest := string(h.wire); rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\r\n")
		if name, value, ok := strings.Cut(line, ":"); ok {
			see(name, strings.TrimLeft(value, " \t"))
		}
	}
}

// envelope is what the headers say about an event.
type envelope struct{ id, typ, version, time, actor, command, causation string }

// envelope takes the first value of each name.
func (h header) envelope() (e envelope) {
	h.each(func(name, value string) {
		var into *string
		switch name {
		case headerID:
			into = &e.id
		case headerType:
			into = &e.typ
		case headerVersion:
			into = &e.version
		case headerTime:
			into = &e.time
		case headerActor:
			into = &e.actor
		case headerCommand:
			into = &e.command
		case headerCausation:
			into = &e.causation
		default:
			return
		}
		if *into == "" {
			*into = value
		}
	})
	return e
}
