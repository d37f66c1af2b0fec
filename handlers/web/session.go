package web

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"sozai/domain"
	"sozai/handlers/access"
)

type credentials struct {
	Name     string `json:"name" minLength:"1" maxLength:"200"`
	Password string `json:"password" minLength:"1" maxLength:"1000"`
}

type userView struct {
	ID    domain.ID `json:"id"`
	Name  string    `json:"name"`
	Admin bool      `json:"admin"`
}

type productView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type sessionView struct {
	User     userView      `json:"user"`
	Products []productView `json:"products"`
	Model    Model         `json:"model"`
	Version  string        `json:"version"`
	Limits   limitsView    `json:"limits"`
	Sources  []searchable  `json:"sources" doc:"Where agents can search"`
}

// limitsView is what a page says of work before a person asks for it.
type limitsView struct {
	RunCostYuan        float64 `json:"run_cost_yuan" doc:"The most that one run may cost"`
	CompetitorSearches int     `json:"competitor_searches" doc:"The most that one run asks the competitor bridge"`
	CompetitorMinutes  float64 `json:"competitor_minutes" doc:"How long each of them is waited for"`
	HotMinutes         float64 `json:"hot_minutes" doc:"How long the deep-search engine is waited for"`
}

func (s *Server) getSession(ctx context.Context, r *request, _ *struct{}) (sessionView, error) {
	products, err := s.products(ctx, r)
	return sessionView{
		User:     userView{ID: r.caller.User, Name: r.caller.Name, Admin: r.caller.Admin},
		Products: products, Model: s.deps.Model, Version: s.deps.Version, Sources: s.searchables(),
		Limits: limitsView{
			RunCostYuan: domain.MaxRunCost.Yuan(), CompetitorSearches: domain.CompetitorSubmissions,
			CompetitorMinutes: domain.CompetitorWait.Minutes(), HotMinutes: domain.HotWait.Minutes(),
		},
	}, err
}

func (s *Server) products(ctx context.Context, r *request) ([]productView, error) {
	list, err := s.deps.Access.Products(ctx, r.caller)
	views := make([]productView, len(list))
	for i, p := range list {
		views[i] = productView(p)
	}
	return views, err
}

func (s *Server) signIn(ctx context.Context, r *request, in *struct{ Body credentials }) (none, error) {
	_, secret, err := s.deps.Access.SignIn(ctx, in.Body.Name, in.Body.Password, r.c.IP())
	if err != nil {
		return none{}, err
	}
	s.setCookie(r.c, secret, access.SessionLifetime)
	return none{}, nil
}

func (s *Server) signOut(ctx context.Context, r *request, _ *struct{}) (none, error) {
	if secret := r.c.Cookies(cookieName); secret != "" {
		session, err := s.deps.Access.SignOut(ctx, secret)
		if err != nil {
			return none{}, err
		}
		s.rooms.endSession(session)
	}
	s.setCookie(r.c, "", -time.Hour)
	return none{}, nil
}

// setCookie hands the session to the browser; scripts cannot read it, and other
// sites' requests do not carry it.
func (s *Server) setCookie(c *fiber.Ctx, secret string, life time.Duration) {
	c.Cookie(&fiber.Cookie{
		Name: cookieName, Value: secret, Path: "/", Expires: time.Now().Add(life), MaxAge: int(life.Seconds()),
		HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: s.secure(c),
	})
}

type LinkView struct {
	Purpose  string    `json:"purpose" enum:"first_admin,invite"`
	Admin    bool      `json:"admin"`
	Products []string  `json:"products"`
	Expires  time.Time `json:"expires"`
}

func (s *Server) getLink(ctx context.Context, _ *request, in *struct {
	Token string `path:"token"`
}) (LinkView, error) {
	l, err := s.deps.Access.Link(ctx, in.Token)
	return LinkView(l), err
}

func (s *Server) useLink(ctx context.Context, r *request, in *struct {
	Token string `path:"token"`
	Body  credentials
}) (none, error) {
	_, secret, err := s.deps.Access.UseLink(ctx, in.Token, in.Body.Name, in.Body.Password)
	if err != nil {
		return none{}, err
	}
	s.setCookie(r.c, secret, access.SessionLifetime)
	return none{}, nil
}
