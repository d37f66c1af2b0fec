package domain

import (
	"time"

	"strings"
)

// ID is a ULID in its canonical upper-case text form, or a short product or
// account name where a field says so.
type ID string

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ParseID accepts a canonical ULID in either case.
func ParseID(s string) (ID, error) {
	up := strings.ToUpper(s)
	if len(up) != 26 || up[0] > '7' {
		return "", Errorf(Invalid, "%q is not a ULID", s)
	}
	for i := range len(up) {
		if strings.IndexByte(crockford, up[i]) < 0 {
			return "", Errorf(Invalid, "%q is not a ULID", s)
		}
	}
	return ID(up), nil
}

// Time is the instant encoded in a ULID; the zero time if id is not one.
func (id ID) Time() time.Time {
	if len(id) != 26 {
		return time.Time{}
	}
	var ms int64
	for i := range 10 {
		v := strings.IndexByte(crockford, id[i])
		if v < 0 {
			return time.Time{}
		}
		ms = ms<<5 | int64(v)
	}
	return time.UnixMilli(ms).UTC()
}

func (id ID) String() string { return string(id) }
