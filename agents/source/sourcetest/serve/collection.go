package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sozai/agents/source/sourcetest"
)

// subjects are what the videos are about, in the words of people who post them;
// the last two are what nobody who looks for the others wants.
var subjects = []struct{ title, tags string }{
	{"末日塔防 最后一秒翻盘 apocalypse tower defense last-second comeback", "towerdefense comeback 塔防"},
	{"丧尸围城 一炮清屏 zombie siege, one shot clears the screen", "zombie siege 丧尸"},
	{"连锁爆炸太解压了 satisfying chain explosion", "explosion satisfying 爆炸"},
	{"炮塔升级 合成到满级 tower upgrade, merge to the max", "merge upgrade 升级"},
	{"差一点失败 almost a fail", "fail twist 反转"},
	{"前后对比 before and after the last upgrade", "beforeafter 对比"},
	{"今晚吃什么 three dinners in ten minutes", "food cooking 美食"},
	{"通勤妆 everyday makeup", "makeup beauty 美妆"},
}

// collection is n videos whose ids begin with the same digit.
func collection(digit, n int, seconds float64) []sourcetest.Video {
	out := make([]sourcetest.Video, n)
	for i := range out {
		s := subjects[i%len(subjects)]
		out[i] = sourcetest.Video{
			ID: fmt.Sprintf("%d%018d", digit, i+1), Title: fmt.Sprintf("%s #%d", s.title, i/len(subjects)+1),
			Author: fmt.Sprintf("maker%d", i%7), Tags: strings.Fields(s.tags), Seconds: seconds,
			Plays: int64(900_000 / (i + 1)), Likes: int64(80_000 / (i + 1)),
		}
		if i%9 == 8 {
			out[i].State = sourcetest.Picture
		}
	}
	return out
}

// analysed adds what the hot engine knows of its videos.
func analysed(list []sourcetest.Video) []sourcetest.Video {
	for i := range list {
		rating := []string{"high", "medium", "low"}[i%3]
		list[i].Analysis = map[string]any{
			"source": "contract", "shot_rhythm": "每 0.8 秒一个镜头 · a cut every 0.8 s", "spoken_hook": "你敢信吗？ · can you believe it?",
			"caption_points": list[i].Title, "verdict": "开头即危机 · opens on the crisis",
			"highlight": map[string]any{"rating": rating, "reason": "三秒内出现反转 · the twist comes within three seconds"},
		}
	}
	return list
}

// parseFault reads SERVICE:WHAT[:TIMES].
func parseFault(text string) (string, sourcetest.Fault, error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 || !slices.Contains([]string{"tikhub", "competitor", "hot"}, parts[0]) {
		return "", sourcetest.Fault{}, fmt.Errorf("want tikhub, competitor or hot, then what goes wrong, then how often, not %q", text)
	}
	var f sourcetest.Fault
	what, after, _ := strings.Cut(parts[1], "/")
	if status, err := strconv.Atoi(what); err == nil && status >= 400 && status <= 599 {
		f.Status, f.RetryAfter = status, after
	} else if f.Odd = sourcetest.Odd(what); !slices.Contains(sourcetest.Odds(), f.Odd) {
		return "", sourcetest.Fault{}, fmt.Errorf("%q is neither a status nor one of %v", what, sourcetest.Odds())
	}
	if len(parts) == 3 {
		n, err := strconv.Atoi(parts[2])
		if err != nil || n < 1 {
			return "", sourcetest.Fault{}, fmt.Errorf("%q is no number of times", parts[2])
		}
		f.Times = n
	}
	return parts[0], f, nil
}
