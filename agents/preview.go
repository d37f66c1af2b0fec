package agents

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	previewRunes = 300
	whyRunes     = 2_000
)

// preview is a shortened text for the record, without secrets.
func preview(s string) string { return shorten(redact(s), previewRunes) }

// shorten cuts a text to at most n runes, the last of them an ellipsis.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return strings.TrimSpace(string(r[:n-1])) + "…"
}

const secretName = `[a-z0-9_\-]*(?:password|passwd|secret|api[_-]?key|access[_-]?key|token|authorization|cookie|signature|credential)[a-z0-9_\-]*`

var (
	secretField = regexp.MustCompile(`(?i)("` + secretName + `"\s*:\s*")(?:[^"\\]|\\.)*`)
	secretParam = regexp.MustCompile(`(?i)(\b` + secretName + `=)[^&\s"']+`)
	bearerToken = regexp.MustCompile(`(?i)(\bbearer\s+)[a-z0-9._~+/=\-]{8,}`)
	providerKey = regexp.MustCompile(`(\bsk-)[A-Za-z0-9_\-]{8,}`)
	urlPassword = regexp.MustCompile(`(://[^/\s:@"]+:)[^@\s/"]+@`)
)

// redact blanks what looks like a secret: values of telling JSON keys or query
// parameters, bearer tokens, keys of model providers, passwords in URLs.
func redact(s string) string {
	s = secretField.ReplaceAllString(s, "${1}•••")
	s = secretParam.ReplaceAllString(s, "${1}•••")
	s = bearerToken.ReplaceAllString(s, "${1}•••")
	s = providerKey.ReplaceAllString(s, "${1}•••")
	return urlPassword.ReplaceAllString(s, "${1}•••@")
}
