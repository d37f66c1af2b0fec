package main

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// clockCommand runs this test binary as a process that tells the time whenever
// it is asked.
const clockCommand = "clock-child"

// TestMain lets the test binary be the children of rounds, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case logServerCommand:
			os.Exit(serveLog(os.Args[2:]))
		case clockCommand:
			tellTime()
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func tellTime() {
	begun := time.Now()
	for {
		file, err := os.OpenFile(os.Args[2], os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return
		}
		_, _ = fmt.Fprintf(file, "%d %d\n", time.Now().Unix(), time.Since(begun).Milliseconds())
		_ = file.Close()
		time.Sleep(5 * time.Millisecond) //nolint:forbidigo // this is a process that does nothing else
	}
}
