// Package renderer turns a board into a film: cuts from source clips by range,
// captions burnt in, short cross-fades, even sound, one size, exactly the
// promised length. Local does it with ffmpeg on this machine, Remote hands it to
// a render service; both pass the suite in renderertest.
//
// Clips, captions and what a service answers are hostile. Clips are read as
// agents/video reads them; captions reach ffmpeg in files that nothing expands;
// a service's film is checked before anybody sees it. A film is whole or not
// there: everything is made in a folder that goes with the result.
//
// It may import domain, agents/effect, agents/fetch and agents/video; not the log.
package renderer

import (
	"context"

	"sozai/domain"
)

// Renderer makes films.
type Renderer interface {
	Name() string
	// Render makes the film, calling progress with frames from one goroutine at a
	// time; the last call says total, total, and comes only if the film is whole.
	// When ctx ends it returns within two seconds and leaves nothing behind. A
	// panel that cannot be drawn is a *domain.Error that names it. Result.Cost is
	// what the film has cost all attempts of its run, also with an error.
	Render(ctx context.Context, job Job, progress func(done, total int)) (Result, error)
	// Spent is that cost without rendering anything.
	Spent(ctx context.Context, job Job) (domain.Money, error)
}

// Job is one film to be made, on behalf of one attempt of a run.
type Job struct {
	Product string
	Agent   domain.ID
	Run     domain.ID
	Attempt int

	Title  string
	Aspect string // 9:16 (also if ""), 4:5, 1:1 or 16:9
	Panels []Panel

	// Dropped is asked when the context has ended: true says that nobody goes on
	// with this film, so that an outside service is told to stop. nil = true.
	Dropped func() bool
}

// Panel is one picture of a film. Seconds is its share of the length; of its clip
// is shown what lies between From and To (0 = the end), and the last picture
// stands if that is too short. Without a clip it is a card with the caption.
type Panel struct {
	Number   int
	Caption  string
	Seconds  float64
	Clip     string // path of the file
	Hash     string // of the file
	From, To float64
}

// Result is a finished film. Whoever has it calls Discard when it is kept.
type Result struct {
	Path          string
	Frames        int
	Width, Height int
	Cost          domain.Money
	folder        *folder
}

// Discard removes the film and everything that was made for it.
func (r Result) Discard() {
	if r.folder != nil {
		r.folder.remove()
	}
}

// FPS is the rate of every film.
const FPS = 30

// Limits of one film.
const (
	MaxSeconds = 600
	MaxPanels  = 100
)

// ErrPanel is the rule behind every panel that cannot be drawn; copies name it.
var ErrPanel = domain.Rule(domain.Unprocessable, "panel", "a panel cannot be drawn")

// panelError names the panel, in both languages.
func panelError(number int, zh, en string) error {
	return ErrPanel.With(map[string]any{"panel": number}, "第 %d 格：%s · panel %d: %s", number, zh, number, en)
}

// size is a film's, from the length of its short side.
func size(aspect string, short int) (w, h int, err error) {
	even := func(n int) int { return n / 2 * 2 }
	switch aspect {
	case "", "9:16":
		return even(short), even(short * 16 / 9), nil
	case "4:5":
		return even(short), even(short * 5 / 4), nil
	case "1:1":
		return even(short), even(short), nil
	case "16:9":
		return even(short * 16 / 9), even(short), nil
	}
	return 0, 0, domain.Errorf(domain.Invalid, "没有「%s」这种画幅 · there is no aspect %q", aspect, aspect)
}
