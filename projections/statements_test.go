package projections_test

import (
	"context"
	"testing"
)

// TestEveryStatementIsValid prepares every statement of every table and index, so
// that a wrong column is named.
func TestEveryStatementIsValid(t *testing.T) {
	b := setup(t)
	for sql, err := range b.runner.Prepare(context.Background()) {
		t.Errorf("%v\n%s", err, sql)
	}
}
