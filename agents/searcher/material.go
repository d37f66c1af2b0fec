package searcher

import (
	"crypto/sha256"

	"github.com/oklog/ulid/v2"

	"sozai/domain"
	"sozai/domain/library"
)

// MaterialID is the id that a video gets as a material of an agent. It follows
// from agent, source and external id alone: two runs or attempts that save the
// same video name the same material, so it can never exist twice.
func MaterialID(key domain.Key, source, external string) domain.ID {
	h := sha256.New()
	for _, part := range []string{key.Product, string(key.Agent), source, external} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	sum := h.Sum(nil)
	var id ulid.ULID
	copy(id[6:], sum)
	// A ULID begins with a time; the external id's own keeps ids in an order
	// that means something where it has one.
	if ext, err := ulid.ParseStrict(external); err == nil {
		copy(id[:6], ext[:6])
	}
	return domain.ID(id.String())
}

// facts are what saving an entry writes: the material, and its analysis if it
// has media. Text from outside is cut to what can be stored; anything else that
// cannot be recorded is refused.
func (s *session) facts(e entry, why string) ([]domain.Fact, error) {
	from := origin(e.ID)
	id := MaterialID(s.task.Key, from, e.ID)
	saved := library.Saved{
		Material: id, Run: s.task.Run, Attempt: s.task.Attempt, GeneVersion: s.task.Gene.Version,
		Source: from, External: e.ID, Title: domain.Clip(e.Title, library.MaxTitle),
		Author: domain.Clip(e.Author, library.MaxTitle), Platform: domain.Clip(e.Platform, library.MaxTitle),
		URL: e.URL, Counts: e.Counts, Published: e.Published, Why: clip(why, 300),
	}
	if e.Media.Hash != "" { // else it is only what the source claims
		saved.Media = e.Media
	}
	for _, tag := range e.Tags[:min(len(e.Tags), library.MaxTags)] {
		saved.Tags = append(saved.Tags, domain.Clip(tag, library.MaxTitle))
	}
	if err := saved.Check(); err != nil {
		return nil, err
	}
	if e.Analysis == nil {
		return []domain.Fact{saved}, nil
	}
	analysed := e.Analysis.Fact(id)
	analysed.Run, analysed.Attempt = s.task.Run, s.task.Attempt
	if err := analysed.Check(); err != nil {
		return nil, err
	}
	return []domain.Fact{saved, analysed}, nil
}
