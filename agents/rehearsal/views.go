package rehearsal

import (
	"encoding/json"
	"fmt"
	"strings"

	"sozai/domain"
)

// viewed is an object that was looked at in this conversation.
type viewed struct {
	ref    domain.Ref
	output map[string]any
}

// views are the objects looked at, in order, each once.
func (c chat) views() []viewed {
	var out []viewed
	seen := map[domain.ID]bool{}
	for _, d := range c.t.of("view_object") {
		var in viewInput
		if d.failed || json.Unmarshal(d.input, &in) != nil || seen[in.ID] {
			continue
		}
		v := viewed{ref: domain.Ref{Type: in.Type, ID: in.ID}}
		if decode(d.output, &v.output) {
			seen[in.ID] = true
			out = append(out, v)
		}
	}
	return out
}

func (c chat) saw(r domain.Ref) bool {
	for _, v := range c.views() {
		if v.ref.ID == r.ID {
			return true
		}
	}
	return false
}

// failure is why a cited object could not be looked at; "" if it could.
func (c chat) failure(r domain.Ref) string {
	for _, d := range c.t.of("view_object") {
		var in viewInput
		if d.failed && json.Unmarshal(d.input, &in) == nil && in.ID == r.ID {
			return c.refusal(d.output)
		}
	}
	return ""
}

// unanalysed says whether a material has a video and no digest yet.
func (v viewed) unanalysed() bool {
	if analysed, ok := v.output["analyzed"].(bool); ok {
		return !analysed && v.output["media"] != false
	}
	return false
}

func (v viewed) text(path ...string) string {
	s, _ := v.at(path...).(string)
	return strings.TrimSpace(s)
}

func (v viewed) at(path ...string) any {
	var now any = v.output
	for _, p := range path {
		m, ok := now.(map[string]any)
		if !ok {
			return nil
		}
		now = m[p]
	}
	return now
}

// panelView is a panel of a viewed board that people said something of.
type panelView struct {
	Number   int `json:"number"`
	Feedback []struct {
		By      string `json:"by"`
		Verdict string `json:"verdict"`
		Words   string `json:"words"`
	} `json:"feedback"`
}

// panels are the panels of a viewed board that people said something of.
func (v viewed) panels() []panelView {
	raw, err := json.Marshal(v.at("panels"))
	var all, out []panelView
	if err != nil || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for _, p := range all {
		if len(p.Feedback) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// said is who said what of the panel.
func (p panelView) said(zh bool) string {
	var out []string
	for _, f := range p.Feedback {
		switch {
		case f.Words != "":
			out = append(out, f.By+phrase{"说「", " said “"}.in(zh)+clip(f.Words, 60)+phrase{"」", "”"}.in(zh))
		case f.Verdict == "like":
			out = append(out, f.By+phrase{"点了赞", " liked it"}.in(zh))
		case f.Verdict == "dislike":
			out = append(out, f.By+phrase{"点了踩", " disliked it"}.in(zh))
		}
	}
	return strings.Join(out, phrase{"，", ", "}.in(zh))
}

// recordKey joins what was recorded to who said it.
func recordKey(r domain.Ref, words string) string {
	return fmt.Sprintf("%s %d %g %g\n%s", r.ID, r.Panel, r.From, r.To, words)
}

// recorded maps an object and words to the feedback that record_feedback made.
func (c chat) recorded() map[string][]string {
	out := map[string][]string{}
	for _, d := range c.t.of("record_feedback") {
		var in recordInput
		var made struct {
			Feedback string `json:"feedback"`
			ID       string `json:"id"`
		}
		if d.failed || json.Unmarshal(d.input, &in) != nil || !decode(d.output, &made) {
			continue
		}
		id := made.Feedback
		if id == "" {
			id = made.ID
		}
		if id != "" {
			k := recordKey(in.Object, in.Words)
			out[k] = append(out[k], id)
		}
	}
	return out
}

func firstSentence(s string) string {
	s = strings.TrimSpace(s)
	if m := sentence.FindString(s); m != "" {
		s = m
	}
	return clip(s, 160)
}
