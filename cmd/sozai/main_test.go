package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"sozai/projections/postgres/postgrestest"
)

// steps counts what the wheels of this test process played.
var steps struct{ passed, failed atomic.Int64 }

// TestMain removes what tests share and, if a wheel was played, ends in its sum.
func TestMain(m *testing.M) {
	code := m.Run()
	if built.path != "" {
		_ = os.RemoveAll(filepath.Dir(built.path))
	}
	if clips.made {
		_ = os.RemoveAll(clips.dir)
	}
	if err := postgrestest.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop the test database:", err)
		code = 1
	}
	if passed, failed := steps.passed.Load(), steps.failed.Load(); passed+failed > 0 {
		fmt.Printf("%d passed, %d failed\n", passed, failed)
	}
	os.Exit(code)
}
