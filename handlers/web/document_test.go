package web

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewrite = flag.Bool("update", false, "write frontend/openapi.json anew")

// TestDocumentOfTheFrontEnd holds frontend/openapi.json, from which the front
// end's types are made, to the document that this server serves.
func TestDocumentOfTheFrontEnd(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *Deps) { d.Version = "dev" }) // as an unreleased build says
	const path = "../../frontend/openapi.json"
	served := b.client().get("/api/openapi.json").want(200).body
	if *rewrite {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, served, "", "  "); err != nil {
			t.Fatal(err)
		}
		pretty.WriteByte('\n')
		if err := os.WriteFile(path, pretty.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal(served, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(kept, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("frontend/openapi.json is not what the server serves; run this test with -update, then `npm run types` (-served +kept):\n%s", diff)
	}
}
