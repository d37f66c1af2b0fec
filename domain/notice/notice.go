// Package notice owns what is recorded of notices to people: that one went out,
// or that it did not and why. Sending them is an effect and belongs to
// handlers/work. It may import only domain.
package notice

import "sozai/domain"

// The rules:
//
//  1. A notice is about an object, goes through a channel to somebody, and has an
//     id of its own.
//  2. A failed notice says why.

// Check decides whether it may be recorded.
func (s Sent) Check() error { return check(s.Notice, s.About, s.Channel, s.To) }

// Check decides whether it may be recorded.
func (f Failed) Check() error {
	if err := check(f.Notice, f.About, f.Channel, f.To); err != nil {
		return err
	}
	return domain.CheckRequired("error", f.Error, domain.MaxMessageRunes)
}

func check(notice domain.ID, about domain.Ref, channel string, to domain.ID) error {
	switch {
	case notice == "":
		return domain.Missing("notice")
	case to == "":
		return domain.Missing("to")
	}
	if err := domain.CheckRequired("channel", channel, domain.MaxNameRunes); err != nil {
		return err
	}
	return about.Check()
}
