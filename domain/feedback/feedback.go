// Package feedback owns people's reactions to what the agent found and made: what
// counts as one, how strong it is, and which document of the gene it speaks to.
// Settling it belongs to the gene's cards. It may import only domain.
package feedback

import "sozai/domain"

// The rules:
//
//  1. Feedback has a verdict, words, or both.
//  2. It is about a material, a board or one panel of it, a film or a stretch of
//     it, or the whole.
//  3. A person gives it, or a butler writes down what a person said in a turn.
//  4. Words are strong, a click is weak.
//  5. Unless whoever wrote it down said so, feedback on a material speaks to the
//     search document, on a board or film to the steer document; on the whole the
//     content decides.
//  6. Only the person whose feedback it is withdraws it.
var (
	ErrEmpty    = domain.Rule(domain.Invalid, "feedback_empty", "feedback needs a verdict or words")
	ErrVerdict  = domain.Rule(domain.Invalid, "feedback_verdict", "a verdict is like, dislike or none")
	ErrObject   = domain.Rule(domain.Invalid, "feedback_object", "there is no feedback about such an object")
	ErrSpeaker  = domain.Rule(domain.Forbidden, "feedback_speaker", "feedback comes from a person")
	ErrDocument = domain.Rule(domain.Invalid, "feedback_document", "feedback speaks to the search or the steer document")
	ErrNotOwn   = domain.Rule(domain.Forbidden, "feedback_not_own", "only who gave it may withdraw it")
)

// Check decides whether by may record g.
func (g Given) Check(by domain.Actor) error {
	if g.Feedback == "" {
		return domain.Missing("feedback")
	}
	if err := g.checkSpeaker(by); err != nil {
		return err
	}
	switch g.Object.Type {
	case domain.Material, domain.Board, domain.Film, domain.Whole:
	default:
		return ErrObject.With(nil, "there is no feedback about a %q", g.Object.Type)
	}
	if err := g.Object.Check(); err != nil {
		return err
	}
	if g.Verdict != Like && g.Verdict != Dislike && g.Verdict != None {
		return ErrVerdict.With(nil, "%q is no verdict", g.Verdict)
	}
	if g.Verdict == None && !g.Strong() {
		return ErrEmpty
	}
	if g.Document != "" && g.Document != domain.Search && g.Document != domain.Steer {
		return ErrDocument.With(nil, "feedback does not speak to %q", g.Document)
	}
	return domain.CheckText("words", g.Words, domain.MaxFeedback)
}

func (g Given) checkSpeaker(by domain.Actor) error {
	switch {
	case by.IsPerson() && g.OnBehalf == "" && g.Turn == "":
		return nil
	case by.IsButler() && g.OnBehalf != "" && g.Turn != "":
		return nil
	case by.IsPerson():
		return ErrSpeaker.With(nil, "people speak for themselves")
	case by.IsButler():
		return ErrSpeaker.With(nil, "a butler writes down only what a person said in a turn")
	}
	return ErrSpeaker.With(nil, "%q gives no feedback", by)
}

// Speaker is the person whose feedback it is; by is the recorded actor.
func (g Given) Speaker(by domain.Actor) domain.Actor {
	if g.OnBehalf != "" {
		return domain.User(g.OnBehalf)
	}
	return by
}

// Strong says that it has words.
func (g Given) Strong() bool { return g.Words != "" }

// SpeaksTo is the document that it speaks to; "" if the content decides.
func (g Given) SpeaksTo() domain.Document {
	if g.Document != "" {
		return g.Document
	}
	return DefaultDocument(g.Object)
}

// DefaultDocument is the document that feedback on an object speaks to unless
// something else was said; "" for the whole.
func DefaultDocument(ref domain.Ref) domain.Document {
	switch ref.Type {
	case domain.Material:
		return domain.Search
	case domain.Board, domain.Film:
		return domain.Steer
	}
	return ""
}

// Withdraw takes g back for the person whose feedback it is; given is the actor
// who recorded it.
func (g Given) Withdraw(given, by domain.Actor) (Withdrawn, error) {
	if !by.IsPerson() || g.Speaker(given) != by {
		return Withdrawn{}, ErrNotOwn
	}
	return Withdrawn{Feedback: g.Feedback}, nil
}
