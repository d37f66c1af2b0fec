package gene

import "strings"

// Negations: words that turn a person's words around or weaken them. Chinese
// ones are one or two characters, each of which is a word of its own. The lists
// err on the side of refusing: a butler can say it in a line of its own, or in
// other words.
const (
	negations = " no not never without avoid avoids avoiding less fewer dont doesnt didnt isnt arent wasnt werent" +
		" cant cannot wont wouldnt shouldnt mustnt neither nor none non stop skip remove drop exclude excluding except" +
		" unless reduce reduced reducing minus instead hardly rarely seldom ban banned forbid forbidden ignore" +
		" 不 别 別 勿 无 無 非 少 没 沒 未 莫 毋 禁 忌 拒 弃 棄 避免 停止 停用 除了 除外 除非 去除 删除 刪除 排除 移除 去掉" +
		" 省略 忽略 跳过 跳過 取消 减少 減少 减弱 減弱 弱化 淡化 降低 代替 替代 替换 替換 取代 "
	// harmless words hold such a character and turn nothing around.
	harmless = " 不仅 不僅 不但 不断 不斷 不止 不只 非常 非洲 特别 特別 类别 類別 级别 級別 性别 性別 个别 個別 分别 分別" +
		" 区别 區別 别墅 別墅 少女 少年 少儿 至少 无线 無線 无论 無論 无限 無限 无缝 無縫 未来 未來 "
)

// negates says that line holds a negation of which at least one word was added;
// mine marks the words that were not (nil: all were). A harmless word counts as
// such only if all of it was added: in 常用 made 非常用, 非 is a negation.
func negates(line []string, mine []bool) bool {
	added := func(i int) bool { return mine == nil || !mine[i] }
	spared := make([]bool, len(line)+1) // begins or continues a harmless word
	for i, word := range line {
		pair := ""
		if i+1 < len(line) {
			pair = word + line[i+1]
		}
		if pair != "" && added(i) && added(i+1) && listed(harmless, pair) {
			spared[i], spared[i+1] = true, true
		}
		if spared[i] {
			continue
		}
		if added(i) && listed(negations, word) ||
			pair != "" && (added(i) || added(i+1)) && listed(negations, pair) {
			return true
		}
	}
	return false
}

func listed(list, word string) bool { return strings.Contains(list, " "+word+" ") }
