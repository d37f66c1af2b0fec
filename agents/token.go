package agents

import "unicode"

// perBlock is what role, type and ids of a block cost beside its text.
const perBlock = 8

// EstimateTokens estimates the tokens of a text, rather too many than too few: a
// CJK or other character outside ASCII counts as one, four ASCII ones as one.
func EstimateTokens(s string) int {
	quarters := 0
	for _, r := range s {
		switch {
		case r < 128:
			quarters++
		case r < 0x2E80 && unicode.IsLetter(r):
			quarters += 2
		default:
			quarters += 4
		}
	}
	return (quarters + 3) / 4
}

func estimateBlock(b Block) int {
	return perBlock + EstimateTokens(b.Text) + EstimateTokens(b.Name) +
		EstimateTokens(string(b.Input)) + EstimateTokens(b.Signature)
}

// EstimateRequest estimates the prompt tokens of a request.
func EstimateRequest(r Request) int {
	n := estimatePrefix(r.System, r.Tools)
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			n += estimateBlock(b)
		}
	}
	return n
}

func estimatePrefix(system []Segment, tools []ToolSpec) int {
	n := 0
	for _, s := range system {
		n += perBlock + EstimateTokens(s.Text)
	}
	for _, t := range tools {
		n += perBlock + EstimateTokens(t.Name) + EstimateTokens(t.Description) + EstimateTokens(string(t.Schema))
	}
	return n
}

func (a *Assembler) estimate() int {
	if a.size == 0 {
		a.size = EstimateRequest(Request{System: a.system, Tools: a.tools, Messages: a.messages})
	}
	return a.size
}
