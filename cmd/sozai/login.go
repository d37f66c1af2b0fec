package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"
)

type loginCommand struct {
	URL           string `arg:"" optional:"" default:"http://127.0.0.1:7317" help:"Server."`
	Name          string `short:"n" help:"Account name (asked for if absent)."`
	PasswordStdin bool   `help:"Read the password from standard input instead of asking."`
	Product       string `help:"Product of later commands (default: your first)."`
}

// Run exchanges name and password for a token of this person and keeps it for
// later commands.
func (c *loginCommand) Run(p *process) error {
	in := bufio.NewReader(p.stdin)
	name, password, err := c.credentials(p, in)
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	api := &client{base: strings.TrimRight(c.URL, "/"), http: &http.Client{}}
	var token struct {
		Token string `json:"token"`
	}
	err = api.call(p.ctx, http.MethodPost, "/api/tokens", map[string]string{"name": name, "password": password, "label": "sozai on " + host}, &token)
	if err != nil {
		return err
	}
	api.token = token.Token
	var products struct {
		Products []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"products"`
	}
	if err := api.call(p.ctx, http.MethodGet, "/api/products", nil, &products); err != nil {
		return err
	}
	product := c.Product
	if product == "" && len(products.Products) > 0 {
		product = products.Products[0].ID
	}
	if err := writeSignIn(p.getenv, signIn{URL: api.base, Token: token.Token, Name: name, Product: product}); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "signed in to %s as %s, product %s\n", api.base, name, product)
	return nil
}

func (c *loginCommand) credentials(p *process, in *bufio.Reader) (name, password string, err error) {
	name = c.Name
	if name == "" {
		fmt.Fprint(p.stderr, "name: ")
		if name, err = readLine(in); err != nil {
			return "", "", err
		}
	}
	file, interactive := p.stdin.(*os.File)
	if c.PasswordStdin || !interactive || !isTerminal(file) {
		password, err = readLine(in)
		return name, password, err
	}
	fmt.Fprint(p.stderr, "password: ")
	secret, err := term.ReadPassword(int(file.Fd())) //nolint:gosec // a descriptor fits
	fmt.Fprintln(p.stderr)
	return name, string(secret), err
}

func readLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

func writeSignIn(getenv func(string) string, s signIn) error {
	path, err := signInPath(getenv)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

type logoutCommand struct{}

// Run removes the sign-in of this terminal.
func (c *logoutCommand) Run(p *process) error {
	path, err := signInPath(p.getenv)
	if err != nil {
		return err
	}
	if !exists(path) {
		fmt.Fprintln(p.stdout, "not signed in")
		return nil
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, "signed out")
	return nil
}
