// Package prompts holds the constitutions of the model-driven trades as embedded
// text, one file a role, reviewed like code. A version is the hash of the text,
// so a run's events say exactly which words it was played with. It may import
// the standard library only.
package prompts

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
)

//go:embed *.md
var files embed.FS

// Prompt is a constitution and the version that events name, for example
// "butler@3f2a9c01d4e5".
type Prompt struct {
	Text    string
	Version string
}

// Butler is the constitution of the butler, the same for chat and digest.
func Butler() Prompt { return load("butler") }

// Searcher is the constitution of the searcher.
func Searcher() Prompt { return load("searcher") }

// Planner is the constitution of the planner.
func Planner() Prompt { return load("planner") }

// load panics when a text that was compiled in is missing: a build without it is
// broken and must not start.
func load(role string) Prompt {
	raw, err := files.ReadFile(role + ".md")
	if err != nil {
		panic(fmt.Sprintf("prompts: %v", err))
	}
	text := strings.TrimSpace(strings.ReplaceAll(string(raw), "\r\n", "\n")) + "\n"
	sum := sha256.Sum256([]byte(text))
	return Prompt{Text: text, Version: role + "@" + hex.EncodeToString(sum[:6])}
}
