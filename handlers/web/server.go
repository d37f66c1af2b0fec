// Package web is the way in for people and programs: the HTTP API, the room's
// WebSocket, media, and the built front end. A request appends events or reads
// projections and returns; it runs no model, search or render.
//
// server.go holds the one route table. guard.go decides who gets in, error.go
// turns errors into problem+json, live.go and its neighbours carry the room.
// Rules about the business live in domain; a handler only carries a decision
// from the request to the log.
//
// web may import domain, streams, projections, agents/{catalogue,source} and
// handlers/{access,ledger}; not handlers/work, not cmd.
package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"

	"sozai/agents/catalogue"
	"sozai/handlers/access"
	"sozai/projections"
	"sozai/streams"
)

// Deps is what a server stands on. All are required unless said otherwise.
type Deps struct {
	Log       *streams.Log
	Hub       *streams.Hub // running
	Live      *streams.Live
	Queue     *streams.Queue // with Alive, for the list of work; nil: there is none
	Alive     *streams.Alive
	Store     *projections.Store
	Access    *access.Store
	Catalogue *catalogue.Catalogue
	Effects   Effects     // health of sources and unknown effects; nil: none are known
	Sources   []Source    // the outside services that this deployment may use
	Links     *MediaLinks // for outside workers; nil: no link is good
	Frontend  fs.FS       // the built front end; nil: API only
	Model     Model
	Version   string
	// PublicURL is how browsers reach the server through a proxy; empty: as the
	// request's Host says, without https.
	PublicURL string
	// FreeSpace refuses what would write when the disk is nearly full; nil: never.
	FreeSpace func() error
	MaxUpload int64        // bytes of one file; 0: catalogue.MaxFile
	Logger    *slog.Logger // nil: slog.Default()
}

// Model is how the model is named to people.
type Model struct {
	Name string `json:"name"`
	// Rehearsal says that no real model answers, only the rule-based player.
	Rehearsal bool `json:"rehearsal"`
}

// Server serves one listener at a time.
type Server struct {
	deps         Deps
	app          *fiber.App
	api          huma.API
	publicScheme string
	publicHost   string
	ctx          context.Context // ends when the server shuts down
	stop         context.CancelFunc
	keys         sync.Map // domain.ID of an agent → domain.Key; never changes
	names        sync.Map // domain.ID of an account → its name; never changes
	packs        sync.Map // name of a front end's file → its gzip; never changes
	refusals     refusals
	rooms        *rooms
	runner       *projections.Runner // for rebuilds and looks at the past; it follows nothing
	pasts        pasts
	upgrader     websocket.Upgrader
	handshake    fiber.Handler // of sockets

	mu       sync.Mutex
	listener *listener // while it serves
}

// New builds the server; it serves nothing yet.
func New(deps Deps) (*Server, error) {
	if deps.Logger == nil {
		deps.Logger = slog.Default()
	}
	if deps.MaxUpload == 0 {
		deps.MaxUpload = catalogue.MaxFile
	}
	s := &Server{deps: deps}
	if deps.PublicURL != "" {
		u, err := url.Parse(deps.PublicURL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, fmt.Errorf("public URL %q: want something like https://sozai.example.org", deps.PublicURL)
		}
		s.publicScheme, s.publicHost = u.Scheme, u.Host
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.rooms = newRooms(s)
	s.runner = projections.NewRunner(deps.Store, deps.Log, deps.Logger)
	s.app = fiber.New(fiber.Config{
		AppName:                      "sozai",
		Immutable:                    true,
		DisableStartupMessage:        true,
		ErrorHandler:                 s.fail,
		BodyLimit:                    jsonLimit, // larger bodies come as a stream
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		ReadTimeout:                  30 * time.Second, // uploads prolong it, see uploadReader
		IdleTimeout:                  2 * time.Minute,
		ReadBufferSize:               16 << 10, // of a request's head
	})
	s.app.Server().KeepHijackedConns = true // a socket takes its connection over
	s.upgrader = websocket.Upgrader{
		CheckOrigin:     func(*http.Request) bool { return true }, // outermost did
		WriteBufferPool: new(sync.Pool),                           // never filled: messages come prepared
	}
	s.handshake = s.newHandshake()
	s.app.Use(s.outermost)
	s.api = humafiber.New(s.app, s.document())
	for _, rt := range s.routes() {
		rt.bind(s, s.api, s.operation(s.api, &rt), &rt)
	}
	s.app.Use(s.spa)
	return s, nil
}

// outermost wraps every request: no panic ends the process, no foreign page's
// request gets in, no unread body is left behind.
func (s *Server) outermost(c *fiber.Ctx) (err error) {
	secureHeaders(c)
	defer func() {
		if p := recover(); p != nil {
			err = s.fail(c, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
		settleBody(c)
	}()
	if hasNUL(c) {
		return s.fail(c, fromStatus(fiber.StatusBadRequest))
	}
	if err := s.checkOrigin(c); err != nil {
		return s.fail(c, err)
	}
	if err := c.Next(); err != nil {
		return s.fail(c, err)
	}
	return nil
}

// document is the API document's frame.
func (s *Server) document() huma.Config {
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Sozai", Version: s.deps.Version,
				Description: "Commands append events and answer with seq; give it to a read as min_seq to see what was written.",
			},
			Components: &huma.Components{
				Schemas: registry,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"session": {Type: "apiKey", In: "cookie", Name: cookieName},
					"token":   {Type: "http", Scheme: "bearer"},
				},
			},
		},
		OpenAPIPath:   "/api/openapi",
		Formats:       map[string]huma.Format{"application/json": jsonFormat(), "json": jsonFormat()},
		DefaultFormat: "application/json",
		// huma's own refusals are kept for plain, which says them our way.
		Transformers: []huma.Transformer{func(ctx huma.Context, _ string, v any) (any, error) {
			if m, ok := v.(*huma.ErrorModel); ok {
				if r := requestOf(ctx.Context()); r != nil {
					r.refused = m
				}
			}
			return v, nil
		}},
	}
}

// Serve answers on a listener until Shutdown; it then returns nil.
func (s *Server) Serve(l net.Listener) error {
	wrapped := newListener(l)
	s.mu.Lock()
	s.listener = wrapped
	s.mu.Unlock()
	if err := s.app.Listener(wrapped); err != nil && s.ctx.Err() == nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// Shutdown ends sockets with a going-away code and lets requests end; what still
// runs when ctx ends is cut off. A rebuild stops where it is. Harmless twice.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	s.rooms.wait(ctx)
	defer s.dropPasts()
	s.mu.Lock()
	l := s.listener
	s.mu.Unlock()
	if l == nil {
		return nil
	}
	l.drop(false)
	err := s.app.ShutdownWithContext(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		l.drop(true)
		return nil
	}
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("shut down: %w", err)
	}
	return nil
}

// The methods, short enough for the table.
const (
	get    = fiber.MethodGet
	post   = fiber.MethodPost
	put    = fiber.MethodPut
	patch  = fiber.MethodPatch
	del    = fiber.MethodDelete
	head   = fiber.MethodHead
	inRoom = "/api/agents/{agent}"
)

// routes is every address of the API.
func (s *Server) routes() []route {
	var (
		timeline  = []string{projections.Timeline}
		tasks     = []string{projections.Tasks}
		genes     = []string{projections.Genes}
		feedback  = []string{projections.Feedback}
		library   = []string{projections.Library}
		directory = []string{projections.Directory}
		scores    = []string{projections.Performance}
		video     = &rawSpec{out: "video/mp4", doc: "The file is <hash>, <hash>.poster or <hash>.preview. Ranges are answered. Outside workers come with a signed link (until, sig) instead of a sign-in."}
		multipart = "multipart/form-data"
	)
	return []route{
		{method: get, path: "/healthz", action: access.Anyone, tag: "system", does: "Whether the process lives", bind: typed((*Server).health)},
		{method: get, path: "/readyz", action: access.Anyone, tag: "system", does: "Whether it can serve", bind: typed((*Server).ready)},
		{method: get, path: "/api/system", action: access.ReadSystem, tag: "system", does: "Positions of the projections, builds, the log, the model", bind: typed((*Server).system)},
		{method: get, path: "/api/system/streams", action: access.Administrate, tag: "system", does: "The streams and their consumers", bind: typed((*Server).streams)},
		{method: get, path: "/api/system/sources", action: access.Administrate, tag: "system", does: "How the outside services are, and paid calls of which nobody knows whether they were done", bind: typed((*Server).sources)},
		{method: get, path: "/api/system/work", action: access.Administrate, tag: "system", does: "What waits for a worker, and who works on what", bind: typed((*Server).work)},
		{method: post, path: "/api/system/projections/{projection}/rebuild", action: access.Administrate, writes: true, tag: "system", does: "Build a projection anew while it serves", bind: typed((*Server).rebuild)},
		{method: del, path: "/api/system/projections/{projection}/rebuild", action: access.Administrate, tag: "system", does: "Stop what is being built of a projection, and drop it", bind: typed((*Server).cancelRebuild)},
		{method: post, path: "/api/system/parked/retry", action: access.Administrate, writes: true, tag: "system", does: "Apply the waiting events of a parked agent", bind: typed((*Server).retryParked)},

		{method: get, path: "/api/session", action: access.Self, tag: "people", does: "Who is signed in", bind: typed((*Server).getSession)},
		{method: post, path: "/api/session", action: access.Anyone, tag: "people", does: "Sign in with a password", bind: typed((*Server).signIn)},
		{method: del, path: "/api/session", action: access.Anyone, tag: "people", does: "Sign out", bind: typed((*Server).signOut)},
		{method: get, path: "/api/links/{token}", action: access.Anyone, tag: "people", does: "What a one-time link is good for", bind: typed((*Server).getLink)},
		{method: post, path: "/api/links/{token}", action: access.Anyone, tag: "people", does: "Create the link's account and sign in", bind: typed((*Server).useLink)},
		{method: get, path: "/api/tokens", action: access.Self, tag: "people", does: "The caller's bearer tokens", bind: typed((*Server).listTokens)},
		{method: post, path: "/api/tokens", action: access.Anyone, tag: "people", does: "Make a bearer token: by session, or by password with scope person", bind: typed((*Server).createToken)},
		{method: del, path: "/api/tokens/{token}", action: access.Self, tag: "people", does: "Revoke a token", bind: typed((*Server).revokeToken)},
		{method: get, path: "/api/accounts", action: access.Administrate, tag: "people", does: "Every account", bind: typed((*Server).listAccounts)},
		{method: put, path: "/api/accounts/{account}", action: access.Administrate, tag: "people", does: "Make an administrator, disable, or undo either", bind: typed((*Server).setAccount)},
		{method: post, path: "/api/invites", action: access.Administrate, tag: "people", does: "Make a one-time link for a new account", bind: typed((*Server).invite)},
		{method: get, path: "/api/products", action: access.Self, tag: "people", does: "The caller's products", bind: typed((*Server).listProducts)},
		{method: post, path: "/api/products", action: access.Administrate, tag: "people", does: "Create a product", bind: typed((*Server).createProduct)},
		{method: get, path: "/api/products/{product}/people", action: access.ReadProduct, tag: "people", does: "Who belongs to a product", bind: typed((*Server).listPeople)},
		{method: put, path: "/api/products/{product}/people/{account}", action: access.Administrate, tag: "people", does: "Add a person to a product", bind: typed((*Server).addPerson)},
		{method: del, path: "/api/products/{product}/people/{account}", action: access.Administrate, tag: "people", does: "Take a person out of a product", bind: typed((*Server).removePerson)},

		{method: get, path: "/api/agents", action: access.ReadProduct, product: true, reads: directory, tag: "agents", does: "The agents of a product that the caller may see", bind: typed((*Server).listAgents)},
		{method: post, path: "/api/agents", action: access.CreateAgent, product: true, command: true, tag: "agents", does: "Create an agent, its first gene version and its first search", bind: typed((*Server).createAgent)},
		{method: get, path: inRoom, action: access.ReadRoom, reads: directory, tag: "agents", does: "One agent", bind: typed((*Server).getAgent)},
		{method: patch, path: inRoom, action: access.WriteRoom, command: true, tag: "agents", does: "Edit name, brief or sources", bind: typed((*Server).editAgent)},
		{method: put, path: inRoom + "/members/{user}", action: access.ManageAgent, command: true, tag: "agents", does: "Give a person a role", bind: typed((*Server).addMember)},
		{method: del, path: inRoom + "/members/{user}", action: access.ManageAgent, command: true, tag: "agents", does: "Take a person's role away", bind: typed((*Server).removeMember)},
		{method: put, path: inRoom + "/schedule", action: access.WriteRoom, command: true, tag: "agents", does: "Set the daily search", bind: typed((*Server).setSchedule)},
		{method: post, path: inRoom + "/archive", action: access.ManageAgent, command: true, tag: "agents", does: "Close the agent for good", bind: typed((*Server).archiveAgent)},

		{method: get, path: inRoom + "/timeline", action: access.ReadRoom, reads: timeline, tag: "room", does: "Rows of the room, ascending", bind: typed((*Server).timeline)},
		{method: post, path: inRoom + "/messages", action: access.WriteRoom, command: true, tag: "room", does: "Say something", bind: typed((*Server).say)},
		{method: del, path: inRoom + "/messages/{message}", action: access.WriteRoom, command: true, tag: "room", does: "Take an own message back that waits", bind: typed((*Server).takeBack)},
		{method: get, path: inRoom + "/turns/{turn}", action: access.ReadRoom, reads: tasks, tag: "room", does: "One answer of the butler with its attempts and rounds", bind: typed((*Server).getTurn)},
		{method: post, path: inRoom + "/turns/{turn}/stop", action: access.WriteRoom, command: true, tag: "room", does: "Stop the answer that is being written", bind: typed((*Server).stopTurn)},
		{method: get, path: inRoom + "/read", action: access.ReadRoom, reads: timeline, tag: "room", does: "How far the caller has read", bind: typed((*Server).readMark)},
		{method: put, path: inRoom + "/read", action: access.ReadRoom, tag: "room", does: "Move the caller's read mark forward", bind: typed((*Server).markRead)},
		{method: get, path: inRoom + "/ws", action: access.ReadRoom, tag: "room", does: "The room, live (WebSocket)", bind: raw((*Server).openSocket),
			raw: &rawSpec{doc: "Upgrade to WebSocket, then send {\"type\":\"hello\",\"after\":seq}. Frames are JSON arrays."}},

		{method: get, path: inRoom + "/gene", action: access.ReadRoom, tag: "gene", does: "The current gene with each line's author", bind: typed((*Server).getGene)},
		{method: get, path: inRoom + "/gene/versions", action: access.ReadRoom, reads: genes, tag: "gene", does: "The versions, newest first", bind: typed((*Server).listVersions)},
		{method: get, path: inRoom + "/gene/versions/{version}", action: access.ReadRoom, reads: genes, tag: "gene", does: "One version", bind: typed((*Server).getVersion)},
		{method: get, path: inRoom + "/gene/diff", action: access.ReadRoom, reads: genes, tag: "gene", does: "What changed between two versions, by words", bind: typed((*Server).diffVersions)},
		{method: post, path: inRoom + "/gene/edit", action: access.WriteRoom, command: true, tag: "gene", does: "Edit the gene by hand: a new version", bind: typed((*Server).editGene)},
		{method: post, path: inRoom + "/gene/rollback", action: access.WriteRoom, command: true, tag: "gene", does: "A new version equal to an old one", bind: typed((*Server).rollbackGene)},
		{method: get, path: inRoom + "/cards", action: access.ReadRoom, reads: genes, tag: "gene", does: "Gene cards, newest first", bind: typed((*Server).listCards)},
		{method: get, path: inRoom + "/cards/{card}", action: access.ReadRoom, reads: genes, tag: "gene", does: "One card", bind: typed((*Server).getCard)},
		{method: post, path: inRoom + "/cards/{card}/apply", action: access.WriteRoom, command: true, tag: "gene", does: "Apply a card: a new version, and a search that checks it", bind: typed((*Server).applyCard)},
		{method: post, path: inRoom + "/cards/{card}/reject", action: access.WriteRoom, command: true, tag: "gene", does: "Reject a card", bind: typed((*Server).rejectCard)},

		{method: get, path: inRoom + "/orders", action: access.ReadRoom, reads: genes, tag: "runs", does: "Order cards, newest first", bind: typed((*Server).listOrders)},
		{method: get, path: inRoom + "/orders/{order}", action: access.ReadRoom, reads: genes, tag: "runs", does: "One order card", bind: typed((*Server).getOrder)},
		{method: post, path: inRoom + "/orders/{order}/confirm", action: access.WriteRoom, command: true, tag: "runs", does: "Confirm an order: its run starts", bind: typed((*Server).confirmOrder)},
		{method: post, path: inRoom + "/orders/{order}/decline", action: access.WriteRoom, command: true, tag: "runs", does: "Decline an order", bind: typed((*Server).declineOrder)},
		{method: get, path: inRoom + "/runs", action: access.ReadRoom, reads: tasks, tag: "runs", does: "Runs, newest first", bind: typed((*Server).listRuns)},
		{method: post, path: inRoom + "/runs", action: access.WriteRoom, command: true, tag: "runs", does: "Start a search, digest, board, film or analysis by hand", bind: typed((*Server).createRun)},
		{method: get, path: inRoom + "/runs/{run}", action: access.ReadRoom, reads: tasks, tag: "runs", does: "One run with its attempts and rounds", bind: typed((*Server).getRun)},
		{method: post, path: inRoom + "/runs/{run}/cancel", action: access.WriteRoom, command: true, tag: "runs", does: "Cancel a run", bind: typed((*Server).cancelRun)},
		{method: post, path: inRoom + "/runs/{run}/retry", action: access.WriteRoom, command: true, tag: "runs", does: "Ask for a finished run again", bind: typed((*Server).retryRun)},
		{method: post, path: inRoom + "/runs/{run}/continue", action: access.WriteRoom, command: true, tag: "runs", does: "Give a run that ended at a cap another budget", bind: typed((*Server).continueRun)},

		{method: get, path: inRoom + "/feedback", action: access.ReadRoom, reads: feedback, tag: "feedback", does: "Reactions, newest first", bind: typed((*Server).listFeedback)},
		{method: post, path: inRoom + "/feedback", action: access.WriteRoom, command: true, tag: "feedback", does: "React to an object or to the whole", bind: typed((*Server).giveFeedback)},
		{method: del, path: inRoom + "/feedback/{feedback}", action: access.WriteRoom, command: true, tag: "feedback", does: "Take an own reaction back", bind: typed((*Server).withdrawFeedback)},
		{method: post, path: inRoom + "/behavior", action: access.ReportRoom, writes: true, tag: "feedback", does: "Report up to 100 looks, passes and downloads", bind: raw((*Server).observe),
			raw: &rawSpec{in: "application/json", out: "application/json", doc: "The body is a beacon; text/plain is read as JSON too, as sendBeacon sends it. The beacon's id makes repeats harmless."}},

		{method: get, path: inRoom + "/materials", action: access.ReadRoom, reads: library, tag: "library", does: "Materials, newest first", bind: typed((*Server).listMaterials)},
		{method: get, path: inRoom + "/materials/{material}", action: access.ReadRoom, reads: library, tag: "library", does: "One material and where it was used", bind: typed((*Server).getMaterial)},
		{method: get, path: inRoom + "/boards", action: access.ReadRoom, reads: library, tag: "library", does: "Boards, newest first", bind: typed((*Server).listBoards)},
		{method: get, path: inRoom + "/boards/{board}", action: access.ReadRoom, reads: library, tag: "library", does: "One board with its clips, reactions, films and versions", bind: typed((*Server).getBoard)},
		{method: put, path: inRoom + "/boards/{board}", action: access.WriteRoom, command: true, tag: "library", does: "Edit a board by hand", bind: typed((*Server).editBoard)},
		{method: get, path: inRoom + "/films", action: access.ReadRoom, reads: library, tag: "library", does: "Films, newest first", bind: typed((*Server).listFilms)},
		{method: get, path: inRoom + "/films/{film}", action: access.ReadRoom, reads: library, tag: "library", does: "One film with its board, reactions and versions", bind: typed((*Server).getFilm)},
		{method: get, path: inRoom + "/assets", action: access.ReadRoom, reads: library, tag: "library", does: "Assets, newest first", bind: typed((*Server).listAssets)},
		{method: post, path: inRoom + "/assets", action: access.WriteRoom, command: true, tag: "library", does: "Upload a video", bind: raw((*Server).uploadAsset),
			raw: &rawSpec{in: multipart, out: "application/json", doc: "Parts in this order: title (optional), file."}},
		{method: get, path: "/api/media/{file}", action: access.Self, signed: true, tag: "library", does: "A video, its poster or its preview", bind: raw((*Server).media), raw: video},
		{method: head, path: "/api/media/{file}", action: access.Self, signed: true, tag: "library", does: "The same without the bytes", bind: raw((*Server).media), raw: video},

		{method: get, path: "/api/catalogue", action: access.ReadProduct, product: true, tag: "catalogue", does: "Search the local catalogue", bind: typed((*Server).searchCatalogue)},
		{method: post, path: "/api/catalogue/items", action: access.WriteProduct, product: true, writes: true, tag: "catalogue", does: "Import a video or a manifest entry", bind: raw((*Server).importItem),
			raw: &rawSpec{in: multipart, out: "application/json", doc: "Parts in this order: entry (JSON), file (optional)."}},
		{method: head, path: "/api/catalogue/media/{hash}", action: access.ReadProduct, product: true, tag: "catalogue", does: "Whether a file is in the catalogue", bind: raw((*Server).hasMedia), raw: &rawSpec{}},

		{method: get, path: inRoom + "/performance", action: access.ReadRoom, reads: scores, tag: "performance", does: "What each gene version led to", bind: typed((*Server).performance)},
		{method: get, path: inRoom + "/performance/rows", action: access.ReadRoom, reads: scores, tag: "performance", does: "The objects behind one number", bind: typed((*Server).performanceRows)},
	}
}
