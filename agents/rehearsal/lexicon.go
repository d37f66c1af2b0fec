package rehearsal

import "sozai/domain"

// notions is the ad craft that the rehearsal model knows. Each line is a rule
// that can be followed and checked. The order decides ties.
var notions = []notion{
	{
		key: "pace", home: domain.Steer,
		zh: []string{"节奏", "慢", "拖沓", "拖拉", "磨叽", "太快", "快一点", "快点", "快些", "沉闷", "铺垫"},
		en: []string{"pace", "pacing", "slow", "slower", "fast", "faster", "drag", "draggy", "dragging", "sluggish", "snappy", "snappier", "speed", "tempo", "dull"},
		search: [2]phrase{
			{"优先找节奏快的素材：前 3 秒内就有切换或大动作", "Prefer fast-paced clips: a cut or a big movement within the first 3 seconds"},
			{"优先找节奏舒缓、过程看得清的素材", "Prefer calmer clips in which the process can be followed"},
		},
		steer: [2]phrase{
			{"节奏加快：3 秒内出现第一个变化，单个镜头不超过 2.5 秒", "Faster pace: the first change within 3 seconds, each shot at most 2.5 seconds"},
			{"节奏放慢：关键动作至少停留 2 秒，让人看清发生了什么", "Slower pace: hold each key action for at least 2 seconds so that it can be understood"},
		},
		name: phrase{"节奏", "pace"},
	},
	{
		key: "hook", home: domain.Steer,
		zh: []string{"开头", "开场", "前三秒", "前3秒", "前 3 秒", "钩子", "第一秒", "一上来", "吸引"},
		en: []string{"hook", "opening", "intro", "first second", "first three seconds", "first 3 seconds", "start", "beginning"},
		search: [2]phrase{
			{"优先找开头 3 秒就有冲突或悬念的素材", "Prefer clips that open with a conflict or a question within 3 seconds"},
			{"优先找开头直接进入画面的素材，片头要短", "Prefer clips that open straight on the action with a short intro"},
		},
		steer: [2]phrase{
			{"开头 3 秒内直接给出最强的画面或冲突", "Put the strongest picture or conflict within the first 3 seconds"},
			{"片头从简：直接进入画面，1 秒内开始动作", "Keep the intro simple: straight into the picture, action within 1 second"},
		},
		name: phrase{"开场", "opening"},
	},
	{
		key: "explosions", home: domain.Search,
		zh: []string{"爆炸", "爆炸感", "爆破", "炸", "火光", "冲击力", "冲击感", "震撼"},
		en: []string{"explosion", "explosive", "explode", "blast", "boom", "bang", "impact", "punch", "shockwave"},
		search: [2]phrase{
			{"优先找有大爆炸、冲击波和碎片飞溅的素材，爆炸要占满画面", "Prefer clips with large explosions, shock waves and flying debris that fill the frame"},
			{"优先找以对战和操作为主、爆炸点到为止的素材", "Prefer clips led by combat and play, with explosions kept small"},
		},
		steer: [2]phrase{
			{"爆炸感加强：每 5 秒至少一次占满画面的爆炸，配冲击波和震屏", "Stronger explosions: at least one that fills the frame every 5 seconds, with shock wave and screen shake"},
			{"爆炸从简：每条最多两次，留给关键时刻", "Restrain explosions: at most two a film, kept for key moments"},
		},
		name: phrase{"爆炸感", "explosions"},
	},
	{
		key: "scale", home: domain.Search,
		zh: []string{"混战", "大场面", "场面", "尸潮", "人海", "规模", "集体", "千军万马", "战斗"},
		en: []string{"horde", "crowd", "massive", "battle", "scale", "epic", "swarm", "army"},
		search: [2]phrase{
			{"优先找大规模集体混战的素材，画面里同时有成群的单位", "Prefer large battles with crowds of units in frame at the same time"},
			{"优先找单体对决、画面干净的素材", "Prefer duels with an uncluttered frame"},
		},
		steer: [2]phrase{
			{"至少一个大场面镜头，让成群的单位同屏", "At least one wide battle shot with crowds of units on screen"},
			{"以单体对决为主，同屏单位不超过 5 个", "Centre on duels, at most 5 units on screen"},
		},
		name: phrase{"场面规模", "scale"},
	},
	{
		key: "destruction", home: domain.Search,
		zh: []string{"破碎", "崩塌", "坍塌", "倒塌", "毁灭", "破坏"},
		en: []string{"collapse", "destruction", "destroy", "crumble", "debris", "shatter"},
		search: [2]phrase{
			{"优先找建筑逐段崩塌、物体破碎过程完整的素材", "Prefer clips that show a collapse or shattering from start to end"},
			{"优先找建筑完好、以建造和防守为主的素材", "Prefer clips about building and defending with structures intact"},
		},
		steer: [2]phrase{
			{"给出一次完整的崩塌过程，从第一道裂缝到落地", "Show one complete collapse, from the first crack to the ground"},
			{"崩塌镜头从简，一条最多一次", "Restrain collapse shots to one a film"},
		},
		name: phrase{"破坏感", "destruction"},
	},
	{
		key: "captions", home: domain.Steer,
		zh: []string{"字幕", "文字", "文案", "花字", "字太多", "字太小", "标题字", "大字"},
		en: []string{"caption", "subtitle", "text", "wording", "words on screen", "on-screen text", "copy"},
		search: [2]phrase{
			{"优先找带大字幕、关键词醒目的素材", "Prefer clips with large captions and clear key words"},
			{"优先找画面干净、文字少的素材", "Prefer clean pictures with little text"},
		},
		steer: [2]phrase{
			{"每个镜头配一句 8 个字以内的大字幕，关键词变色", "Give each shot one large caption of at most 6 words, key word in colour"},
			{"字幕从简：同屏最多一行，每行不超过 10 个字", "Restrain captions: one line on screen, at most 7 words"},
		},
		name: phrase{"字幕", "captions"},
	},
	{
		key: "music", home: domain.Steer,
		zh: []string{"音乐", "配乐", "bgm", "音效", "声音", "卡点", "旋律", "鼓点"},
		en: []string{"music", "sound", "soundtrack", "beat", "audio", "song", "bgm", "sfx"},
		search: [2]phrase{
			{"优先找音乐有力、动作卡点的素材", "Prefer clips with strong music and action on the beat"},
			{"优先找声音干净、配乐克制的素材", "Prefer clips with clean sound and restrained music"},
		},
		steer: [2]phrase{
			{"音乐要有力：第一秒起拍，切换踩在鼓点上，高潮处加重音效", "Strong music: beat from second one, cuts on the beat, heavier effects at the climax"},
			{"音乐克制：压低 6 dB，突出现场音效和口播", "Restrained music: 6 dB lower, effects and voice in front"},
		},
		name: phrase{"音乐", "music"},
	},
	{
		key: "length", home: domain.Steer,
		zh: []string{"太长", "太短", "短一点", "短些", "更短", "长一点", "时长", "秒数", "长度"},
		en: []string{"long", "longer", "short", "shorter", "length", "duration"},
		search: [2]phrase{
			{"优先找 20 秒以上、过程完整的素材", "Prefer clips of over 20 seconds with the whole process"},
			{"优先找 15 秒以内的素材", "Prefer clips of up to 15 seconds"},
		},
		steer: [2]phrase{
			{"片子可以再长一些，把过程讲完整", "Let the film run longer so that the process is complete"},
			{"片子压缩时长：每个镜头只留一个信息点", "Compress the film: one point a shot"},
		},
		name: phrase{"时长", "length"},
	},
	{
		key: "colour", home: domain.Steer,
		zh: []string{"颜色", "色彩", "色调", "太暗", "太亮", "鲜艳", "饱和", "亮度", "光线", "灰"},
		en: []string{"colour", "color", "dark", "bright", "brighter", "saturated", "saturation", "vivid", "lighting", "grey", "gray"},
		search: [2]phrase{
			{"优先找画面明亮、色彩鲜明的素材", "Prefer bright clips with vivid colours"},
			{"优先找色调统一、饱和度低的素材", "Prefer clips with one restrained, low-saturation palette"},
		},
		steer: [2]phrase{
			{"画面提亮，主体与背景用对比色分开", "Brighten the picture and separate subject and background by contrasting colours"},
			{"色彩克制：全片不超过三种主色，降低饱和度", "Restrain colour: at most three main colours, lower saturation"},
		},
		name: phrase{"色彩", "colour"},
	},
	{
		key: "transitions", home: domain.Steer,
		zh: []string{"转场", "切换特效", "转场特效", "过渡", "切镜"},
		en: []string{"transition", "wipe", "cutting effect"},
		search: [2]phrase{
			{"优先找转场有设计感的素材", "Prefer clips with designed transitions"},
			{"优先找硬切为主、转场干净的素材", "Prefer clips with straight cuts and clean transitions"},
		},
		steer: [2]phrase{
			{"转场要有设计：用动作或遮挡衔接，全片同一种", "Designed transitions: match on movement or cover, one kind throughout"},
			{"转场从简：以硬切为主，全片最多一次特效转场", "Plain transitions: straight cuts, at most one effect in the film"},
		},
		name: phrase{"转场", "transitions"},
	},
	{
		key: "camera", home: domain.Search,
		zh: []string{"镜头", "视角", "机位", "高空", "俯视", "航拍", "特写", "运镜", "抖", "第一人称"},
		en: []string{"camera", "angle", "aerial", "close-up", "close up", "shot", "shaky", "first person", "overhead"},
		search: [2]phrase{
			{"优先找高空俯视与近景特写交替的素材", "Prefer clips that alternate overhead views and close-ups"},
			{"优先找机位稳定、运镜平缓的素材", "Prefer clips with steady, calm camera work"},
		},
		steer: [2]phrase{
			{"镜头要有变化：俯视交代全局，特写落在关键动作上", "Vary the camera: overhead for the whole, close-up on the key action"},
			{"镜头稳住：固定机位为主，运镜不超过两次", "Steady camera: mostly fixed, at most two moves"},
		},
		name: phrase{"镜头", "camera"},
	},
	{
		key: "character", home: domain.Steer,
		zh: []string{"角色", "人物", "主角", "英雄", "真人", "表情", "演员", "怪物", "僵尸", "丧尸"},
		en: []string{"character", "hero", "protagonist", "people", "face", "actor", "zombie", "monster"},
		search: [2]phrase{
			{"优先找主角清楚、表情和动作夸张的素材", "Prefer clips with a clear lead and exaggerated expressions and moves"},
			{"优先找以场景和机制为主、人物少的素材", "Prefer clips led by scene and mechanics, with few people"},
		},
		steer: [2]phrase{
			{"主角在前 2 秒出场，每 5 秒给一次清楚的反应镜头", "Bring the lead on within 2 seconds, with a clear reaction shot every 5 seconds"},
			{"人物从简：同一条只讲一个角色", "Restrain characters: one a film"},
		},
		name: phrase{"角色", "character"},
	},
	{
		key: "story", home: domain.Steer,
		zh: []string{"剧情", "故事", "反转", "悬念", "失败", "营救", "救援", "冲突", "代入感"},
		en: []string{"story", "plot", "twist", "suspense", "fail", "rescue", "conflict", "narrative"},
		search: [2]phrase{
			{"优先找先失败再反转、带营救情节的素材", "Prefer clips with a failure, then a turn, or a rescue"},
			{"优先找直接展示玩法、剧情少的素材", "Prefer clips that show play directly with little story"},
		},
		steer: [2]phrase{
			{"剧情按「失败 → 尝试 → 反转」推进，10 秒前给出反转", "Build the story as failure, attempt, turn, with the turn before second 10"},
			{"剧情从简：一句话交代，直接进玩法", "Restrain the story: one sentence, then play"},
		},
		name: phrase{"剧情", "story"},
	},
	{
		key: "gameplay", home: domain.Steer,
		zh: []string{"玩法", "实机", "操作", "界面", "关卡"},
		en: []string{"gameplay", "game play", "in-game", "interface", "mechanic", "level"},
		search: [2]phrase{
			{"优先找能看清玩法和操作的实机素材", "Prefer in-game clips in which play and controls are clear"},
			{"优先找界面元素少的素材", "Prefer clips with few interface elements"},
		},
		steer: [2]phrase{
			{"玩法要看得懂：操作和结果在同一个镜头里出现", "Make play understandable: action and result in one shot"},
			{"界面从简：只留与当前操作有关的元素", "Restrain the interface to what the current action needs"},
		},
		name: phrase{"玩法", "gameplay"},
	},
	{
		key: "satisfying", home: domain.Search,
		zh: []string{"解压", "爽", "爽感", "治愈", "舒适"},
		en: []string{"satisfying", "asmr", "relaxing", "oddly satisfying"},
		search: [2]phrase{
			{"优先找解压、爽感强的素材：连续消除、整齐归位、一次清空", "Prefer satisfying clips: chain clears, things falling into place, all gone at once"},
			{"优先找有对抗、有压力的素材", "Prefer clips with opposition and pressure"},
		},
		steer: [2]phrase{
			{"结尾给一次彻底的爽点：一次清空或满级释放", "End on one complete release: everything cleared or full power"},
			{"爽点从简，全片一次", "Restrain the release to once a film"},
		},
		name: phrase{"爽感", "satisfaction"},
	},
	{
		key: "growth", home: domain.Search,
		zh: []string{"升级", "成长", "合成", "进化", "变强", "数值"},
		en: []string{"upgrade", "level up", "merge", "evolve", "evolution", "power up", "growth"},
		search: [2]phrase{
			{"优先找升级前后对比明显的素材", "Prefer clips with a clear before and after of an upgrade"},
			{"优先找不靠升级、凭操作取胜的素材", "Prefer clips won by skill with few upgrades"},
		},
		steer: [2]phrase{
			{"把升级拍成前后对比：同一机位，弱与强各 2 秒", "Show upgrades as before and after: same angle, 2 seconds each"},
			{"升级从简，最多一次", "Restrain upgrades to one"},
		},
		name: phrase{"成长感", "growth"},
	},
	{
		key: "ending", home: domain.Steer,
		zh: []string{"结尾", "落版", "收尾", "引导", "下载按钮", "行动号召"},
		en: []string{"ending", "end card", "call to action", "cta", "outro", "finale"},
		search: [2]phrase{
			{"优先找结尾有悬念或明确结果的素材", "Prefer clips that end on a question or a clear result"},
			{"优先找结尾干净、落版短的素材", "Prefer clips with a clean, short end card"},
		},
		steer: [2]phrase{
			{"最后 2 秒给明确的行动引导，并留一个悬念", "Use the last 2 seconds for a clear call to action with an open question"},
			{"落版从简：不超过 1 秒", "Restrain the end card to 1 second"},
		},
		name: phrase{"结尾", "ending"},
	},
	{
		key: "realism", home: domain.Search,
		zh: []string{"假", "真实", "真实感", "质感", "ai味", "ai 味", "廉价"},
		en: []string{"fake", "realistic", "realism", "ai-looking", "cheap", "authentic"},
		search: [2]phrase{
			{"优先找质感真实、物理反馈可信的素材", "Prefer clips with a realistic look and believable physics"},
			{"优先找实拍或实机、质感真实的素材", "Prefer live or in-game footage with a realistic look"},
		},
		steer: [2]phrase{
			{"质感要真实：光影一致，碰撞和重量符合物理", "Realistic look: consistent light, collisions and weight that obey physics"},
			{"质感要真实：光影一致，碰撞和重量符合物理", "Realistic look: consistent light, collisions and weight that obey physics"},
		},
		name: phrase{"真实感", "realism"},
	},
	{
		key: "humour", home: domain.Steer,
		zh: []string{"搞笑", "幽默", "好笑", "有趣", "好玩", "无聊", "沙雕"},
		en: []string{"funny", "humour", "humor", "fun", "joke", "boring", "meme"},
		search: [2]phrase{
			{"优先找有笑点、结果出人意料的素材", "Prefer funny clips with an unexpected result"},
			{"优先找严肃紧张的素材", "Prefer serious, tense clips"},
		},
		steer: [2]phrase{
			{"每条至少一个出人意料的笑点，放在前 8 秒", "At least one unexpected joke a film, within 8 seconds"},
			{"笑点从简，保持紧张感", "Restrain jokes and keep the tension"},
		},
		name: phrase{"趣味", "humour"},
	},
	{
		key: "clarity", home: domain.Search,
		zh: []string{"看不清", "模糊", "画质", "清晰", "清楚", "分辨率", "糊"},
		en: []string{"blurry", "blurred", "quality", "clear", "clarity", "resolution", "sharp", "pixelated"},
		search: [2]phrase{
			{"优先找画质清晰、主体明确的素材", "Prefer sharp clips with a clear subject"},
			{"优先找画质清晰、主体明确的素材", "Prefer sharp clips with a clear subject"},
		},
		steer: [2]phrase{
			{"画面要清晰：主体占画面三分之一以上，不用低清素材", "Keep it sharp: the subject fills a third of the frame or more, high resolution only"},
			{"画面要清晰：主体占画面三分之一以上，不用低清素材", "Keep it sharp: the subject fills a third of the frame or more, high resolution only"},
		},
		name: phrase{"清晰度", "clarity"},
	},
	{
		key: "effects", home: domain.Steer,
		zh: []string{"特效", "光效", "粒子", "滤镜", "花里胡哨"},
		en: []string{"effect", "vfx", "particle", "filter", "flashy"},
		search: [2]phrase{
			{"优先找特效华丽、光效醒目的素材", "Prefer clips with rich, striking effects"},
			{"优先找特效少、画面干净的素材", "Prefer clean clips with few effects"},
		},
		steer: [2]phrase{
			{"特效加强：释放技能时光效占满画面一次", "Stronger effects: let one skill fill the frame with light"},
			{"特效从简：只用在关键动作上", "Restrain effects to the key action"},
		},
		name: phrase{"特效", "effects"},
	},
}
