package web

import (
	"encoding/json"

	"sozai/domain"
	"sozai/domain/run"
	"sozai/projections"
)

// Frames of the room's socket, from the server. Each has a type; those that come
// of events carry the sequence up to which they are true. A socket gets them in
// the order of the log, joined into JSON arrays.
//
//	hello               the first: where the room stands
//	sync                the rows that changed since hello's after
//	chat.user           a person's message (a row)
//	timeline.entry      any other row, new or changed
//	chat.status         whether an answer is being written, what waits
//	chat.delta          a piece of the answer that is being written
//	chat.toolcall       a tool call of it that began or ended
//	chat.note           a remark in it
//	chat.doing          what the butler is at, for the moment
//	gene.card           a card was proposed
//	gene.card.resolved  a card was closed
//	order.card          an order was proposed
//	order.card.resolved an order was closed
//	run.progress        a run moved on or ended
//	presence            who is here and who types
//	error               what the client sent is refused
const (
	frameHello        = "hello"
	frameSync         = "sync"
	frameUser         = "chat.user"
	frameEntry        = "timeline.entry"
	frameStatus       = "chat.status"
	frameDelta        = "chat.delta"
	frameTool         = "chat.toolcall"
	frameNote         = "chat.note"
	frameDoing        = "chat.doing"
	frameCard         = "gene.card"
	frameCardClosed   = "gene.card.resolved"
	frameOrder        = "order.card"
	frameOrderClosed  = "order.card.resolved"
	frameProgress     = "run.progress"
	framePresence     = "presence"
	frameError        = "error"
	frameTyping       = "typing" // from the client
	presenceLiveFrame = "presence"
)

// Close codes of the room's socket. Below 4400 the client comes back by itself
// with its last sequence; from 4400 on it must not.
const (
	closeSlow       = 4008 // it did not read fast enough
	closeBehind     = 4009 // the room's rows cannot be read at the moment
	closeBadFrame   = 4400 // it sent what is no frame
	closeSignedOut  = 4401 // its session or token is over
	closeNotAllowed = 4403 // its person may no longer see the room
	// 1001 (going away) is sent when this server shuts down.
)

type helloFrame struct {
	Type    string      `json:"type"`
	Seq     uint64      `json:"seq"`
	You     userView    `json:"you"`
	Role    string      `json:"role"`
	Model   Model       `json:"model"`
	Version string      `json:"version"`
	Status  *roomStatus `json:"status"`
	People  []presence  `json:"people" doc:"Who is here"`
}

type syncFrame struct {
	Type string `json:"type"`
	Seq  uint64 `json:"seq"`
	// Reset says that more changed than fits: forget what you have and read the
	// timeline from its end.
	Reset  bool                 `json:"reset,omitempty"`
	Rows   []projections.Row    `json:"rows"`
	People map[domain.ID]string `json:"people"`
}

type rowFrame struct {
	Type   string               `json:"type"`
	Seq    uint64               `json:"seq"`
	Row    projections.Row      `json:"row"`
	People map[domain.ID]string `json:"people,omitempty"`
}

// roomStatus is what the log says of the room.
type roomStatus struct {
	State   string      `json:"state"` // idle, answering, stopping, waiting (for a person)
	Turn    domain.ID   `json:"turn,omitempty"`
	Attempt int         `json:"attempt,omitempty"`
	Reads   []domain.ID `json:"reads,omitempty"`   // the messages that the turn answers
	Waiting []domain.ID `json:"waiting,omitempty"` // the messages that the next turn will answer
	Cards   int         `json:"cards"`             // that wait for a person
	Orders  int         `json:"orders"`
	Runs    int         `json:"runs"` // that have not ended
}

type statusFrame struct {
	Type   string     `json:"type"`
	Seq    uint64     `json:"seq"`
	Status roomStatus `json:"status"`
}

type cardFrame struct {
	Type   string               `json:"type"`
	Seq    uint64               `json:"seq"`
	Card   projections.Card     `json:"card"`
	People map[domain.ID]string `json:"people,omitempty"`
}

type orderFrame struct {
	Type   string               `json:"type"`
	Seq    uint64               `json:"seq"`
	Order  projections.Order    `json:"order"`
	People map[domain.ID]string `json:"people,omitempty"`
}

// progressFrame tells what one event changed about a run; absent fields stay.
type progressFrame struct {
	Type     string                `json:"type"`
	Seq      uint64                `json:"seq"`
	Run      domain.ID             `json:"run"`
	State    projections.TaskState `json:"state"`
	Work     run.Work              `json:"work,omitempty"`
	Attempt  int                   `json:"attempt,omitempty"`
	Progress *projections.Progress `json:"progress,omitempty"`
	Reason   run.Reason            `json:"reason,omitempty"`
	Products []domain.Ref          `json:"products,omitempty"`
}

// Live frames, as the turn's worker publishes them on live.tmp.…, and as sockets
// get them with a type. Offsets count the bytes of text shown before, after the
// claim gate.
type deltaFrame struct {
	Type    string    `json:"type,omitempty"`
	Turn    domain.ID `json:"turn"`
	Attempt int       `json:"attempt"`
	Offset  int       `json:"offset"`
	Text    string    `json:"text"`
}

type toolFrame struct {
	Type    string    `json:"type,omitempty"`
	Turn    domain.ID `json:"turn"`
	Attempt int       `json:"attempt"`
	Offset  int       `json:"offset"` // of the text that stands before it
	Call    string    `json:"call"`
	Tool    string    `json:"tool"`
	Object  string    `json:"object,omitempty"`
	State   string    `json:"state"` // started, ended
	Outcome string    `json:"outcome,omitempty"`
	Seconds float64   `json:"seconds,omitempty"`
	Kind    string    `json:"kind,omitempty"` // of what it made: card, order
	Ref     domain.ID `json:"ref,omitempty"`  // its id
}

// soFar is a worker's answer to "the text so far".
type soFar struct {
	Turn    domain.ID   `json:"turn"`
	Attempt int         `json:"attempt"`
	Text    string      `json:"text"`
	Calls   []toolFrame `json:"calls,omitempty"`
}

type presenceFrame struct {
	Type   string     `json:"type"`
	People []presence `json:"people"`
}

type presence struct {
	ID     domain.ID `json:"id"`
	Name   string    `json:"name"`
	Typing bool      `json:"typing"`
}

type errorFrame struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

// fromClient is all that a client may send: hello once, then typing.
type fromClient struct {
	Type  string `json:"type"`
	After uint64 `json:"after"`
	On    bool   `json:"on"`
}

// encode is for our own frames, which can be encoded.
func encode(frame any) []byte {
	data, err := json.Marshal(frame)
	if err != nil {
		panic(err)
	}
	return data
}
