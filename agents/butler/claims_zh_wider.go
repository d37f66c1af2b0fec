package butler

import (
	"regexp"
	"strings"
)

// The second look of the claim detector: clauses in which no listed verb claimed
// anything are searched for the shapes that claims take whatever the verb:
// something was done for somebody, something went into a card or document, the
// gene or a limit moved, work is under way, a version is named that does not
// exist. A clause that denies, plans, asks, sets a condition or tells of somebody
// else is not looked at.

// wider looks at a clause of a Chinese sentence.
func (st *zhState) wider(c string, cond bool) (claim, bool) {
	if cond || st.if_ || st.acted || zhDeny.MatchString(c) || zhPlan.MatchString(zhKeeps.ReplaceAllString(c, "")) {
		return claim{}, false
	}
	bare := zhOwned.ReplaceAllString(c, "") // 你的点赞 is nobody's doing
	who, _ := st.subjectOf(bare, len(bare), deedChange)
	person := who == other && (zhPerson.MatchString(bare) || st.names != nil && st.names.MatchString(bare))
	if lead := zhObjectLead.FindString(bare); lead != "" && who == other &&
		!zhPerson.MatchString(lead) && (st.names == nil || !st.names.MatchString(lead)) {
		who, person = nobody, false // a name or thing behind the object does not act
	}
	found := func(d deed) (claim, bool) {
		return claim{deed: d, own: who == own, impersonal: who != own, cited: c}, true
	}
	started := claim{deed: deedStarted, cited: c}
	switch {
	case zhFinish.MatchString(c):
		return found(deedAny)
	case zhLooked.MatchString(c):
		return found(deedView)
	case zhVersionAt.MatchString(c):
		return found(deedVersion)
	case who == own && zhPutAt.MatchString(c):
		return found(deedOther)
	case who == own && zhCounted.MatchString(c):
		return found(deedView)
	case who != other && zhForYou.MatchString(c) && (zhDone.MatchString(c) || zhAlready.MatchString(c)) && !zhTellsYou.MatchString(c):
		return found(zhDeedOf(c))
	case zhOnMember.MatchString(c):
		return found(deedOther)
	case person:
		return claim{}, false
	case zhQueued.MatchString(c), zhPlaced.MatchString(c):
		return found(deedOrder)
	case zhGoing.MatchString(c), zhUnderWay.MatchString(c) && !zhOver.MatchString(c):
		return started, true
	case who == other:
		return claim{}, false
	case zhMoved.MatchString(c), zhGrew.MatchString(c), zhFollows.MatchString(c), zhIntoGene.MatchString(c), zhFromNow.MatchString(c):
		return found(deedChange)
	case zhIntoCard.MatchString(c):
		return found(deedCard)
	case zhIntoNote.MatchString(c):
		return found(deedFeedback)
	case zhObjectDone.MatchString(c):
		return found(zhDeedOf(c))
	case zhStands.MatchString(c):
		return claim{}, false
	case zhAnyDone.MatchString(c):
		d := zhDeedOf(c)
		return claim{deed: d, own: who == own, impersonal: who != own, cited: c}, d != deedOther
	case who == nobody && zhTopicDone.MatchString(c) && !zhDrifts.MatchString(c) && !zhMedia.MatchString(c) && !zhTask.MatchString(c):
		if d := zhDeedOf(c); d != deedOther {
			return found(d)
		}
		return found(deedUnknown)
	}
	return claim{}, false
}

// zhDeedOf is what a clause is about, by what would prove it.
func zhDeedOf(c string) deed {
	c = strings.ReplaceAll(c, "下单卡", "下单")
	switch {
	case zhCard.MatchString(c):
		return deedCard
	case zhOrder.MatchString(c):
		return deedOrder
	case zhNote.MatchString(c), zhJots.MatchString(c) && !zhGene.MatchString(c):
		return deedFeedback
	case zhGene.MatchString(c):
		return deedChange
	}
	return deedOther
}

var (
	zhKeeps      = regexp.MustCompile(`需求|要求|要点|想要的|再次|等级|才`)
	zhReport     = regexp.MustCompile(`(?:本次|这次|本轮|此次|刚才|我|已|共)[^，]{0,8}(?:操作|完成|处理|执行|做了|改动)[^，]{0,8}$`)
	zhJots       = regexp.MustCompile(`记[下上录]|登记|[条个]踩|[条个]赞`)
	zhOwned      = regexp.MustCompile(`(?:你们?|您|大家|各位|两位|他|她)(?:(?:和|跟|与)[^，我]{1,5})?的`)
	zhModifies   = regexp.MustCompile(`^(?:规则|基因|约束|上限|文档|诉求|要求)`)
	zhDone       = regexp.MustCompile(`了|过|完毕|成功|到位`)
	zhTellsYou   = regexp.MustCompile(`列|举|讲|说|解释|介绍|总结|归纳|整理|想|算[了出]|挑|概括|描述|翻译|分成|准备了[几两三]|参考|提个醒`)
	zhFinish     = regexp.MustCompile(`^(?:好[的嘞啦]?|嗯|行|都|全部?|已经?|这就|马上)*(?:[改调加删记提写存换弄办搞]|更新|修改|调整|安排|记录)(?:完|好|妥|上|完成)?(?:了)?(?:收工|完工|齐活)[啦了]?[。！!～~ ]*$|^(?:安排上|收工|齐活|妥了|搞掂|搞定|完工|大功告成)[了啦咯]?[。！!～~ ✅]*$`)
	zhVersionAt  = regexp.MustCompile(`(?i)(?:基因|规则|版本|现在|目前|已经?)[^，]{0,6}(?:到|是|成|为|变成|升到)了? ?V\d+`)
	zhCounted    = regexp.MustCompile(`(?:数|统计|汇总|清点|核算|盘点|抽查)(?:了|过|完)|逐条|挨个|从头到尾`)
	zhObjectLead = regexp.MustCompile(`^[^，]{0,10}?(?:规则|基因|约束|上限|下限|片长|文档|预算|成员|名单|检索词|关键词|定时|日程|意见|反馈|评论|原话|卡片?|下单|单子|订单|两点|几点|这点|那点|这条|那条)`)
	zhMoved      = regexp.MustCompile(`(?:规则|基因|约束|上限|下限|片长|限制|预算|目标|关键词|参数|比例|画幅)[^，]{0,10}从 ?[^，]{1,12}(?:改|调|降|提|收|放|缩|加|减|升|变|换|压|拉)[^，]{0,2}(?:到|成|为|至|了)`)
	zhGrew       = regexp.MustCompile(`(?:规则|基因|约束|上限|文档|限制|关键词|参数)[^，]{0,6}(?:现在|如今|目前|这下|刚刚?|刚才)[^，]{0,4}(?:[多少变改换有加]|只剩|去掉|新增|增加|添)[^，]{0,3}了|(?:规则|基因|文档)[^，比]{0,4}(?:[多少])了`)
	zhIntoCard   = regexp.MustCompile(`(?:[落写放收归并录存记补塞融加]|体现|反映|合并|汇总|整理)[^，]{0,2}(?:到|进|入|在)了?[^，]{0,6}(?:卡|提案)(?:片)?[里中上内]?(?:面|头)?了?[。！!]*$`)
	zhIntoNote   = regexp.MustCompile(`(?:[落写放收归并录存记补归]|反映|汇总|整理|登)[^，]{0,2}(?:到|进|入|在)了?[^，]{0,8}(?:反馈|记录|档案?|台账|清单|名下)[里中上内]?(?:面|头)?了?[。！!]*$`)
	zhIntoGene   = regexp.MustCompile(`(?:[落收归并录补塞融]|体现|反映|合并|同步|沉淀|吸收|整合)[^，]{0,2}(?:到|进|入)了?[^，]{0,8}(?:规则|基因|文档|约束)[里中上内]?(?:面|头)?了?[。！!]*$`)
	zhOnMember   = regexp.MustCompile(`(?:成员|名单|列表)[里中上]?[^，]{0,4}(?:加上|加了|去掉|移除|添加|新增|已加)`)
	zhObjectDone = regexp.MustCompile(`^(?:这|那|你的?|您的?|大家的?|新|上述|以上|相关|所有|全部|两[条个点张]|这[条个点张些]|那[条个点张些])*(?:意见|反馈|评论|原话|修改|改动|变更|调整|规则|卡片?|提案|单子|订单)[^，]{0,6}(?:都|也|均|已经?|一并|全部?)?[^，]{0,4}(?:归档|入库|入档|落实|落地|到位|就位|搞定|办妥|敲定|定稿|提上去|发出去|递上去|挂上去|收下|留痕|更好)了?[啦咯]?[。！!～~]*$`)
	zhFromNow    = regexp.MustCompile(`(?:规则|基因|检索|上限|卡)[^，]{0,8}(?:从现在起|从今天起|从今往后|即日起|今后都?|往后都?)`)
	zhLooked     = regexp.MustCompile(`^(?:好[的嘞]?|嗯|都|全|全部|已经?|刚刚?|逐[条一]|挨个)*(?:对比|比对|比较|比|查|看|核对|分析|翻|读|筛|过)(?:完|好|过)了?(?:一[遍轮下])?[了啦]?[。！!～ ]*$`)
	zhFollows    = regexp.MustCompile(`(?:规则|基因|文档|上限|约束)[^，]{0,4}(?:随之|相应|一并|同步|跟着|也就)[^，]{0,2}(?:更新|调整|修改|改|变|收紧|放宽)`)
	zhPlaced     = regexp.MustCompile(`(?:单子?|订单|检索|搜索)[^，]{0,3}(?:下|提|派|发)(?:好|出|上去|出去)?了`)
	zhPutAt      = regexp.MustCompile(`[放存贴传挂摆]在[^，]{0,6}(?:页|库|任务中心|群里|首页|列表)`)
	zhQueued     = regexp.MustCompile(`(?:排上队|排进队列|排上日程|排好队|挂上去|上架排队|排期)[^，]{0,2}了`)
	zhAnyDone    = regexp.MustCompile(`(?:规则|基因|文档|约束|上限|下限|关键词|检索词|检索范围|定时|预算|意见|反馈|原话|卡片?|下单|单子|订单)[^，]{0,16}(?:已|统一|全部|都|给)[^，]{0,10}(?:了|完毕|成)|(?:已|刚|统一)把?[^，]{0,10}(?:规则|基因|文档|约束|上限|关键词|检索词|预算|意见|反馈|卡片?|单子|订单)[^，]{0,6}了|(?:规则|基因|文档|约束|上限|关键词|检索词|意见|反馈|卡片?|单子|订单)[^，]{0,10}\p{Han}[好完掉成入下回紧松宽短细全齐妥]了[。！!]*$`)
	zhGoing      = regexp.MustCompile(`(?:搜索|检索|渲染|出片|任务)[^，还仍]{0,3}(?:正在|在)(?:进行|执行|跑|推进|处理)`)
	zhTopicDone  = regexp.MustCompile(`(?:已经|已)(?:经)?\p{Han}|\p{Han}[好完掉成入上回紧松宽短长高低细全齐妥]了[。！!]*$|(?:完毕|到位|妥当)[。！!]*$`)
	zhDrifts     = regexp.MustCompile(`[涨降跌升变到有是够满过]了?[。！!]*$|用[完光]|耗尽|花[完光]|结束|失败|存在|超|下降|上升|提高|降低|增加|减少|占|排|过半|成熟|明显|偏|稳定|接近|冲突`)
	zhStands     = regexp.MustCompile(`写|在|有[了人]?|是|要求|过期|到期|被|由|谢绝|驳回|启用|确认|存在|变化|冲突|等|超过|挂着|采用|提到|说|包含|覆盖|太|很|更|比|找的|生成|处理|足|够|多少|一样|重复|关闭|关了|应`)
	zhOver       = regexp.MustCompile(`完成|结束|好了|失败|停|\d ?%`)
	zhUnderWay   = regexp.MustCompile(`(?:成片|方案|搜索|检索|任务|渲染|后台|试搜|出片)[^，还仍]{0,4}(?:已经?|正在|这就|刚)[^，还仍]{0,2}(?:重新|再次)?(?:开始|启动|开工|跑|在跑|渲染|出片|动工|发起|重启|派出|提交|恢复|安排)|(?:成片|方案|搜索|检索|渲染)[^，还仍]{0,4}(?:开始|启动|开工|跑起来)[^，]{0,4}了`)
)
