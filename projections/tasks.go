package projections

import (
	"time"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/domain/step"
)

// TaskState is what the task center shows.
type TaskState string

// The states. WorkerLost: the last attempt's worker is gone and none has taken over.
const (
	TaskRequested  TaskState = "requested"
	TaskRunning    TaskState = "running"
	TaskStopping   TaskState = "stopping"
	TaskWorkerLost TaskState = "worker_lost"
	TaskDone       TaskState = "done"
	TaskFailed     TaskState = "failed"
	TaskCancelled  TaskState = "cancelled"
)

// Open reports whether the run has not ended.
func (s TaskState) Open() bool {
	return s == TaskRequested || s == TaskRunning || s == TaskStopping || s == TaskWorkerLost
}

// Task is one run. Cost and usage are sums over every attempt, the lost ones too.
type Task struct {
	domain.Key
	Run         domain.ID    `json:"run"`
	Seq         uint64       `json:"seq"` // of run.requested
	Rev         uint64       `json:"rev"` // of the last event about it
	Work        run.Work     `json:"work"`
	Trigger     run.Trigger  `json:"trigger"`
	State       TaskState    `json:"state"`
	Request     run.Request  `json:"request"`
	Requester   domain.Actor `json:"requester"`
	RequestedAt time.Time    `json:"requested_at"`
	StartedAt   time.Time    `json:"started_at,omitzero"` // first attempt
	FinishedAt  time.Time    `json:"finished_at,omitzero"`
	LastSign    time.Time    `json:"last_sign"` // last sign of life
	GeneVersion int          `json:"gene_version"`
	Attempt     int          `json:"attempt"` // last started; 0 = none
	Lost        int          `json:"lost"`    // attempts lost with their worker
	Progress    *Progress    `json:"progress,omitempty"`
	Cancel      string       `json:"cancel,omitempty"` // who or what asked it to stop
	Outcome     run.Outcome  `json:"outcome,omitempty"`
	Reason      run.Reason   `json:"reason,omitempty"`
	Summary     string       `json:"summary,omitempty"`
	Products    []domain.Ref `json:"products,omitempty"`
	Order       domain.ID    `json:"order,omitempty"`
	Card        domain.ID    `json:"card,omitempty"`
	RetryOf     domain.ID    `json:"retry_of,omitempty"`
	Continues   domain.ID    `json:"continues,omitempty"`
	Day         string       `json:"day,omitempty"`
	Rounds      int          `json:"rounds"`
	Usage       domain.Usage `json:"usage"`
	Cost        domain.Money `json:"-"`
	CostYuan    float64      `json:"cost_yuan"`
}

// Progress is the last progress of a live attempt.
type Progress struct {
	Done   int    `json:"done"`
	Target int    `json:"target,omitempty"`
	Unit   string `json:"unit"`
	Page   int    `json:"page,omitempty"`
	Pages  int    `json:"pages,omitempty"`
}

// Attempt is one try of a run or turn. End is "" while it lives, else finished,
// worker_lost or handed_over.
type Attempt struct {
	Attempt   int          `json:"attempt"`
	Slot      uint64       `json:"slot"`
	Worker    domain.Actor `json:"worker"`
	StartedAt time.Time    `json:"started_at"`
	EndedAt   time.Time    `json:"ended_at,omitzero"`
	End       string       `json:"end,omitempty"`
	Rounds    int          `json:"rounds"`
	Usage     domain.Usage `json:"usage"`
	CostYuan  float64      `json:"cost_yuan"`
}

// Step is one model round of a run or turn.
type Step struct {
	Seq uint64    `json:"seq"`
	At  time.Time `json:"at"`
	step.Recorded
}

// TaskDetail is a run with its attempts and rounds.
type TaskDetail struct {
	Task
	Attempts []Attempt `json:"attempts"`
	Steps    []Step    `json:"steps"`
}

// TaskFilter narrows a listing. Product is required; zero fields do not narrow.
type TaskFilter struct {
	Product string
	Agents  []domain.ID // nil: all of the product
	States  []TaskState
	Works   []run.Work
	Trigger run.Trigger
	Version int
	Before  uint64 // keyset: runs requested before this sequence
	Limit   int    // 0 means 50, at most 200
}

// TurnDetail is a turn with its attempts and rounds.
type TurnDetail struct {
	Turn     domain.ID    `json:"turn"`
	State    string       `json:"state"` // answering, stopping, worker_lost, finished
	Started  time.Time    `json:"started_at"`
	Finished time.Time    `json:"finished_at,omitzero"`
	Version  int          `json:"gene_version"`
	Messages []domain.ID  `json:"messages"`
	Upto     domain.ID    `json:"upto"`
	Reason   string       `json:"reason,omitempty"`
	Rounds   int          `json:"rounds"`
	Usage    domain.Usage `json:"usage"`
	CostYuan float64      `json:"cost_yuan"`
	Attempts []Attempt    `json:"attempts"`
	Steps    []Step       `json:"steps"`
}

// OpenRun is a run that has not ended.
type OpenRun struct {
	domain.Key
	Run         domain.ID
	Work        run.Work
	State       TaskState
	Attempt     int
	RequestedAt time.Time
	LastSign    time.Time
}

// OpenRoom is a room in which a turn is open or messages wait for one.
type OpenRoom struct {
	domain.Key
	Turn    domain.ID // the open turn, "" if none
	Attempt int
	State   string      // answering, stopping, worker_lost; "" without a turn
	Waiting []domain.ID // unanswered messages that no turn has read, in log order
	Oldest  time.Time   // of them
}
