//go:build !(linux && amd64)

package main

import (
	"errors"
	"os/exec"
	"time"
)

// clock gives processes another time of day; it is made on Linux on amd64 only.
type clock struct{}

func newClock() (*clock, error) { return nil, errors.New("clocks are moved on Linux on amd64 only") }

func (c *clock) launch(cmd *exec.Cmd) error { return cmd.Start() }
func (c *clock) set(time.Duration) error    { return errors.New("there is no other clock") }
func (c *clock) now() time.Time             { return time.Now() }
func (c *clock) forget(int)                 {}
