package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
)

// table prints results as they come.
type table struct{ w io.Writer }

const tableLine = "%-44s %12s %12s %8s  %-16s %s\n"

func (t table) head() {
	fmt.Fprintf(t.w, tableLine, "name", "ours", "limit", "ratio", "must", "ok")
}

func (t table) row(r result) {
	value := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return figure(*v)
	}
	mark := "no"
	if r.OK {
		mark = "ok"
	}
	if r.Error != "" {
		mark += "  " + firstLine(r.Error)
	}
	ours := value(r.Ours)
	if r.Ours != nil {
		ours += pad(r.Unit)
	}
	limit := value(r.Limit)
	if r.Limit != nil {
		limit += pad(r.Unit)
	}
	fmt.Fprintf(t.w, tableLine, r.Name, ours, limit, value(r.Ratio), r.Must, mark)
}

// pad sets a unit off from its number, but for a rate.
func pad(unit string) string {
	if unit == "" || unit[0] == '/' {
		return unit
	}
	return " " + unit
}

// close is the last line: how many fall short.
func (t table) close(results []result) {
	short := shortfall(results)
	if short == 0 {
		fmt.Fprintf(t.w, "all %d rows reach what they must\n", len(results))
		return
	}
	fmt.Fprintf(t.w, "%d of %d rows fall short\n", short, len(results))
}

func shortfall(results []result) int {
	short := 0
	for _, r := range results {
		if !r.OK {
			short++
		}
	}
	return short
}

// write puts the results into a file, one object a row.
func write(path string, results []result) error {
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false) // people read it too
	enc.SetIndent("", "  ")
	if err := enc.Encode(results); err != nil {
		return err
	}
	if err := os.WriteFile(path, data.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}

func firstLine(text string) string {
	for i, c := range text {
		if c == '\n' {
			return text[:i]
		}
		if i > 160 && utf8.RuneStart(text[i]) {
			return text[:i] + "…"
		}
	}
	return text
}
