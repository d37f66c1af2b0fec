package projections

// Chunked is the runner with smaller chunks for builds.
func (r *Runner) Chunked(n int) *Runner {
	r.buildChunk = n
	return r
}

// SchemasOf are the schemas that a look at the past reads.
func SchemasOf(view *Store) map[string]string {
	out := map[string]string{}
	for name, q := range view.past {
		out[name] = q.schema
	}
	return out
}
