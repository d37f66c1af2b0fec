package web

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"sozai/domain"
	"sozai/handlers/access"
	"sozai/streams/fault"
)

// route is one row of the route table. Everything that can be said of a request
// before its handler runs is said here and enforced in guard.
type route struct {
	method string
	path   string
	action access.Action // what it takes; see access.policy
	tag    string
	does   string // one line for the API document
	// command routes append to the log: they need an Idempotency-Key and room on
	// the disk. writes need room on the disk only.
	command bool
	writes  bool
	// product routes are about one product, named by the query.
	product bool
	// signed routes are open to whoever has a signed link, see MediaLinks.
	signed bool
	// reads are the projections whose position a min_seq waits for.
	reads []string
	bind  binder
	raw   *rawSpec // for raw handlers: what the document says about them
}

type binder func(s *Server, api huma.API, op huma.Operation, rt *route)

// rawSpec documents a handler that reads or writes something else than JSON.
type rawSpec struct {
	in  string // content type of the request, "" = no body
	out string // content type of the answer
	doc string
}

// none is the body of an answer that has none.
type none struct{}

// reply is what huma writes for a body of type T.
type reply[T any] struct{ Body T }

// typed binds a JSON handler: in is decoded and validated, the result is the body.
func typed[I, T any](handle func(*Server, context.Context, *request, *I) (T, error)) binder {
	if reflect.TypeFor[T]() == reflect.TypeFor[none]() {
		return plain(func(s *Server, ctx context.Context, r *request, in *I) (*struct{}, error) {
			_, err := handle(s, ctx, r, in)
			return nil, err
		})
	}
	return plain(func(s *Server, ctx context.Context, r *request, in *I) (*reply[T], error) {
		out, err := handle(s, ctx, r, in)
		if err != nil {
			return nil, err
		}
		return &reply[T]{Body: out}, nil
	})
}

// plain binds a handler that sets headers too: O is a huma output struct.
func plain[I, O any](handle func(*Server, context.Context, *request, *I) (*O, error)) binder {
	return func(s *Server, api huma.API, op huma.Operation, rt *route) {
		op.Middlewares = huma.Middlewares{func(hc huma.Context, next func(huma.Context)) {
			c := humafiber.Unwrap(hc)
			r, cancel, err := s.guard(c, rt)
			defer cancel()
			if err != nil {
				_ = s.fail(c, err)
				return
			}
			c.Locals(bodyTaken, true)
			next(huma.WithValue(huma.WithContext(hc, r.ctx), requestKey{}, r))
			if r.refused != nil { // huma refused the form: say it our way
				if r.refused.Status == http.StatusRequestEntityTooLarge {
					c.Locals(bodyTaken, nil) // there is more of it
				}
				_ = s.fail(c, fromHuma(r.refused))
			}
		}}
		huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
			r := requestOf(ctx)
			out, err := carryOut(rt, func() (*O, error) { return handle(s, ctx, r, in) })
			if err != nil {
				return nil, s.problem(r.c, err)
			}
			return out, nil
		})
	}
}

// raw binds a handler that works on the fiber context itself.
func raw(handle func(*Server, *fiber.Ctx, *request) error) binder {
	return func(s *Server, api huma.API, op huma.Operation, rt *route) {
		op.Description = rt.raw.doc
		if rt.raw.in != "" {
			op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{rt.raw.in: {}}}
		}
		ok := &huma.Response{Description: http.StatusText(http.StatusOK)}
		if rt.raw.out != "" {
			ok.Content = map[string]*huma.MediaType{rt.raw.out: {}}
		}
		op.Responses["200"] = ok
		api.OpenAPI().AddOperation(&op)
		s.app.Add(rt.method, fiberPath(rt.path), func(c *fiber.Ctx) error {
			r, cancel, err := s.guard(c, rt)
			defer cancel()
			if err != nil {
				return err
			}
			_, err = carryOut(rt, func() (none, error) { return none{}, handle(s, c, r) })
			return err
		})
	}
}

// carryOut is where every command runs, between two steps of the fault suite:
// nothing recorded yet, and recorded but not answered.
func carryOut[T any](rt *route, run func() (T, error)) (T, error) {
	if !rt.command {
		return run()
	}
	fault.Point("command.before")
	out, err := run()
	if err == nil {
		fault.Point("command.after")
	}
	return out, err
}

func fiberPath(p string) string { return strings.NewReplacer("{", ":", "}", "").Replace(p) }

// pathParams are the names in braces.
func pathParams(p string) []string {
	var names []string
	for part := range strings.SplitSeq(p, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// operation is what the API document says about a route, apart from its bodies.
func (s *Server) operation(api huma.API, rt *route) huma.Operation {
	op := huma.Operation{
		Method: rt.method, Path: rt.path, Summary: rt.does, Tags: []string{rt.tag}, OperationID: operationID(rt),
		MaxBodyBytes: jsonLimit, BodyReadTimeout: 15 * time.Second,
		Metadata: map[string]any{"action": string(rt.action)},
		Responses: map[string]*huma.Response{"default": {
			Description: "A problem (RFC 9457)",
			Content: map[string]*huma.MediaType{problemType: {
				Schema: api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "Problem"),
			}},
		}},
	}
	text := &huma.Schema{Type: huma.TypeString}
	for _, name := range pathParams(rt.path) {
		// The others are declared by the handler's input.
		if rt.raw != nil || name == "agent" || name == "product" {
			op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "path", Required: true, Schema: text})
		}
	}
	if rt.product {
		op.Parameters = append(op.Parameters, &huma.Param{Name: "product", In: "query", Required: true, Schema: text})
	}
	if rt.command {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: idempotencyKey, In: "header", Required: true, Schema: text,
			Description: "A fresh ULID a command. Repeating a command with its key is harmless and gives the first answer; keys live 7 days.",
		})
	}
	if len(rt.reads) > 0 {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "min_seq", In: "query", Schema: &huma.Schema{Type: huma.TypeInteger},
			Description: "Wait (at most 2 s) until this sequence, as a command returned it, is visible.",
		})
	}
	if rt.action != access.Anyone {
		op.Security = []map[string][]string{{"session": {}}, {"token": {}}}
	}
	return op
}

// operationID names a route by its method and path.
func operationID(rt *route) string {
	words := strings.TrimPrefix(strings.TrimPrefix(rt.path, "/api"), "/")
	return strings.ToLower(rt.method) + "-" + strings.NewReplacer("/", "-", "_", "-", "{", "by-", "}", "").Replace(words)
}

// schemaName keeps types of one name in different packages apart.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	pkg := t.PkgPath()
	if t.Name() == "" || pkg == "" || strings.HasSuffix(pkg, "/web") || strings.Contains(t.Name(), "[") {
		return name
	}
	pkg = pkg[strings.LastIndexByte(pkg, '/')+1:]
	return strings.ToUpper(pkg[:1]) + pkg[1:] + name
}

// parseID reads an id of a path or query.
func parseID(what, text string) (domain.ID, error) {
	id, err := domain.ParseID(text)
	if err != nil {
		return "", domain.Errorf(domain.NotFound, "there is no such %s", what)
	}
	return id, nil
}
