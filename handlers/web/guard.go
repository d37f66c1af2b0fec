package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/oklog/ulid/v2"

	"sozai/domain"
	"sozai/handlers/access"
	"sozai/projections"
	"sozai/streams"
)

const (
	idempotencyKey = "Idempotency-Key"
	cookieName     = "sozai_session"
	requestTimeout = 20 * time.Second
)

// The refusals of the guard.
var (
	errKeyMissing = domain.Rule(domain.Invalid, "idempotency_key", "a command needs the header Idempotency-Key with a fresh ULID")
	errKeyReused  = domain.Rule(domain.Conflict, "key_reused", "this Idempotency-Key was used for another command")
	errBusy       = domain.Rule(domain.Unavailable, "shutting_down", "the server is going down; try again")
)

// request is what is known of a request when its handler runs.
type request struct {
	ctx     context.Context
	c       *fiber.Ctx // for the handler's own goroutine only
	caller  access.Caller
	key     domain.Key  // of the agent in the path
	role    access.Role // of the caller in its room
	product string      // of the query
	cmd     streams.Command
	signed  bool             // a signed link stands for the caller
	refused *huma.ErrorModel // what huma found wrong with the form
}

type requestKey struct{}

// requestOf is never nil inside a handler.
func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	return r
}

// newID makes the id of an object that a command creates. It follows from the
// command's key, so a repeated command names the same object.
func (r *request) newID(label string) domain.ID {
	id := ulid.MustParse(r.cmd.ID[:ulid.EncodedSize])
	sum := sha256.Sum256([]byte(r.cmd.ID + "\x00" + label))
	_ = id.SetEntropy(sum[:10])
	return domain.ID(id.String())
}

// guard decides whether a request reaches its handler: who sent it, whether they
// may, whether it may be carried out now, and whether what it reads is there.
// cancel must be called when the handler is done.
func (s *Server) guard(c *fiber.Ctx, rt *route) (*request, context.CancelFunc, error) {
	ctx, cancel := context.WithTimeout(s.ctx, requestTimeout)
	r := &request{ctx: ctx, c: c}
	c.SetUserContext(ctx)
	if err := s.admit(r, rt); err != nil {
		return nil, cancel, err
	}
	return r, cancel, nil
}

func (s *Server) admit(r *request, rt *route) error {
	if r.ctx.Err() != nil {
		return errBusy
	}
	var err error
	if rt.signed {
		if r.signed, err = s.bySignature(r.c); r.signed || err != nil {
			return err
		}
	}
	if r.caller, err = s.identify(r.ctx, r.c); err != nil {
		return err
	}
	if rt.action != access.Anyone && !r.caller.SignedIn() {
		return access.ErrSignedOut
	}
	if err := s.authorize(r, rt); err != nil {
		return err
	}
	if rt.command {
		if r.cmd, err = command(r.c.Get(idempotencyKey), r.caller, r.c.Method()+" "+r.c.Path(), time.Now()); err != nil {
			return err
		}
	}
	if (rt.command || rt.writes) && s.deps.FreeSpace != nil {
		if err := s.deps.FreeSpace(); err != nil {
			return err
		}
	}
	return s.await(r, rt)
}

// identify finds the caller by bearer token or cookie. Nobody is no error, a
// token or session that is over is.
func (s *Server) identify(ctx context.Context, c *fiber.Ctx) (access.Caller, error) {
	return s.identifyBy(ctx, c.Get(fiber.HeaderAuthorization), c.Cookies(cookieName))
}

func (s *Server) identifyBy(ctx context.Context, authorization, cookie string) (access.Caller, error) {
	if authorization != "" {
		scheme, token, _ := strings.Cut(authorization, " ")
		if !strings.EqualFold(scheme, "bearer") {
			return access.Caller{}, access.ErrSignedOut
		}
		return s.deps.Access.Bearer(ctx, strings.TrimSpace(token))
	}
	if cookie == "" {
		return access.Caller{}, nil
	}
	caller, err := s.deps.Access.Session(ctx, cookie)
	if domain.CodeOf(err) == domain.Unauthorized {
		return access.Caller{}, nil // an old cookie must not keep anybody from signing in
	}
	return caller, err
}

func (s *Server) authorize(r *request, rt *route) error {
	var st access.Standing
	switch {
	case strings.Contains(rt.path, "{agent}"):
		key, standing, err := s.standing(r.ctx, r.caller, r.c.Params("agent"))
		if err != nil {
			return err
		}
		r.key, r.role, st = key, standing.Role, standing
	case rt.product, strings.Contains(rt.path, "{product}"):
		r.product = r.c.Query("product")
		if p := r.c.Params("product"); p != "" {
			r.product = p
		}
		var err error
		if st.Product, err = s.belongs(r.ctx, r.caller, r.product); err != nil {
			return err
		}
	}
	if err := access.Authorize(r.caller, rt.action, st); err != nil || r.product == "" {
		return err
	}
	// An administrator may act in every product, but only in one that exists.
	return s.deps.Access.HasProduct(r.ctx, r.product)
}

// standing reads the caller's role from the agent's fold, not from a projection:
// who was removed a moment ago is out.
func (s *Server) standing(ctx context.Context, caller access.Caller, agentID string) (domain.Key, access.Standing, error) {
	id, err := parseID("agent", agentID)
	if err != nil {
		return domain.Key{}, access.Standing{}, err
	}
	key, err := s.agentKey(ctx, id)
	if err != nil {
		return domain.Key{}, access.Standing{}, err
	}
	var st access.Standing
	err = s.deps.Log.View(ctx, key, func(state *streams.State) error {
		st.Role = access.Role(state.Agent.RoleOf(caller.User))
		return nil
	})
	if err != nil {
		return domain.Key{}, access.Standing{}, err
	}
	st.Product, err = s.deps.Access.Belongs(ctx, caller.User, key.Product)
	return key, st, err
}

func (s *Server) belongs(ctx context.Context, caller access.Caller, product string) (bool, error) {
	if product == "" {
		return false, domain.Rule(domain.Invalid, "missing", "the product is missing")
	}
	return s.deps.Access.Belongs(ctx, caller.User, product)
}

// agentKey finds an agent's product, which never changes.
func (s *Server) agentKey(ctx context.Context, id domain.ID) (domain.Key, error) {
	if key, ok := s.keys.Load(id); ok {
		return key.(domain.Key), nil
	}
	found, err := s.shown(ctx, func() (projections.Agent, error) { return s.deps.Store.FindAgent(ctx, id) })
	if err != nil {
		return domain.Key{}, err
	}
	key := found.Key
	s.keys.Store(id, key)
	return key, nil
}

// shown looks an agent up in the directory; one that it does not show yet is
// waited for once, up to the log's present end.
func (s *Server) shown(ctx context.Context, look func() (projections.Agent, error)) (projections.Agent, error) {
	found, err := look()
	if domain.CodeOf(err) != domain.NotFound {
		return found, err
	}
	last, err := s.deps.Log.Last(ctx)
	if err != nil {
		return found, err
	}
	if err := s.deps.Store.Wait(ctx, last, projections.Directory); err != nil {
		return found, err
	}
	return look()
}

// command reads an idempotency key. Two people's keys, or one key sent to two
// addresses, are different commands: none is taken for a repeat of the other and
// swallowed.
func command(key string, caller access.Caller, address string, now time.Time) (streams.Command, error) {
	if key == "" {
		return streams.Command{}, errKeyMissing
	}
	id, err := domain.ParseID(key)
	if err != nil {
		return streams.Command{}, errKeyMissing.With(nil, "the idempotency key is not a ULID")
	}
	switch age := now.Sub(id.Time()); {
	case age > domain.CommandLifetime:
		return streams.Command{}, streams.ErrCommandExpired
	case age < -24*time.Hour:
		return streams.Command{}, streams.ErrCommandEarly
	}
	sum := sha256.Sum256([]byte(string(caller.User) + "\x00" + address))
	return streams.Command{ID: string(id) + "/" + hex.EncodeToString(sum[:8]), Actor: caller.Actor()}, nil
}

// await lets whoever just wrote see what they wrote.
func (s *Server) await(r *request, rt *route) error {
	text := r.c.Query("min_seq")
	if text == "" || len(rt.reads) == 0 {
		return nil
	}
	seq, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return domain.Errorf(domain.Invalid, "min_seq is not a sequence")
	}
	return s.deps.Store.Wait(r.ctx, seq, rt.reads...)
}

// eventOf is the event of type E among those of a decision that always has one.
func eventOf[E domain.Event](res streams.Result) E {
	for _, r := range res.Events {
		if e, ok := r.Event.(E); ok {
			return e
		}
	}
	var zero E
	return zero
}
