package web

import (
	"context"
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/streams"
)

// mostSlots bounds the list of work; those that wait longest are in it.
const mostSlots = 200

type streamsView struct {
	Streams []streams.StreamStatus `json:"streams"`
}

func (s *Server) streams(ctx context.Context, _ *request, _ *struct{}) (streamsView, error) {
	list, err := s.deps.Log.Status(ctx)
	return streamsView{Streams: list}, err
}

type slotView struct {
	Work      streams.Work `json:"work"`
	Product   string       `json:"product"`
	Agent     domain.ID    `json:"agent"`
	AgentName string       `json:"agent_name"`
	Run       domain.ID    `json:"run,omitempty"`
	Turn      domain.ID    `json:"turn,omitempty"`
	State     string       `json:"state" enum:"waiting,working,silent" doc:"silent: taken, but without a sign of life"`
	Worker    string       `json:"worker,omitempty"`
	Attempt   int          `json:"attempt,omitempty"`
	OfferedAt time.Time    `json:"offered_at"`
	StartedAt *time.Time   `json:"started_at,omitempty" doc:"Of the last attempt"`
}

type workView struct {
	Slots   []slotView `json:"slots" doc:"Oldest first"`
	Waiting int        `json:"waiting"`
	Working int        `json:"working"`
	More    int        `json:"more" doc:"Further slots that are not listed"`
	Alive   float64    `json:"alive" doc:"Seconds within which a worker must give a sign of life"`
}

// work tells what waits and who works on what.
func (s *Server) work(ctx context.Context, _ *request, _ *struct{}) (workView, error) {
	if s.deps.Queue == nil || s.deps.Alive == nil {
		return workView{}, domain.Rule(domain.Unavailable, "work_unknown", "this process does not see the work queue")
	}
	slots, err := s.deps.Queue.Slots(ctx)
	if err != nil {
		return workView{}, err
	}
	beats, err := s.deps.Alive.List(ctx)
	if err != nil {
		return workView{}, err
	}
	v := workView{Slots: []slotView{}, Alive: s.deps.Queue.AckWait().Seconds()}
	names := map[domain.Key]string{}
	for _, slot := range slots {
		if slot.Taken {
			v.Working++
		} else {
			v.Waiting++
		}
		if len(v.Slots) == mostSlots {
			v.More++
			continue
		}
		name, known := names[slot.Key]
		if !known {
			name = s.agentName(ctx, slot.Key)
			names[slot.Key] = name
		}
		one, err := s.slot(ctx, slot, beats)
		if err != nil {
			return workView{}, err
		}
		one.AgentName = name
		v.Slots = append(v.Slots, one)
	}
	return v, nil
}

// slot looks in the log for what a slot is about.
func (s *Server) slot(ctx context.Context, slot streams.SlotStatus, beats map[domain.ID]streams.Beat) (slotView, error) {
	v := slotView{Work: slot.Work, Product: slot.Product, Agent: slot.Agent, State: "waiting", OfferedAt: slot.Since}
	err := s.deps.Log.View(ctx, slot.Key, func(st *streams.State) error {
		if slot.Work != streams.Butler {
			v.about(st.Run.Runs[domain.ID(slot.ID)])
			return nil
		}
		for _, r := range st.Run.Open() {
			if r.Work == run.Digest {
				v.about(r)
			}
		}
		if t := st.Turn.Current; t != nil { // a turn has no run, and its id tells when it began
			began := t.ID.Time()
			v.Run, v.Turn, v.Attempt, v.StartedAt = "", t.ID, t.Attempt, &began
		}
		return nil
	})
	if err != nil || !slot.Taken {
		return v, err
	}
	v.State = "silent"
	for _, id := range []domain.ID{v.Run, v.Turn} {
		if beat, alive := beats[id]; alive {
			v.State, v.Worker = "working", beat.Worker
		}
	}
	return v, nil
}

func (v *slotView) about(r *run.Run) {
	if r == nil {
		return // it was asked for again after it had ended
	}
	v.Run, v.Attempt = r.ID, r.Attempt
	if r.Attempt > 0 {
		began := r.StartedAt
		v.StartedAt = &began
	}
}
