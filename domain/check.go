package domain

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// Checks that every kind shares. They are what a request can get wrong whatever
// the state is, except ErrPersonOnly, which is about who asks.
var (
	ErrPersonOnly = Rule(Forbidden, "person_only", "only a person may do this")
	ErrText       = Rule(Invalid, "bad_text", "the text cannot be stored")
	ErrTooLong    = Rule(Invalid, "too_long", "the text is too long")
	ErrMissing    = Rule(Invalid, "missing", "something required is missing")
	ErrRef        = Rule(Invalid, "bad_reference", "the reference cannot be right")
)

// CheckPerson refuses anybody who is not a person.
func CheckPerson(by Actor) error {
	if !by.IsPerson() {
		return ErrPersonOnly.With(nil, "only a person may do this, not %q", by)
	}
	return nil
}

// CheckText accepts valid UTF-8 without NUL (Postgres stores neither) of at most
// limit runes. field names the text in the message.
func CheckText(field, text string, limit int) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return ErrText.With(map[string]any{"field": field}, "%s is not clean UTF-8 text", field)
	}
	if n := utf8.RuneCountInString(text); n > limit {
		return ErrTooLong.With(map[string]any{"field": field, "length": n, "limit": limit},
			"%s has %d characters, at most %d are allowed", field, n, limit)
	}
	return nil
}

// CheckRequired is CheckText for a text that must say something.
func CheckRequired(field, text string, limit int) error {
	if strings.TrimSpace(text) == "" {
		return Missing(field)
	}
	return CheckText(field, text, limit)
}

// Missing refuses because field is empty.
func Missing(field string) *Error {
	return ErrMissing.With(map[string]any{"field": field}, "%s is missing", field)
}

// Clip makes any text storable: clean UTF-8, at most limit runes. It is for text
// that a worker must not be refused for, such as a summary at the end of a run.
func Clip(text string, limit int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:max(limit-1, 0)]) + "…"
}

// Stamp is a time as it is shown to people and machines: UTC RFC 3339, "" for none.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Finite says that all numbers are real ones: JSON can carry no others.
func Finite(numbers ...float64) bool {
	for _, n := range numbers {
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return false
		}
	}
	return true
}

// Check accepts a reference to a known type of object. Only the whole needs no
// id, only boards have panels, only films have a time range.
func (r Ref) Check() error {
	switch r.Type {
	case Material, Board, Film, Asset, RunObj, CardObj, OrderObj, Version:
		if r.ID == "" {
			return ErrRef.With(nil, "a reference to a %s needs an id", r.Type)
		}
	case Whole:
		if r.ID != "" {
			return ErrRef.With(nil, "a reference to the whole takes no id")
		}
	default:
		return ErrRef.With(nil, "%q is no type of object", r.Type)
	}
	if err := CheckText("id", string(r.ID), MaxNameRunes); err != nil {
		return err
	}
	if r.Panel < 0 || r.Panel != 0 && r.Type != Board {
		return ErrRef.With(nil, "panel %d of a %s cannot be", r.Panel, r.Type)
	}
	if r.From == 0 && r.To == 0 {
		return nil
	}
	if r.Type != Film || !Finite(r.From, r.To) || r.From < 0 || r.To < r.From {
		return ErrRef.With(nil, "seconds %g to %g of a %s cannot be", r.From, r.To, r.Type)
	}
	return nil
}

// CheckRefs checks each of at most limit references.
func CheckRefs(refs []Ref, limit int) error {
	if len(refs) > limit {
		return ErrRef.With(nil, "%d references, at most %d are allowed", len(refs), limit)
	}
	for _, r := range refs {
		if err := r.Check(); err != nil {
			return err
		}
	}
	return nil
}
