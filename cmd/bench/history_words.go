package main

import (
	"strings"

	"sozai/domain"
)

// words are what texts are made of; they stay in the language of a real room.
var words = []rune("前三秒必须有爆炸的画面再出现防御塔节奏要快字幕大而少僵尸从左边涌来镜头跟着主角移动声音先行结尾留悬念" +
	"不要写实血腥优先短于十五秒的素材人物表情夸张色彩对比强烈这一条点赞最多但是没有人下载可以再试一次慢一点的剪辑")

// text is a sentence of about so many runes.
func (l *life) text(runes int) string {
	var b strings.Builder
	for n := 0; n < runes; {
		from := l.rng.IntN(len(words) - 12)
		part := words[from : from+min(4+l.rng.IntN(8), runes-n)]
		b.WriteString(string(part))
		n += len(part)
	}
	return b.String()
}

// lines is a document of so many lines.
func (l *life) lines(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = l.text(16 + l.rng.IntN(16))
	}
	return strings.Join(all, "\n")
}

func (l *life) usage() domain.Usage {
	return domain.Usage{Known: true, Input: 800 + l.rng.IntN(800), CacheWrite: 300, CacheRead: 9_000 + l.rng.IntN(4_000), Output: 200 + l.rng.IntN(500)}
}
