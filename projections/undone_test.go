package projections_test

import (
	"context"
	"testing"

	"sozai/projections"
	"sozai/projections/projectionstest"
	"sozai/streams/streamstest"
)

// A database that crashes loses commits that it had confirmed, since they are not
// flushed. What they held is applied again, though no event comes that would show it.
func TestACommitThatIsLostIsMadeAgain(t *testing.T) {
	t.Parallel()
	server := streamstest.Start(t)
	before := say(t, server.Log, 0, 10, "first")
	event := must[string](t)(eventAt(t, server, before))
	pool := projectionstest.Pool(t)
	store := projections.NewStore(pool)
	b := &bundle{t: t, store: store, runner: projections.NewRunner(store, server.Log, projectionstest.Quiet())}
	b.run(b.runner)
	last := say(t, server.Log, 10, 12, "second")
	at := func(seq uint64) func() bool {
		return func() bool {
			for _, have := range b.positions() {
				if have != seq {
					return false
				}
			}
			return true
		}
	}
	eventually(t, "all is applied", at(last))

	// Messages make no rows of these, so that their positions alone are set back.
	tag, err := pool.Exec(context.Background(), `UPDATE control.projections SET seq = $1, event_id = $2
		WHERE projection IN ('genes', 'library', 'directory')`, int64(before), event)
	if err != nil || tag.RowsAffected() != 3 {
		t.Fatalf("set back: %v, %v", tag, err)
	}
	eventually(t, "all is applied again", at(last))
	b.same()
}

func eventAt(t *testing.T, server *streamstest.Server, seq uint64) (string, error) {
	t.Helper()
	id, err := server.Log.EventID(context.Background(), seq)
	return string(id), err
}
