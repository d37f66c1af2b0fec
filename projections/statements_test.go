package projections_test

import (
	"context"
	"testing"
)

// TestEveryStatementIsValid prepares every statement that the wheel makes, so that
// a wrong one is named.
func TestEveryStatementIsValid(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	b.catchUp()
	wheel(b.log, key)
	for sql, err := range b.runner.Prepare(ctx, b.log.Events()) {
		t.Errorf("%v\n%s", err, sql)
	}
}
