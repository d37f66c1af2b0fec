package web

import (
	"context"
	"time"

	"sozai/domain"
	"sozai/handlers/access"
)

type TokenView struct {
	ID      domain.ID      `json:"id"`
	Label   string         `json:"label"`
	Scopes  []access.Scope `json:"scopes"`
	Created time.Time      `json:"created"`
	Expires *time.Time     `json:"expires,omitempty"`
	Used    *time.Time     `json:"used,omitempty"`
}

type tokensView struct {
	Tokens []TokenView `json:"tokens"`
}

func (s *Server) listTokens(ctx context.Context, r *request, _ *struct{}) (tokensView, error) {
	list, err := s.deps.Access.Tokens(ctx, r.caller.User)
	views := make([]TokenView, len(list))
	for i, t := range list {
		views[i] = TokenView(t)
	}
	return tokensView{Tokens: views}, err
}

type newToken struct {
	Label   string         `json:"label,omitempty" maxLength:"80"`
	Scopes  []access.Scope `json:"scopes,omitempty" doc:"report, analyst, worker, admin, person. With a password: person only"`
	Expires *time.Time     `json:"expires,omitempty"`
	// Name and Password sign in for this one request, as the command line does.
	Name     string `json:"name,omitempty" maxLength:"200"`
	Password string `json:"password,omitempty" maxLength:"1000"`
}

type createdToken struct {
	TokenView
	Token string `json:"token" doc:"The secret, shown once"`
}

func (s *Server) createToken(ctx context.Context, r *request, in *struct{ Body newToken }) (createdToken, error) {
	var t access.Token
	var secret string
	var err error
	switch b := in.Body; {
	case b.Name != "" || b.Password != "":
		if len(b.Scopes) > 1 || len(b.Scopes) == 1 && b.Scopes[0] != access.ScopePerson || b.Expires != nil {
			return createdToken{}, domain.Errorf(domain.Invalid, "by password there are only lasting tokens of scope person")
		}
		t, secret, err = s.deps.Access.NewPersonToken(ctx, b.Name, b.Password, r.c.IP(), b.Label)
	case !r.caller.SignedIn():
		err = access.ErrSignedOut
	default:
		t, secret, err = s.deps.Access.NewToken(ctx, r.caller, b.Label, b.Scopes, b.Expires)
	}
	return createdToken{TokenView: TokenView(t), Token: secret}, err
}

func (s *Server) revokeToken(ctx context.Context, r *request, in *struct {
	Token string `path:"token"`
}) (none, error) {
	id, err := parseID("token", in.Token)
	if err != nil {
		return none{}, err
	}
	return none{}, s.deps.Access.Revoke(ctx, r.caller.User, id)
}

type accountView struct {
	ID       domain.ID `json:"id"`
	Name     string    `json:"name"`
	Admin    bool      `json:"admin"`
	Disabled bool      `json:"disabled"`
	Created  time.Time `json:"created"`
	Products []string  `json:"products"`
}

type accountsView struct {
	Accounts []accountView `json:"accounts"`
}

func (s *Server) listAccounts(ctx context.Context, _ *request, _ *struct{}) (accountsView, error) {
	list, err := s.deps.Access.Accounts(ctx)
	views := make([]accountView, len(list))
	for i, a := range list {
		views[i] = accountView(a)
	}
	return accountsView{Accounts: views}, err
}

func (s *Server) setAccount(ctx context.Context, _ *request, in *struct {
	Account string `path:"account"`
	Body    struct {
		Admin    bool `json:"admin"`
		Disabled bool `json:"disabled"`
	}
}) (none, error) {
	id, err := parseID("account", in.Account)
	if err != nil {
		return none{}, err
	}
	return none{}, s.deps.Access.SetAccount(ctx, id, in.Body.Admin, in.Body.Disabled)
}

type invitation struct {
	LinkView
	Token string `json:"token" doc:"The secret of the link, shown once"`
	Path  string `json:"path" doc:"Where the link leads on this server"`
}

func (s *Server) invite(ctx context.Context, r *request, in *struct {
	Body struct {
		Admin    bool     `json:"admin,omitempty"`
		Products []string `json:"products,omitempty" uniqueItems:"true" maxItems:"100"`
	}
}) (invitation, error) {
	l, secret, err := s.deps.Access.Invite(ctx, r.caller.User, in.Body.Admin, in.Body.Products)
	return invitation{LinkView: LinkView(l), Token: secret, Path: "/link/" + secret}, err
}

type productsView struct {
	Products []productView `json:"products"`
}

func (s *Server) listProducts(ctx context.Context, r *request, _ *struct{}) (productsView, error) {
	list, err := s.products(ctx, r)
	return productsView{Products: list}, err
}

func (s *Server) createProduct(ctx context.Context, r *request, in *struct{ Body productView }) (productView, error) {
	return in.Body, s.deps.Access.CreateProduct(ctx, access.Product(in.Body), r.caller.User)
}

type peopleView struct {
	People []userView `json:"people"`
}

func (s *Server) listPeople(ctx context.Context, r *request, _ *struct{}) (peopleView, error) {
	list, err := s.deps.Access.People(ctx, r.product)
	views := make([]userView, len(list))
	for i, a := range list {
		views[i] = userView{ID: a.ID, Name: a.Name, Admin: a.Admin}
	}
	return peopleView{People: views}, err
}

type accountPath struct {
	Account string `path:"account"`
}

func (s *Server) addPerson(ctx context.Context, r *request, in *accountPath) (none, error) {
	return s.setMembership(ctx, r, in, true)
}

func (s *Server) removePerson(ctx context.Context, r *request, in *accountPath) (none, error) {
	return s.setMembership(ctx, r, in, false)
}

func (s *Server) setMembership(ctx context.Context, r *request, in *accountPath, member bool) (none, error) {
	id, err := parseID("account", in.Account)
	if err != nil {
		return none{}, err
	}
	return none{}, s.deps.Access.SetMembership(ctx, r.product, id, member)
}

// nameOf maps the people among actors to their names.
func (s *Server) nameOf(ctx context.Context, actors ...domain.Actor) (map[domain.ID]string, error) {
	people := map[domain.ID]string{}
	var missing []domain.ID
	for _, a := range actors {
		if !a.IsPerson() {
			continue
		}
		id := a.ID()
		if _, done := people[id]; done {
			continue
		}
		if name, ok := s.names.Load(id); ok {
			people[id] = name.(string)
			continue
		}
		missing = append(missing, id)
	}
	found, err := s.deps.Access.Names(ctx, missing)
	for id, name := range found {
		people[id] = name
		s.names.Store(id, name)
	}
	return people, err
}
