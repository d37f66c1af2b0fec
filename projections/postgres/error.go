package postgres

import (
	"errors"
	"fmt"
)

// Why a cluster is not started. Each comes wrapped in a sentence that names the
// folder and the way out.
var (
	ErrNotInstalled = errors.New("postgres: no usable server binaries")
	ErrWrongVersion = errors.New("postgres: cluster made by another major version")
	ErrDamaged      = errors.New("postgres: cluster damaged")
	ErrDiskFull     = errors.New("postgres: disk nearly full")
	ErrInUse        = errors.New("postgres: folder in use")
	ErrOwner        = errors.New("postgres: folder belongs to another account")
	ErrEnded        = errors.New("postgres: server ended")
)

// refusal is one sentence for a person, which matches its kind with errors.Is.
type refusal struct {
	kind error
	text string
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.kind }

func refuse(kind error, format string, args ...any) error {
	return &refusal{kind: kind, text: fmt.Sprintf(format, args...)}
}
