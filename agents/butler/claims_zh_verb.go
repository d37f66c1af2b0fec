package butler

import "strings"

// zhVerbAt is one verb of a clause with what stands around it.
type zhVerbAt struct {
	st              *zhState
	clause          string
	pre, verb, post string
	deed            deed
}

// judge decides whether the verb claims something, and what.
func (w zhVerbAt) judge(cond bool) (claim, bool) {
	already := lastMatch(zhAlready, w.pre)
	if !w.completed(already) {
		return claim{}, false
	}
	strong := already >= 0
	who, at := w.st.subjectOf(w.clause, len(w.pre), w.deed)
	if who == other && strong && zhForYou.MatchString(w.pre) && !w.byPerson() {
		who = nobody // 任务已经为你启动
	}
	if who == other || w.doneBySomebody() {
		return claim{}, false
	}
	// A marker of denial or plan before 已 does not reach over it; nor does one
	// inside a 把 phrase, which is the object's.
	scope := w.pre
	switch {
	case strong:
		scope = w.pre[already:]
	case who == own && at >= 0:
		scope = w.pre[at:]
	}
	if ba := lastMatch(zhBa, scope); ba >= 0 {
		scope = scope[:ba]
	}
	if who == own && at >= 0 && !strong && zhSupposes.MatchString(w.pre[at:]) {
		return claim{}, false
	}
	if zhDeny.MatchString(scope) || zhPlan.MatchString(scope) || zhIsBa.MatchString(w.pre) && !strong {
		return claim{}, false
	}
	if cond && !(strong && who == own && !zhIf.MatchString(w.pre[:already])) {
		return claim{}, false
	}
	if w.st.if_ && !strong && !(who == own && !zhThen.MatchString(w.pre)) {
		return claim{}, false
	}
	return w.object(who, strong)
}

// completed says whether the verb is told as done.
func (w zhVerbAt) completed(already int) bool {
	made, ba := lastMatch(zhMade, w.pre), lastMatch(zhBa, w.pre)
	into := zhInto.MatchString(w.post) || zhIntoEnd.MatchString(w.verb)
	switch {
	case already >= 0, made >= 0 && len(w.pre)-made < 36:
		return true
	case zhCompl.MatchString(w.post), strings.ContainsAny(w.verb, "了过"), strings.HasSuffix(w.verb, "好") && w.deed != deedCard:
		return true
	case into && zhDoneEnd.MatchString(w.clause), ba >= 0 && zhDoneEnd.MatchString(w.clause):
		return true
	case ba >= 0 && into:
		return !zhPlan.MatchString(w.pre) && !zhPlanBa.MatchString(w.pre)
	}
	return false
}

// byPerson says that a person stands before the verb, beside the one it is done for.
func (w zhVerbAt) byPerson() bool {
	pre := zhForYou.ReplaceAllString(w.pre, "")
	return zhPerson.MatchString(pre) || w.st.names != nil && w.st.names.MatchString(pre)
}

// doneBySomebody is the passive with a doer other than the butler.
func (w zhVerbAt) doneBySomebody() bool {
	by := zhBy.FindStringSubmatch(w.pre)
	return by != nil && by[2] == "" && strings.TrimSpace(by[3]) != ""
}

// about is what a clause speaks of.
type about struct {
	card, cardNear, gene, order, hunt, note, media bool
	lead, forYou                                   bool
}

func (w zhVerbAt) about() about {
	c := strings.ReplaceAll(w.clause, "下单卡", "下单")
	return about{
		card: zhCard.MatchString(c), cardNear: zhCard.MatchString(strings.ReplaceAll(w.st.sentence, "下单卡", "下单")),
		gene: zhGene.MatchString(c), order: zhOrder.MatchString(c), hunt: zhHunt.MatchString(c),
		note: zhNote.MatchString(c), media: zhMedia.MatchString(c),
		lead: leads(w.pre), forYou: zhForYou.MatchString(w.pre),
	}
}

// object decides what was acted on, and so what would prove it.
func (w zhVerbAt) object(who subject, strong bool) (claim, bool) {
	a := w.about()
	cl := claim{own: who == own, cited: w.clause}
	if who == nobody && !a.lead && !a.gene && !a.card && !a.order && !a.note && !(a.forYou && strong) {
		return claim{}, false // some unknown subject: not about the butler
	}
	var ok bool
	switch w.deed {
	case deedChange, deedAdd:
		cl.deed, ok = w.changed(a, who, strong)
		cl.impersonal = who == nobody && zhGene.MatchString(w.pre) && lastMatch(zhBa, w.pre) < 0
	case deedFeedback:
		cl.deed, ok = w.noted(a, who, strong)
	case deedOrder:
		cl.deed, ok = w.ordered(a, who, strong)
	case deedCard:
		cl.deed, ok = w.carded(a)
	case deedAny:
		cl.deed, ok = w.anything(a, who)
	case deedStarted:
		cl.deed, ok = w.started(a, strong)
	case deedSearch:
		cl.deed, ok = w.searched(a, who)
	case deedView:
		cl.deed, ok = w.viewed(a, who, strong)
	case deedOther:
		cl.deed, ok = w.otherwise(a, who)
	}
	if who == nobody && w.st.acted && zhGene.MatchString(w.pre) {
		return claim{}, false // came of what a person did in the same sentence
	}
	return cl, ok
}

func (w zhVerbAt) changed(a about, who subject, strong bool) (deed, bool) {
	switch {
	case w.verb == "启用" && a.cardNear && !a.gene && !zhInCard.MatchString(w.clause):
		return deedOther, who == own || a.lead || strong || a.forYou // a card's button is a person's
	case strings.HasPrefix(w.verb, "撤") && (a.card || a.order):
		return deedOther, true // only its answer or its age closes a card
	case zhOfCard.MatchString(w.pre) && who != own:
		return "", false // what a card proposes
	case w.verb == "生效" && !a.card && strong:
		return deedChange, true
	case a.card, a.cardNear && !(who == nobody && a.gene && !a.lead) && (a.gene || w.st.gene || !a.media):
		return deedCard, true
	case a.order && !a.gene:
		if w.deed == deedAdd {
			return deedOrder, true
		}
		return deedOther, true
	case a.gene:
		// "规则里已经写了…" tells what a document says.
		return deedChange, who == own || w.verb != "写了" && (w.verb != "加了" || !zhStates.MatchString(w.pre))
	case zhMind.MatchString(w.clause):
		return "", false
	case a.note && (w.deed == deedAdd || w.verb == "保存" || w.verb == "save" || strings.HasPrefix(w.verb, "存")):
		return deedFeedback, true
	case a.note && strings.ContainsAny(w.verb, "关删撤移除"):
		return deedOther, true // only an answer closes feedback
	case a.note:
		return deedAny, true
	case a.media && who == own:
		return deedOther, true
	case a.media:
		inside := lastMatch(zhBa, w.pre) < 0 && zhMedia.MatchString(w.pre) // what happens in a video
		return deedOther, (a.lead || strong) && !inside
	case who == nobody && !a.lead:
		return "", false
	}
	return w.deed, true
}

func (w zhVerbAt) noted(a about, who subject, strong bool) (deed, bool) {
	switch {
	case w.verb == "记" && !zhCompl.MatchString(w.post) && !zhInto.MatchString(w.post) && !strong:
		return "", false
	case w.verb == "记住" && strings.HasPrefix(w.post, "的"):
		return "", false
	case strings.HasPrefix(w.verb, "点") || w.verb == "踩了" || w.verb == "赞了":
		return deedFeedback, who == own // others' likes are the log's
	case strings.HasPrefix(w.verb, "存") && !a.note:
		return "", false
	case a.gene && zhToGene.MatchString(w.clause):
		if a.cardNear {
			return deedCard, true
		}
		return deedChange, true
	}
	return deedFeedback, who == own || a.lead || a.note
}

func (w zhVerbAt) ordered(a about, who subject, strong bool) (deed, bool) {
	switch {
	case (w.verb == "下好" || w.verb == "下完") && !a.order:
		return "", false
	case strings.HasPrefix(w.verb, "下"):
		return deedOrder, true
	case a.card && !a.order:
		return deedCard, true
	case a.order, a.hunt && strings.ContainsAny(w.verb, "提安派订补"):
		return deedOrder, true
	case w.verb == "安排" && (strong || zhCompl.MatchString(w.post)):
		return deedOrder, who == own || a.lead
	case w.verb == "提交":
		return deedAny, who == own || a.lead
	}
	return "", false
}

func (w zhVerbAt) carded(a about) (deed, bool) {
	switch {
	case a.card && !a.order:
		return deedCard, true
	case a.order && strings.Contains(w.clause, "单") && !a.hunt, a.order && strings.Contains(w.clause, "下单卡"):
		return deedOrder, true
	}
	return "", false
}

func (w zhVerbAt) anything(a about, who subject) (deed, bool) {
	switch {
	case who == nobody && !a.forYou && (zhTask.MatchString(w.pre) || zhMedia.MatchString(w.pre)):
		return "", false // a run ended, a film is ready: the system's record
	case who == nobody && !a.lead, zhLooksAt.MatchString(w.post):
		return "", false
	case a.media && (strings.HasPrefix(w.verb, "做") || w.verb == "完成"):
		return deedOther, true
	}
	return deedAny, true
}

func (w zhVerbAt) started(a about, strong bool) (deed, bool) {
	switch {
	case !a.hunt && !a.media && !strings.Contains(w.clause, "任务") && !w.st.order, zhLasted.MatchString(w.post):
		return "", false
	case strings.HasPrefix(w.verb, "跑") && !zhCompl.MatchString(w.post) && !strong, zhEnded.MatchString(w.post) && w.verb == "跑":
		return "", false
	case w.verb == "发起" && a.order:
		return deedOrder, true
	}
	return deedStarted, !zhInVideo.MatchString(w.clause)
}

func (w zhVerbAt) searched(a about, who subject) (deed, bool) {
	active := strings.HasPrefix(w.post, "了") || strings.HasPrefix(w.post, "过") || strings.HasPrefix(w.post, "完")
	switch {
	case zhAsNoun.MatchString(w.post):
		return "", false
	case zhOrdering.MatchString(w.pre), a.order:
		return "", false // left to the verb of ordering
	case who != own && !a.forYou && !(a.lead && active):
		return "", false
	case strings.HasPrefix(w.verb, "找") && !a.media && !strings.Contains(w.post, "批"):
		return "", false
	case zhData.MatchString(w.clause), a.note:
		return deedView, true
	}
	return deedSearch, true
}

func (w zhVerbAt) viewed(a about, who subject, strong bool) (deed, bool) {
	if strings.HasPrefix(w.verb, "确认") && (a.order || a.card) {
		return "", false // left to the verb of confirming
	}
	analysed := strings.HasPrefix(w.verb, "分析") || strings.HasPrefix(w.verb, "拆") || strings.HasPrefix(w.verb, "核") || w.verb == "复盘"
	named := a.media || w.st.media || zhData.MatchString(w.clause) || analysed && who == own && (strong || zhCompl.MatchString(w.post))
	return deedView, (who == own || a.lead) && named && !zhTimes.MatchString(w.post)
}

func (w zhVerbAt) otherwise(a about, who subject) (deed, bool) {
	switch w.verb {
	case "确认", "批准", "审批", "驳回", "拒绝":
		return deedOther, (a.order || a.card) && (who == own || a.lead)
	case "取消", "重试", "归档":
		return deedOther, who == own || a.lead || a.order && a.forYou
	case "点了", "点击", "点好":
		return deedOther, who == own && zhButton.MatchString(w.post)
	case "生成":
		if a.card || a.order {
			return "", false // left to the verb of proposing
		}
	case "发了":
		if a.note {
			return "", false
		}
	case "通知", "告知", "转告", "转达", "提醒", "联系", "邀请", "催":
		return deedOther, who == own || a.lead
	case "发送", "发给", "发出", "发布", "发到":
		return deedOther, (who == own || a.lead) && (zhTeam.MatchString(w.clause) || a.gene || a.media || a.card || a.note)
	}
	switch {
	case who == nobody && !a.forYou && (zhMedia.MatchString(w.pre) || zhTask.MatchString(w.pre)):
		return "", false // a board or film is ready: the system's record
	case a.media, a.note, a.forYou, zhTask.MatchString(w.clause), w.verb == "付了", w.verb == "支付":
		return deedOther, true
	}
	return "", false
}
