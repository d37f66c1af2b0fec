package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) } //nolint:gosec // a descriptor fits

// exitError ends the process with a code of its own.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// sentence is an error as a person at a terminal reads it.
func sentence(err error) string {
	var op *net.OpError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Sprintf("%v: another program listens there; stop it or choose another address with --listen", err)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Sprintf("%v: the disk is full; make room, nothing that was acknowledged is lost", err)
	case errors.As(err, &op) && errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("no server answers at %s; start one with `make run`, or `sozai login` to another", op.Addr)
	}
	return err.Error()
}

// width is how many columns the terminal on stdout has; 0 if it is none.
func (p *process) width() int {
	f, ok := p.stdout.(*os.File)
	if !ok || !p.terminal {
		return 0
	}
	w, _, err := term.GetSize(int(f.Fd())) //nolint:gosec // a descriptor fits
	if err != nil {
		return 0
	}
	return w
}

// table lays rows out in columns by the width they take on a terminal, where a
// Chinese character is as wide as two letters.
type table struct {
	rows [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(cell))
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-columns(cell)+2))
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// columns is how many cells of a terminal a text takes.
func columns(text string) int {
	n := 0
	for _, r := range text {
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// printJSON writes one value, indented for a person, on one line for a pipe.
func (p *process) printJSON(v any) error {
	enc := json.NewEncoder(p.stdout)
	if p.terminal {
		enc.SetIndent("", "  ")
	}
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// ago is a rough age: 5s, 3m, 2h, 4d.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "–"
	}
	switch d := now.Sub(t); {
	case d < 0:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}

// exists reports whether a path is there.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// drain reads and closes a body, so that its connection is used again.
func drain(body io.ReadCloser) {
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 1<<20))
	_ = body.Close()
}
