package renderer

import (
	"math"
	"path/filepath"

	"sozai/domain"
)

// fade is how many pictures a cross-fade takes at most: a quarter of a second.
const fade = 7

// shot is a panel in pictures: frames of its own, and over more that fade under
// the beginning of the next one, so that fading takes nothing from the length.
type shot struct {
	Panel
	frames, over int
}

// plan is a film in pictures.
type plan struct {
	w, h   int
	frames int
	shots  []shot
}

// newPlan cuts a job into pictures. Borders lie at the picture nearest to where
// the seconds say, so errors do not add up; a panel too short for one picture
// falls out.
func newPlan(job Job, short int) (plan, error) {
	w, h, err := size(job.Aspect, short)
	if err != nil {
		return plan{}, err
	}
	p := plan{w: w, h: h}
	if n := len(job.Panels); n == 0 || n > MaxPanels {
		return plan{}, domain.Errorf(domain.Unprocessable, "%d 格的方案不能成片，要 1 到 %d 格 · a film of %d panels is not between 1 and %d", n, MaxPanels, n, MaxPanels)
	}
	total := 0.0
	for _, panel := range job.Panels {
		if !domain.Finite(panel.Seconds, panel.From, panel.To) || panel.Seconds <= 0 || panel.From < 0 || panel.To < 0 ||
			panel.To > 0 && panel.To <= panel.From {
			return plan{}, panelError(panel.Number, "时长或取用区间不对", "its length or range cannot be right")
		}
		total += panel.Seconds
		if total > MaxSeconds {
			return plan{}, domain.Errorf(domain.Unprocessable, "成片超过 %d 秒 · the film is longer than %d seconds", MaxSeconds, MaxSeconds)
		}
		if panel.Clip != "" {
			if panel.Clip, err = filepath.Abs(panel.Clip); err != nil {
				return plan{}, panelError(panel.Number, "素材文件路径不对", "its file has no place")
			}
		}
		end := int(math.Round(total * FPS))
		if end > p.frames {
			p.shots = append(p.shots, shot{Panel: panel, frames: end - p.frames})
			p.frames = end
		}
	}
	if p.frames == 0 {
		return plan{}, domain.Errorf(domain.Unprocessable, "成片不到一帧 · the film is shorter than one picture")
	}
	for i := range p.shots[1:] {
		a, b := &p.shots[i], p.shots[i+1]
		a.over = min(fade, a.frames/2, b.frames/2)
	}
	return p, nil
}
