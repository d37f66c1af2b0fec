package projections

import (
	"time"

	"sozai/domain"
	"sozai/domain/library"
)

// MaterialState is what people did with a material.
type MaterialState string

// The states. Adopted: a board cites it now; else the last observation counts.
const (
	MaterialNew     MaterialState = "new"
	MaterialSeen    MaterialState = "seen"
	MaterialIgnored MaterialState = "ignored"
	MaterialAdopted MaterialState = "adopted"
)

// Reactions are standing likes and dislikes.
type Reactions struct {
	Likes    int `json:"likes"`
	Dislikes int `json:"dislikes"`
	Comments int `json:"comments"` // with words
}

// Analysis is the understanding of an object.
type Analysis struct {
	Analyser string           `json:"analyser"`
	Ruleset  int              `json:"ruleset"`
	Digest   library.Digest   `json:"digest"`
	Metrics  *library.Metrics `json:"metrics,omitempty"`
	Report   string           `json:"report,omitempty"` // only from a single-object query
	At       time.Time        `json:"at"`
}

// Material is a found video. Analysis is nil until it is analysed.
type Material struct {
	Material    domain.ID      `json:"material"`
	Seq         uint64         `json:"seq"`
	Rev         uint64         `json:"rev"`
	Run         domain.ID      `json:"run"`
	GeneVersion int            `json:"gene_version"`
	Source      string         `json:"source"`
	External    string         `json:"external"`
	Title       string         `json:"title"`
	Author      string         `json:"author,omitempty"`
	Platform    string         `json:"platform,omitempty"`
	URL         string         `json:"url,omitempty"`
	Tags        []string       `json:"tags,omitempty"`
	Counts      library.Counts `json:"counts"`
	Published   time.Time      `json:"published,omitzero"`
	Media       library.Media  `json:"media"`
	Why         string         `json:"why,omitempty"`
	SavedAt     time.Time      `json:"saved_at"`
	Analysis    *Analysis      `json:"analysis,omitempty"`
	Rating      library.Rating `json:"rating,omitempty"`
	State       MaterialState  `json:"state"`
	Boards      int            `json:"boards"` // boards that cite it now
	Films       int            `json:"films"`  // films made from those boards
	Reactions
}

// Board is a storyboard.
type Board struct {
	Board       domain.ID       `json:"board"`
	Seq         uint64          `json:"seq"`
	Rev         uint64          `json:"rev"`
	Run         domain.ID       `json:"run"`
	GeneVersion int             `json:"gene_version"`
	Base        domain.ID       `json:"base,omitempty"`
	Title       string          `json:"title"`
	Panels      []library.Panel `json:"panels"`
	At          time.Time       `json:"at"`
	EditedBy    domain.Actor    `json:"edited_by,omitempty"`
	EditedAt    time.Time       `json:"edited_at,omitzero"`
	Films       int             `json:"films"`
	Reactions
}

// Film is a rendered video.
type Film struct {
	Film        domain.ID     `json:"film"`
	Seq         uint64        `json:"seq"`
	Rev         uint64        `json:"rev"`
	Board       domain.ID     `json:"board"`
	Run         domain.ID     `json:"run"`
	GeneVersion int           `json:"gene_version"`
	Media       library.Media `json:"media"`
	At          time.Time     `json:"at"`
	Downloads   int           `json:"downloads"`
	Reactions
}

// Asset is a member's own video.
type Asset struct {
	Asset    domain.ID     `json:"asset"`
	Seq      uint64        `json:"seq"`
	Title    string        `json:"title"`
	File     string        `json:"file"`
	Media    library.Media `json:"media"`
	By       domain.Actor  `json:"by"`
	At       time.Time     `json:"at"`
	Analysis *Analysis     `json:"analysis,omitempty"`
}

// MaterialFilter narrows a listing; zero fields do not narrow.
type MaterialFilter struct {
	Run      domain.ID
	Version  int
	Source   string
	Rating   library.Rating
	State    MaterialState
	Text     string // in title, author or tags, whatever the case
	Before   uint64 // keyset: saved before this sequence
	Limit    int    // 0 means 50, at most 500
	NoDigest bool   // only those not analysed
}

// MaterialUse is where a material was used.
type MaterialUse struct {
	Boards []Board `json:"boards"`
	Films  []Film  `json:"films"`
}

// ListPage is a keyset page of boards, films or assets, newest first.
type ListPage struct {
	Version int       // gene version, 0 for any
	Run     domain.ID // the run that made it
	Board   domain.ID // films of this board
	Before  uint64
	Limit   int // 0 means 50, at most 500
}

// Object says whether an object (material, board, film, asset) is the agent's,
// and which run and gene version made it: what an observation is stamped with.
type Object struct {
	Ref         domain.Ref `json:"ref"`
	Title       string     `json:"title"`
	Run         domain.ID  `json:"run,omitempty"`
	GeneVersion int        `json:"gene_version,omitempty"`
}

// LibraryCounts are the numbers on the tabs.
type LibraryCounts struct {
	Materials int `json:"materials"`
	New       int `json:"new"`
	Boards    int `json:"boards"`
	Films     int `json:"films"`
	Assets    int `json:"assets"`
}

// Behavior is what people did on the pages: the rows of the timeline's right
// side, and looks that leave no row in sums.
type Behavior struct {
	Rows       []Row `json:"rows"`
	Viewed     int   `json:"viewed"`     // materials with at least one look
	Ignored    int   `json:"ignored"`    // materials with at least one pass
	Downloaded int   `json:"downloaded"` // films downloaded at least once
}
