package main

import (
	"strings"
	"testing"
	"time"

	"sozai/agents"
	"sozai/agents/agentstest"
	"sozai/agents/anthropic"
	"sozai/domain"
)

// modelRow is what doctor says of a model behind a contract server.
func modelRow(t *testing.T, key string, play func(agents.Request) agentstest.Scene) (check, *agentstest.AnthropicServer) {
	t.Helper()
	s := agentstest.NewAnthropicServer(t, false, play)
	d := &checkup{doctorCommand: &doctorCommand{
		Model: modelConfig{Key: secret(key), BaseURL: s.URL, Model: "claude-sonnet-4-6", Exchange: 7.2}, Probe: true,
	}, ctx: t.Context(), now: time.Now()}
	d.model()
	if len(d.done) != 1 {
		t.Fatalf("%+v", d.done)
	}
	if strings.Contains(d.done[0].Says, key) {
		t.Errorf("the key is shown: %+v", d.done[0])
	}
	return d.done[0], s
}

func TestDoctorAsksTheModel(t *testing.T) {
	t.Parallel()
	says := func(scene agentstest.Scene) func(agents.Request) agentstest.Scene {
		return func(agents.Request) agentstest.Scene { return scene }
	}
	good := agentstest.Scene{Reply: agentstest.Reply{Text: "ok"}}
	if c, s := modelRow(t, agentstest.ServerKey, says(good)); c.Status != checkOK || !strings.Contains(c.Says, "passes cache breakpoints through") || len(s.Requests()) != 2 {
		t.Errorf("a good gateway: %+v", c)
	}
	if c, _ := modelRow(t, agentstest.ServerKey, says(agentstest.Scene{Reply: agentstest.Reply{Text: "ok", NoUsage: true}})); c.Status != checkFail || !strings.Contains(c.Says, "usage") {
		t.Errorf("without usage: %+v", c)
	}
	if c, _ := modelRow(t, "wrong", says(good)); c.Status != checkFail || !strings.Contains(c.Do, "SOZAI_MODEL_KEY") {
		t.Errorf("a wrong key: %+v", c)
	}
	if c, _ := modelRow(t, agentstest.ServerKey, says(agentstest.Scene{Status: 529, Type: "overloaded_error"})); c.Status != checkFail || c.Do != "try again later" {
		t.Errorf("overloaded: %+v", c)
	}

	// A gateway that drops the breakpoints: nothing is cached.
	d := &checkup{doctorCommand: &doctorCommand{}, ctx: t.Context()}
	d.probed("gateway", anthropic.ProbeReport{Usage: true, Again: anthropic.Answer{Usage: domain.Usage{Known: true, Input: 6_000}}})
	if c := d.done[0]; c.Status != checkWarn || !strings.Contains(c.Says, "0 of 6,000") {
		t.Errorf("breakpoints dropped: %+v", c)
	}
}
