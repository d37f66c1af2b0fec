package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// How often a meter says something: a terminal's line is rewritten, elsewhere
// each word is a line that stays.
const (
	meterTerminal = 100 * time.Millisecond
	meterPlain    = 5 * time.Second
)

// meter shows how a long job goes on, on standard error. For one goroutine.
type meter struct {
	w        io.Writer
	terminal bool
	begun    time.Time
	said     time.Time
	dirty    bool // an unfinished line stands on the terminal
}

func (p *process) meter() *meter {
	now := time.Now()
	return &meter{w: p.stderr, terminal: p.watched, begun: now, said: now}
}

// say shows a line if it is time for one.
func (m *meter) say(line func() string) {
	every := meterPlain
	if m.terminal {
		every = meterTerminal
	}
	if time.Since(m.said) < every {
		return
	}
	m.said = time.Now()
	if m.terminal {
		fmt.Fprintf(m.w, "\r%s\x1b[K", line())
		m.dirty = true
		return
	}
	fmt.Fprintln(m.w, line())
}

// events shows a count of events, with the rate since the meter was made and,
// if the total is known, what is left.
func (m *meter) events(what string, n, total uint64) {
	m.say(func() string {
		rate := float64(n) / max(time.Since(m.begun).Seconds(), 1e-3)
		if total == 0 {
			return fmt.Sprintf("%s  %s events  %s/s", what, thousands(n), thousands(uint64(rate)))
		}
		var left time.Duration
		if rate > 0 && total > n {
			left = time.Duration(float64(total-n) / rate * float64(time.Second))
		}
		return progressLine(what, n, total, rate, left)
	})
}

// end clears the terminal's line.
func (m *meter) end() {
	if m.dirty {
		fmt.Fprint(m.w, "\r\x1b[K")
		m.dirty = false
	}
}

func progressLine(what string, n, total uint64, rate float64, left time.Duration) string {
	percent := 100.0
	if total > 0 {
		percent = 100 * float64(n) / float64(total)
	}
	return fmt.Sprintf("%s  %s of %s events  %.0f%%  %s/s  %s left",
		what, thousands(n), thousands(total), percent, thousands(uint64(rate)), left.Round(time.Second))
}

// thousands writes a number as people read it: 1,234,567.
func thousands(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// plural is a count with its noun.
func plural[N int | int64 | uint64](n N, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return thousands(uint64(n)) + " " + noun
}
