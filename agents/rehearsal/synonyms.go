package rehearsal

// synonym is a group of words for one thing in both languages; the first
// Chinese and the first English one are tried as search words. A weak group
// says little on its own.
type synonym struct {
	zh, en []string
	weak   bool
}

var synonyms = []synonym{
	{zh: []string{"爆炸", "爆破", "炸飞", "冲击波"}, en: []string{"explosion", "explosive", "explode", "blast", "boom", "shock wave", "shockwave"}},
	{zh: []string{"丧尸", "僵尸", "尸潮"}, en: []string{"zombie", "undead"}},
	{zh: []string{"塔防", "防御塔", "炮塔", "箭塔"}, en: []string{"tower defense", "tower defence", "towerdefense", "towerdefence", "turret"}},
	{zh: []string{"末日", "废土", "末世"}, en: []string{"apocalypse", "apocalyptic", "wasteland", "doomsday"}},
	{zh: []string{"升级", "进化", "合成", "变强"}, en: []string{"upgrade", "level up", "evolve", "evolution", "merge"}},
	{zh: []string{"失败", "翻车"}, en: []string{"fail", "failed"}},
	{zh: []string{"营救", "救援", "拯救"}, en: []string{"rescue"}},
	{zh: []string{"解压", "治愈", "爽感", "舒适"}, en: []string{"satisfying", "asmr", "relaxing"}},
	{zh: []string{"混战", "大战", "战斗", "对战"}, en: []string{"battle", "war", "fight", "combat"}},
	{zh: []string{"成群", "人海", "军团"}, en: []string{"horde", "swarm", "crowd", "army"}},
	{zh: []string{"高空", "俯视", "航拍"}, en: []string{"aerial", "overhead", "top view", "drone"}},
	{zh: []string{"崩塌", "坍塌", "倒塌", "破碎", "碎片"}, en: []string{"collapse", "destruction", "crumble", "shatter", "debris"}},
	{zh: []string{"反转", "悬念"}, en: []string{"twist", "suspense"}},
	{zh: []string{"搞笑", "幽默", "沙雕"}, en: []string{"funny", "comedy", "humor", "humour", "meme"}},
	{zh: []string{"怪物", "首领", "巨兽"}, en: []string{"monster", "boss", "beast"}},
	{zh: []string{"基地", "堡垒", "要塞", "城墙", "城堡"}, en: []string{"fortress", "base", "castle", "wall"}},
	{zh: []string{"建造", "建设", "盖房"}, en: []string{"build", "building", "construction"}},
	{zh: []string{"火焰", "喷火", "燃烧"}, en: []string{"flame", "fire"}},
	{zh: []string{"武器", "枪", "导弹", "激光"}, en: []string{"weapon", "gun", "missile", "laser"}},
	{zh: []string{"生存", "求生"}, en: []string{"survival", "survive"}},
	{zh: []string{"慢动作"}, en: []string{"slow motion", "slowmo"}},
	{zh: []string{"音乐", "卡点"}, en: []string{"music", "beat"}},
	{zh: []string{"舞蹈", "跳舞"}, en: []string{"dance", "dancing"}},
	{zh: []string{"健身", "运动"}, en: []string{"fitness", "workout", "gym"}},
	{zh: []string{"美食", "做饭", "菜谱"}, en: []string{"food", "cooking", "recipe"}},
	{zh: []string{"宠物", "猫", "狗"}, en: []string{"pet", "cat", "dog"}},
	{zh: []string{"旅行", "旅游"}, en: []string{"travel", "trip"}},
	{zh: []string{"美妆", "化妆", "护肤"}, en: []string{"makeup", "beauty", "skincare"}},
	{zh: []string{"穿搭", "时尚"}, en: []string{"fashion", "outfit"}},
	{zh: []string{"足球"}, en: []string{"football", "soccer"}},
	{zh: []string{"动漫", "动画"}, en: []string{"anime", "animation"}},
	{zh: []string{"装修", "改造"}, en: []string{"renovation", "makeover", "diy"}},
	{zh: []string{"汽车"}, en: []string{"car", "drift"}},
	{zh: []string{"教程", "教学"}, en: []string{"tutorial", "how to"}},
	{zh: []string{"挑战"}, en: []string{"challenge"}},
	{zh: []string{"开箱", "测评"}, en: []string{"unboxing", "review"}},
	{zh: []string{"游戏", "玩法", "实机"}, en: []string{"gameplay", "game", "gaming"}, weak: true},
	{zh: []string{"竖屏", "竖版"}, en: []string{"vertical"}, weak: true},
	{zh: []string{"节奏", "快剪"}, en: []string{"fast-paced", "fast paced"}, weak: true},
}
