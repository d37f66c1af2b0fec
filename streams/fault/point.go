//go:build !faults

package fault

// Point marks a step.
func Point(string) {}
