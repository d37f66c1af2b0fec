// Package behavior owns what was observed of people on the pages: looks, passes
// and downloads. They are weak signals and never outvote words. Whether an object
// belongs to the agent is judged where the event is applied. It may import only
// domain.
package behavior

import "sozai/domain"

// The rules:
//
//  1. Only people's behavior is observed.
//  2. One beacon carries 1 to 100 observations, each with an id of its own.
//  3. A material is viewed or ignored; a film is downloaded.
//  4. A gene version comes with the run that made the object, or not at all.
var (
	ErrEmpty  = domain.Rule(domain.Invalid, "beacon_empty", "the beacon carries nothing")
	ErrFull   = domain.Rule(domain.TooLarge, "beacon_full", "the beacon carries too much")
	ErrTwice  = domain.Rule(domain.Invalid, "observation_twice", "an observation is in the beacon twice")
	ErrType   = domain.Rule(domain.Invalid, "observation_type", "this cannot be observed")
	ErrObject = domain.Rule(domain.Invalid, "observation_object", "this cannot be observed of such an object")
	ErrStamp  = domain.Rule(domain.Invalid, "observation_stamp", "the run and gene version do not fit")
)

// Check decides whether a beacon of by may be recorded.
func (o Observed) Check(by domain.Actor) error {
	if err := domain.CheckPerson(by); err != nil {
		return err
	}
	switch n := len(o.Observations); {
	case o.Beacon == "":
		return domain.Missing("beacon")
	case n == 0:
		return ErrEmpty
	case n > domain.MaxObservations:
		return ErrFull.With(nil, "%d observations, at most %d are allowed", n, domain.MaxObservations)
	}
	seen := map[domain.ID]bool{}
	for _, one := range o.Observations {
		if seen[one.ID] {
			return ErrTwice.With(nil, "observation %s is in the beacon twice", one.ID)
		}
		seen[one.ID] = true
		if err := one.check(); err != nil {
			return err
		}
	}
	return nil
}

func (o Observation) check() error {
	var of domain.ObjectType
	switch o.Type {
	case Viewed, Ignored:
		of = domain.Material
	case Downloaded:
		of = domain.Film
	default:
		return ErrType.With(nil, "%q cannot be observed", o.Type)
	}
	switch {
	case o.ID == "":
		return domain.Missing("id")
	case o.Object.Type != of:
		return ErrObject.With(nil, "%s is observed of a %s, not of a %s", o.Type, of, o.Object.Type)
	case o.GeneVersion < 0, o.GeneVersion > 0 && o.Run == "":
		return ErrStamp
	}
	return o.Object.Check()
}
