package library

import (
	"time"

	"sozai/domain"
)

// Media describes a stored video. Hash is the lower-case hex SHA-256 of the
// file and its address in the media store; empty means that there is no file.
type Media struct {
	Hash     string  `json:"hash,omitempty"`
	Type     string  `json:"type,omitempty"` // MIME type
	Bytes    int64   `json:"bytes,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`
	Width    int     `json:"width,omitempty"`
	Height   int     `json:"height,omitempty"`
	Poster   bool    `json:"poster,omitempty"`  // a poster exists under the same hash
	Preview  bool    `json:"preview,omitempty"` // so does a hover preview
	HasSound bool    `json:"has_sound,omitempty"`
}

// Counts are totals at the source when the material was found.
type Counts struct {
	Plays    int64 `json:"plays,omitempty"`
	Likes    int64 `json:"likes,omitempty"`
	Shares   int64 `json:"shares,omitempty"`
	Comments int64 `json:"comments,omitempty"`
}

// Saved is a material found by a search run. The attempt fences it: facts of a
// lost attempt that come late are not applied.
type Saved struct {
	Material    domain.ID `json:"material"`
	Run         domain.ID `json:"run"`
	Attempt     int       `json:"attempt"`
	GeneVersion int       `json:"gene_version"`
	Source      string    `json:"source"`   // the source that found it
	External    string    `json:"external"` // its id at the source: one material an agent and source
	Title       string    `json:"title"`
	Author      string    `json:"author,omitempty"`
	Platform    string    `json:"platform,omitempty"`
	URL         string    `json:"url,omitempty"`
	Tags        []string  `json:"tags,omitempty"`
	Counts      Counts    `json:"counts"`
	Published   time.Time `json:"published,omitzero"`
	Media       Media     `json:"media"`
	Why         string    `json:"why,omitempty"` // the searcher's reason to keep it
}

// Rating is the highlight rating of a material.
type Rating string

// The ratings; Unrated when nothing could be judged.
const (
	High    Rating = "high"
	Medium  Rating = "medium"
	Low     Rating = "low"
	Unrated Rating = ""
)

// Digest is the fixed five-section digest. A section that the analyser cannot
// know says "none" (无) and is listed in Missing.
type Digest struct {
	ShotRhythm   string   `json:"shot_rhythm"`
	SpokenHook   string   `json:"spoken_hook"`
	Captions     string   `json:"captions"`
	Highlight    Rating   `json:"highlight"`
	HighlightWhy string   `json:"highlight_why,omitempty"`
	Verdict      string   `json:"verdict"`
	Missing      []string `json:"missing,omitempty"`
}

// Metrics are what can be measured in a video. Seconds unless said otherwise.
type Metrics struct {
	Duration     float64   `json:"duration"`
	Cuts         []float64 `json:"cuts"` // times of the first frame after each cut
	ShotCount    int       `json:"shot_count"`
	AverageShot  float64   `json:"average_shot"`
	CutsPerMin   float64   `json:"cuts_per_minute"`
	FirstCut     float64   `json:"first_cut,omitempty"`
	CutsFirst3s  int       `json:"cuts_first_3s"`
	Motion       float64   `json:"motion"`        // mean luma change outside cuts, 0–100
	LoudnessLUFS *float64  `json:"loudness_lufs"` // nil: no sound, or digital silence
	SilenceRatio *float64  `json:"silence_ratio"` // 0–1; nil: no sound track
	SoundOnset   *float64  `json:"sound_onset"`   // nil: no sound track
	BlackRatio   float64   `json:"black_ratio"`   // 0–1
	Aspect       string    `json:"aspect"`        // nearest of 9:16 4:5 1:1 16:9, or "other"
}

// Analyzed is the understanding of one object. Analyser and Ruleset name what
// judged it, so that old digests can be told apart.
type Analyzed struct {
	Material domain.ID `json:"material"`
	Run      domain.ID `json:"run,omitempty"`
	Turn     domain.ID `json:"turn,omitempty"`
	Attempt  int       `json:"attempt,omitempty"`
	Analyser string    `json:"analyser"`
	Ruleset  int       `json:"ruleset"`
	Digest   Digest    `json:"digest"`
	Metrics  *Metrics  `json:"metrics,omitempty"`
	Report   string    `json:"report,omitempty"` // the full text, only on request
}

// AssetUploaded is a member's own video.
type AssetUploaded struct {
	Asset domain.ID `json:"asset"`
	Title string    `json:"title"`
	File  string    `json:"file"` // the name it came with; quoted data, never a path
	Media Media     `json:"media"`
}

// Panel is one numbered picture of a board.
type Panel struct {
	Number   int       `json:"number"`
	Caption  string    `json:"caption"`
	Seconds  float64   `json:"seconds"`
	Material domain.ID `json:"material,omitempty"`
	From     float64   `json:"from,omitempty"`
	To       float64   `json:"to,omitempty"`
}

// BoardCreated is a storyboard; Base is the board it was made from.
type BoardCreated struct {
	Board       domain.ID `json:"board"`
	Run         domain.ID `json:"run"`
	Attempt     int       `json:"attempt"`
	GeneVersion int       `json:"gene_version"`
	Base        domain.ID `json:"base,omitempty"`
	Title       string    `json:"title"`
	Panels      []Panel   `json:"panels"`
}

// BoardEdited replaces a board's panels by a person's hand.
type BoardEdited struct {
	Board  domain.ID `json:"board"`
	Title  string    `json:"title"`
	Panels []Panel   `json:"panels"`
}

// FilmRendered is a film made from a board.
type FilmRendered struct {
	Film        domain.ID `json:"film"`
	Board       domain.ID `json:"board"`
	Run         domain.ID `json:"run"`
	Attempt     int       `json:"attempt"`
	GeneVersion int       `json:"gene_version"`
	Media       Media     `json:"media"`
}

func (Saved) EventType() string         { return "material.saved" }
func (Analyzed) EventType() string      { return "material.analyzed" }
func (AssetUploaded) EventType() string { return "asset.uploaded" }
func (BoardCreated) EventType() string  { return "board.created" }
func (BoardEdited) EventType() string   { return "board.edited" }
func (FilmRendered) EventType() string  { return "film.rendered" }

func (Saved) Fact() domain.Kind         { return domain.KindLibrary }
func (Analyzed) Fact() domain.Kind      { return domain.KindLibrary }
func (AssetUploaded) Fact() domain.Kind { return domain.KindLibrary }
func (BoardCreated) Fact() domain.Kind  { return domain.KindLibrary }
func (BoardEdited) Fact() domain.Kind   { return domain.KindLibrary }
func (FilmRendered) Fact() domain.Kind  { return domain.KindLibrary }

// Events lists a zero value of every event of this kind, for the codec.
func Events() []domain.Event {
	return []domain.Event{Saved{}, Analyzed{}, AssetUploaded{}, BoardCreated{}, BoardEdited{}, FilmRendered{}}
}
