package demo

import (
	"fmt"
	"strings"
)

// subject is one row of the list: both titles, tags, scenes, colours, sound.
type subject struct {
	zh, en, tags, scenes, sound string
	colours                     palette
}

// subjects are what the clips are about: 15 of the demo agent's theme, the others
// not, some of them near it. Palettes are dark, light, accent.
func subjects() []subject {
	var (
		fire    = palette{"#1b1030", "#ff7a3c", "#ffd34d"}
		toxic   = palette{"#0d1f14", "#3f8f4a", "#d8ff5a"}
		frost   = palette{"#0b1838", "#4fb4ff", "#e8fbff"}
		candy   = palette{"#5b2a86", "#ff8fb8", "#fff3a0"}
		kitchen = palette{"#4a1f0a", "#ffb870", "#ffffff"}
		garden  = palette{"#123d2a", "#8fd694", "#fff07a"}
		night   = palette{"#101010", "#5a5f78", "#ff4d6d"}
	)
	return []subject{
		{"末日塔防：最后一座炮塔守住了吗", "Apocalypse tower defense: can the last tower hold?", "末日塔防,丧尸,towerdefense,apocalypse,zombie", "siege boom level siege boom", "boom", fire},
		{"丧尸围城倒计时十秒", "Zombie siege, ten seconds left", "丧尸围城,末日,zombie,siege,countdown", "rain siege boom clouds siege boom", "beep", toxic},
		{"连锁爆炸清屏，太解压了", "Chain explosion clears the screen, so satisfying", "爆炸,解压,explosion,satisfying,towerdefense", "boom blocks boom plasma boom", "boom", fire},
		{"炮塔从 1 级升到 99 级", "Tower upgrade from level 1 to 99", "炮塔升级,塔防,upgrade,tower,levelup", "level siege level boom", "song", frost},
		{"差一点就输了，最后一秒翻盘", "Almost a fail: last-second comeback", "翻盘,失败,comeback,fail,towerdefense", "siege rain boom siege level", "beat", fire},
		{"选错炮塔全军覆没", "Wrong tower, total fail", "失败,塔防,fail,tower,noob", "rain siege clouds boom", "beat", night},
		{"救救避难所里的人", "Rescue the people in the shelter before the zombies come", "营救,末日,rescue,zombie,apocalypse", "clouds siege boom siege", "late", toxic},
		{"丧尸潮对火焰塔", "Zombie wave against the flame tower", "丧尸,火焰塔,zombie,flame,towerdefense", "siege boom siege boom rain", "boom", fire},
		{"合成炮塔的正确顺序", "Merge towers in the right order", "合成,炮塔,merge,tower,puzzle", "blocks level siege blocks level", "song", frost},
		{"末日列车塔防", "Apocalypse train tower defense", "末日,列车,塔防,train,towerdefense", "road siege boom road siege", "beat", night},
		{"爆炸桶怎么摆才能全炸", "Explosive barrels: how to blow up them all", "爆炸,连锁,explosion,barrel,chain", "blocks boom plasma boom", "boom", fire},
		{"新手和高手的塔防布局", "Noob versus pro tower defense layout, before and after", "塔防,对比,towerdefense,noob,pro", "blocks siege level blocks boom", "talk", frost},
		{"巨型丧尸首领来了", "The giant zombie boss is here", "丧尸,boss,zombie,giant,apocalypse", "rain clouds siege boom", "late", toxic},
		{"冰冻塔加雷电塔连招", "Frost and thunder tower combo", "炮塔,连招,tower,combo,upgrade", "clouds siege plasma boom level", "beep", frost},
		{"失败一百次才过的末日关卡", "The apocalypse level we passed after 100 fails", "末日,失败,fail,hard,apocalypse", "level rain siege boom siege", "talk", night},

		{"切肥皂，一刀到底", "Soap cutting, one clean slice", "解压,肥皂,satisfying,asmr,soap", "plasma blocks plasma", "hush", candy},
		{"史莱姆拉丝三分钟", "Stretching slime", "史莱姆,解压,slime,satisfying", "plasma bounce plasma clouds", "none", candy},
		{"液压机压万物", "Hydraulic press against everything", "液压机,解压,press,satisfying", "road plasma boom plasma", "late", night},
		{"铺瓷砖的治愈过程", "Laying tiles, strangely calming", "治愈,装修,tiles,calm", "blocks plasma blocks", "hush", garden},
		{"三分钟番茄炒蛋", "Tomato and eggs in three minutes", "美食,家常菜,food,recipe", "bounce plasma clouds bounce", "talk", kitchen},
		{"一碗拉面的诞生", "How a bowl of ramen is born", "美食,拉面,food,ramen", "clouds bounce plasma", "song", kitchen},
		{"街头煎饼大叔", "The pancake man of our street", "美食,街头,streetfood,pancake", "road bounce clouds plasma", "talk", kitchen},
		{"五分钟通勤妆", "Five-minute commuter makeup", "美妆,化妆,makeup,beauty", "bounce plasma bounce", "talk", candy},
		{"口红试色十二支", "Twelve lipsticks tried", "美妆,口红,lipstick,makeup", "plasma bounce clouds", "song", candy},
		{"猫咪第一次见到雪", "A cat sees snow for the first time", "萌宠,猫,cat,pets,snow", "clouds bounce rain", "song", frost},
		{"柯基的短腿越野", "Corgi goes off-road", "萌宠,柯基,corgi,dog", "road bounce road clouds", "beat", garden},
		{"鹦鹉学会了报警", "The parrot learned to call the police", "萌宠,鹦鹉,parrot,funny", "bounce clouds bounce", "talk", garden},
		{"天台热舞一镜到底", "Rooftop dance in one take", "舞蹈,天台,dance,rooftop", "bounce", "beat", night},
		{"古风手势舞教学", "Hand dance in old style, step by step", "舞蹈,古风,dance,tutorial", "clouds bounce plasma", "song", candy},
		{"七天腹肌计划", "Seven-day abs plan", "健身,腹肌,fitness,workout", "level bounce level", "beat", night},
		{"早起拉伸十个动作", "Ten stretches for the morning", "健身,拉伸,stretching,morning", "clouds plasma bounce clouds", "hush", garden},
		{"国道 318 自驾", "Driving national road 318", "旅行,自驾,travel,roadtrip", "road clouds road", "song", garden},
		{"海岛日落延时", "Island sunset in timelapse", "旅行,日落,sunset,travel", "clouds plasma clouds", "none", kitchen},
		{"雨夜的老街", "An old street on a rainy night", "旅行,雨夜,rain,street", "rain road rain", "late", night},
		{"漂移过弯极限操作", "Drifting through the last corner", "赛车,漂移,racing,drift,game", "road boom road level", "beat", night},
		{"三消关卡卡了一周", "Stuck on this match-three level for a week", "三消,益智,match3,puzzle,game", "blocks bounce blocks plasma", "song", candy},
		{"俄罗斯方块神级操作", "Falling blocks, played like a god", "方块,益智,puzzle,blocks,game", "blocks rain blocks level", "beep", frost},
		{"画线救狗，你能过几关", "Draw a line to save the dog", "益智,救狗,puzzle,draw,game", "bounce blocks bounce level", "song", garden},
		{"旧木头改书架", "A bookshelf from old wood", "手工,木工,diy,woodwork", "plasma road plasma", "hush", kitchen},
		{"毛线小花编织", "Crochet a little flower", "手工,编织,crochet,diy", "bounce plasma", "song", candy},
		{"春季穿搭三套", "Three outfits for spring", "穿搭,春季,fashion,outfit", "bounce clouds plasma bounce", "song", garden},
		{"考研倒计时陪你学习", "Study with me, exams are near", "学习,陪伴,study,exam", "rain bounce rain", "none", night},
	}
}

// specs are all clips. Most are upright, some square or wide; rates differ.
func specs() []spec {
	authors := []string{"废土指挥部 Wasteland HQ", "像素工坊 Pixel Works", "阿柴不柴", "Studio North", "小满的镜头", "Loop Lab"}
	platforms := []string{"douyin", "tiktok", "kuaishou", "youtube"}
	all := subjects()
	out := make([]spec, 0, len(all))
	for i, s := range all {
		n := i + 1
		c := spec{
			id: fmt.Sprintf("demo-%03d", n), zh: s.zh, en: s.en, tags: strings.Split(s.tags, ","),
			author: authors[i*5%len(authors)], platform: platforms[i*3%len(platforms)],
			scenes: strings.Fields(s.scenes), colours: s.colours, sound: s.sound,
			w: 360, h: 640, fps: 30, number: n,
		}
		switch n % 9 {
		case 4:
			c.w, c.h = 480, 480
		case 7:
			c.w, c.h = 640, 360
		}
		switch n % 7 {
		case 2:
			c.fps = 25
		case 5:
			c.fps = 24
		}
		for c.seconds() < 4 { // no clip is shorter
			more := "plasma"
			if c.scenes[len(c.scenes)-1] == more {
				more = "road"
			}
			c.scenes = append(c.scenes, more)
		}
		out = append(out, c)
	}
	return out
}
