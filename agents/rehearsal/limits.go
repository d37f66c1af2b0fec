package rehearsal

import (
	"fmt"
	"strconv"
	"strings"

	"sozai/domain"
)

// hardLimit is a constraint that words ask for.
type hardLimit struct {
	constraints domain.Constraints
	summary     string
}

// limits reads a hard limit ("不要超过 15 秒", "vertical only") out of words;
// false if there is none or it stands already.
func limits(words string, now domain.Constraints, zh bool) (hardLimit, bool) {
	k := hardLimit{constraints: now}
	var said []string
	if m := upperLimit.FindStringSubmatch(words); m != nil && limitCue.MatchString(words) && !strings.Contains(words, "镜头") && !hasWord(strings.ToLower(words), "shot") {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n != now.MaxFilmSeconds {
			k.constraints.MaxFilmSeconds = n
			if zh {
				said = append(said, fmt.Sprintf("成片不超过 %d 秒", n))
			} else {
				said = append(said, fmt.Sprintf("films of at most %d seconds", n))
			}
		}
	}
	if cue := strings.ToLower(aspectCue.FindString(words)); cue != "" {
		if a := aspect(cue); a != now.Aspect {
			k.constraints.Aspect = a
			if zh {
				said = append(said, "画幅 "+a)
			} else {
				said = append(said, "aspect "+a)
			}
		}
	}
	if len(said) == 0 {
		return hardLimit{}, false
	}
	k.summary = strings.Join(said, "、")
	if !zh {
		k.summary = strings.Join(said, ", ")
	}
	return k, true
}

func aspect(cue string) string {
	switch strings.ReplaceAll(cue, "：", ":") {
	case "16:9", "横屏", "横版", "landscape":
		return "16:9"
	case "1:1", "方形", "square":
		return "1:1"
	case "4:5":
		return "4:5"
	}
	return "9:16"
}
