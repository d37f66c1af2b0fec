package effect_test

import (
	"testing"

	"sozai/agents/effect"
	"sozai/agents/effect/effecttest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	effecttest.Run(t, func(*testing.T) effect.Ledger { return new(effect.Memory) })
}
