package main

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/streams"
)

// eventFilter is what of the log is asked for. Key and kinds are the log's own
// filter; the rest is looked at event by event.
type eventFilter struct {
	key          domain.Key
	kinds        []domain.Kind
	types        []string // wire names or patterns such as card.*
	actors       []string // user, or user:<id>
	since, until time.Time
}

func (f eventFilter) keeps(r domain.Recorded) bool {
	_, poison := r.Event.(streams.Poison)
	switch {
	case f.key.Product != "" && f.key.Product != r.Product,
		f.key.Agent != "" && f.key.Agent != r.Agent,
		len(f.kinds) > 0 && !slices.Contains(f.kinds, r.Kind),
		len(f.types) > 0 && !matchesAny(f.types, r.Type),
		len(f.actors) > 0 && !actsAs(f.actors, r.Actor):
		return false
	case poison && r.Time.IsZero():
		return true // shown rather than lost to a time that cannot be read
	}
	return !r.Time.Before(f.since) && (f.until.IsZero() || r.Time.Before(f.until))
}

// plain says that the log's own filter, or none, is all there is.
func (f eventFilter) plain() bool {
	return len(f.types) == 0 && len(f.actors) == 0 && f.since.IsZero() && f.until.IsZero() &&
		f.key == (domain.Key{}) && len(f.kinds) == 0
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return err == nil && ok
	})
}

func actsAs(actors []string, actor domain.Actor) bool {
	return slices.Contains(actors, actor.Role()) || slices.Contains(actors, string(actor))
}

func parseKinds(names []string) ([]domain.Kind, error) {
	var kinds []domain.Kind
	for _, name := range names {
		kind := domain.Kind(name)
		if !slices.Contains(domain.Kinds(), kind) {
			var all []string
			for _, k := range domain.Kinds() {
				all = append(all, string(k))
			}
			return nil, fmt.Errorf("--kind %q: choose from %s", name, strings.Join(all, ", "))
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

// parseMoment reads a moment: RFC 3339, a day, a day and time of this machine's
// zone, or how long ago (90s, 15m, 2h, 3d). The end of a day is its midnight.
func parseMoment(flag, text string, now time.Time, end bool) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 {
			return now.Add(-time.Duration(n * 24 * float64(time.Hour))), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, nil
	}
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		if end {
			day = day.AddDate(0, 0, 1)
		}
		return day, nil
	}
	return time.Time{}, fmt.Errorf("%s %q: want a time such as 2026-07-01T08:00:00Z, 2026-07-01, \"2026-07-01 08:00\", or how long ago: 90s, 15m, 2h, 3d", flag, text)
}

// agentNames are the agents of the log by key, with their present names.
func agentNames(ctx context.Context, log *streams.Log) (map[domain.Key]string, error) {
	names := map[domain.Key]string{}
	err := log.Read(ctx, 0, 0, domain.Key{}, []domain.Kind{domain.KindAgent}, func(events []domain.Recorded) error {
		for _, r := range events {
			learnName(names, r)
		}
		return nil
	})
	return names, err
}

func learnName(names map[domain.Key]string, r domain.Recorded) {
	switch e := r.Event.(type) {
	case agent.Created:
		names[r.Key] = e.Name
	case agent.Edited:
		if e.Name != nil {
			names[r.Key] = *e.Name
		}
	}
}

// findAgent is the one agent meant by an id, a name, or a part of one name.
func findAgent(names map[domain.Key]string, want string) (domain.Key, error) {
	id, _ := domain.ParseID(want)
	var exact, part []domain.Key
	for key, name := range names {
		switch {
		case key.Agent == id:
			return key, nil
		case name == want:
			exact = append(exact, key)
		case strings.Contains(strings.ToLower(name), strings.ToLower(want)):
			part = append(part, key)
		}
	}
	if len(exact) == 0 {
		exact = part
	}
	switch {
	case len(exact) == 1:
		return exact[0], nil
	case len(exact) > 1:
		slices.SortFunc(exact, func(a, b domain.Key) int { return strings.Compare(string(a.Agent), string(b.Agent)) })
		var list []string
		for _, key := range exact[:min(len(exact), 5)] {
			list = append(list, fmt.Sprintf("%s (%s, product %s)", key.Agent, names[key], key.Product))
		}
		return domain.Key{}, fmt.Errorf("%d agents are called like %q; name one by its id: %s", len(exact), want, strings.Join(list, ", "))
	case id != "":
		return domain.Key{}, fmt.Errorf("the log has no agent %s", id)
	}
	return domain.Key{}, fmt.Errorf("the log has no agent called %q (`sozai events --kind agent` lists them)", want)
}
