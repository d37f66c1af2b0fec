package butler

import (
	"strings"
	"testing"

	"sozai/agents/agentstest"
)

// Results are told as they were shown, or rounded; anything else is invented.
func TestNumbersComeFromTools(t *testing.T) {
	t.Parallel()
	f := figures{}
	f.add(`{"version":2,"shown":400,"adopted":80,"rates":[{"value":0.19875,"low":0.16,"n":80,"of":400}],"cost_yuan":12.34,"likes":1200,"average_shot":1.83}`)
	for _, c := range []struct {
		sentence string
		invented bool
	}{
		{"V2 展示 400 次，被采用 80 次。", false},
		{"采用率 19.9%，约等于 20%。", false},
		{"采用率是 16%（下限）。", false},
		{"一共花了 12.3 元。", false},
		{"It was liked 1,200 times.", false},
		{"Shots average 1.8 seconds.", false},
		{"V2 的采用率是 35%。", true},
		{"V2 was adopted 97 times.", true},
		{"平均镜头 2.6 秒。", true},
		{"素材被下载 57 次。", true},
		{"It cost 55 yuan in total.", true},
		{"第 5 格用的这条被采用 80 次。", false},
		{"前 3 秒有展示产品。", false},
		{"如果采用率到了 90%，就说明方向对。", false},
		{"建议把上限改成 15 秒。", false},
		{"采用率有 90% 吗？", false},
		{"他写的是“采用率 90% 才行”。", false},
		{"V7 比 V2 新。", false},
		{"我建议前 5 秒爆炸 3 次。", false},
	} {
		if got := f.invents(c.sentence); got != c.invented {
			t.Errorf("%q: invented %v, want %v", c.sentence, got, c.invented)
		}
	}
}

// A result without a look is withheld, and the model is told; after a look it passes.
func TestChatInventsNoNumbers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.material("峡谷石桥", true)
	w.say(wang, "V1 怎么样")
	end, shown, script := w.chat(w.turn(),
		agentstest.Round{Text: "V1 的采用率是 87%。"},
		agentstest.Round{Calls: []agentstest.Call{call("p", "read_performance", m{})}},
		agentstest.Round{Text: "V1 找到 1 条，采用 0 条，还不足以判断。"},
	)
	if strings.Contains(shown.text, "87") || !strings.Contains(shown.text, "找到 1 条") || end.Reason != "finished" {
		t.Fatalf("%s: %q", end.Reason, shown.text)
	}
	if asked := script.Requests()[1].Messages; !strings.Contains(asked[len(asked)-1].Blocks[0].Text, "[gate]") {
		t.Fatal("the model was not told")
	}
}
