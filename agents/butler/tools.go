package butler

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"sozai/agents"
	"sozai/domain"
)

// chatTools are the nine of the attended shift, and read_feedback, which both
// shifts have.
func chatTools(s *shift) []agents.Tool {
	return []agents.Tool{
		s.readGene(), s.viewObject(), s.analyzeVideo(), s.readPerformance(), s.readBehavior(), s.readFeedback(),
		s.recordFeedback(), s.proposeGeneCard(), s.orderSearch(), s.proposeOrder(),
	}
}

// digestTools are those of the unattended shift; the last two end it.
func digestTools(s *shift) []agents.Tool {
	return []agents.Tool{
		s.readGene(), s.viewObject(), s.analyzeVideo(), s.readPerformance(), s.readBehavior(), s.readFeedback(),
		s.proposeUpdate(), s.noUpdate(),
	}
}

// The names of the tools.
const (
	toolReadGene        = "read_gene"
	toolViewObject      = "view_object"
	toolAnalyzeVideo    = "analyze_video"
	toolReadPerformance = "read_performance"
	toolReadBehavior    = "read_behavior"
	toolReadFeedback    = "read_feedback"
	toolRecordFeedback  = "record_feedback"
	toolProposeGeneCard = "propose_gene_card"
	toolOrderSearch     = "order_search"
	toolProposeOrder    = "propose_order"
	toolProposeUpdate   = "propose_update"
	toolNoUpdate        = "no_update"
)

// Receipt kinds.
const (
	receiptCard     = "card"
	receiptOrder    = "order"
	receiptFeedback = "feedback"
	receiptAnalysis = "analysis"
	receiptFinish   = "finish"
)

// Schemas, written out because the order of properties is what a model reads
// and what the prompt cache hashes.
const (
	schemaNone = `{"type":"object","properties":{},"additionalProperties":false}`

	schemaViewObject = `{"type":"object","properties":{
"type":{"type":"string","enum":["material","board","film","asset"]},
"id":{"type":"string","description":"the object's id, as it is cited"},
"detail":{"type":"string","enum":["digest","full"],"description":"digest (default) is enough for almost everything; full adds the whole report, at most 2 a round"}},
"required":["type","id"],"additionalProperties":false}`

	schemaAnalyzeVideo = `{"type":"object","properties":{
"material":{"type":"string","description":"id of a material that view_object shows as not analysed"}},
"required":["material"],"additionalProperties":false}`

	schemaReadBehavior = `{"type":"object","properties":{
"limit":{"type":"integer","minimum":1,"maximum":100,"description":"newest rows, default 30"}},
"additionalProperties":false}`

	schemaObject = `{"type":"object","properties":{
"type":{"type":"string","enum":["material","board","film","whole"]},
"id":{"type":"string","description":"absent for the whole"},
"panel":{"type":"integer","minimum":1,"description":"one panel of a board"},
"from":{"type":"number","minimum":0,"description":"a stretch of a film, seconds"},
"to":{"type":"number","minimum":0}},
"required":["type"],"additionalProperties":false}`

	schemaRecordFeedback = `{"type":"object","properties":{
"object":` + schemaObject + `,
"verdict":{"type":"string","enum":["like","dislike"]},
"words":{"type":"string","description":"the person's own words, copied exactly from their message; the person is found by them"},
"document":{"type":"string","enum":["search","steer"],"description":"only when the words clearly speak to the other document than the object suggests"}},
"required":["object"],"additionalProperties":false}`

	schemaRefs = `{"type":"array","maxItems":50,"items":{"type":"object","properties":{
"type":{"type":"string","enum":["material","board","film","asset"]},"id":{"type":"string"},
"panel":{"type":"integer","minimum":1,"description":"one panel of a board, by its number"},
"from":{"type":"number","minimum":0,"description":"a stretch of a film, seconds"},
"to":{"type":"number","minimum":0}},
"required":["type","id"],"additionalProperties":false}}`

	schemaCard = `{"type":"object","properties":{
"search":{"type":"string","description":"the full new search document; absent if it stays as it is"},
"steer":{"type":"string","description":"the full new steer document; absent if it stays as it is"},
"max_film_seconds":{"type":"integer","minimum":0,"maximum":600,"description":"0 lifts the limit; absent if it stays"},
"aspect":{"type":"string","enum":["","9:16","4:5","1:1","16:9"],"description":"absent if it stays"},
"summary":{"type":"string","description":"one sentence: what moved"},
"reason":{"type":"string","description":"on what evidence"},
"evidence":` + schemaRefs + `,
"feedback":{"type":"array","maxItems":200,"items":{"type":"object","properties":{
"id":{"type":"string"},"document":{"type":"string","enum":["search","steer"]}},
"required":["id","document"],"additionalProperties":false}}},
"required":["summary","reason","evidence","feedback"],"additionalProperties":false}`

	schemaOrderSearch = `{"type":"object","properties":{
"what":{"type":"string","description":"what to look for"},
"why":{"type":"string","description":"who asked for it, or which evidence"},
"source":{"type":"string","enum":["fast","competitor","hot"],"description":"default fast"},
"cites":` + schemaRefs + `,
"target":{"type":"integer","minimum":1,"maximum":200,"description":"how many materials are wanted"}},
"required":["what","why"],"additionalProperties":false}`

	schemaProposeOrder = `{"type":"object","properties":{
"work":{"type":"string","enum":["board","film"]},
"what":{"type":"string","description":"what it is to be; for a new version of a board say which panels stay and which change, by number"},
"why":{"type":"string","description":"who asked for it, or which evidence"},
"mode":{"type":"string","description":"creation mode, if somebody named one"},
"board":{"type":"string","description":"id of the board to work from; a film needs one"},
"cites":` + schemaRefs + `},
"required":["work","what","why"],"additionalProperties":false}`

	schemaNoUpdate = `{"type":"object","properties":{
"reason":{"type":"string","description":"why the gene stays as it is"}},
"required":["reason"],"additionalProperties":false}`
)

// spec is a tool's face. The schemas are constants; one that is not JSON is a
// defect that the first test finds.
func spec(name, description, schema string) agents.ToolSpec {
	return agents.ToolSpec{Name: name, Description: description, Schema: json.RawMessage(schema)}
}

// input decodes a call strictly: a field that the schema does not have is told
// to the model instead of being dropped.
func input[T any](call agents.Call) (T, error) {
	var in T
	d := json.NewDecoder(bytes.NewReader(call.Input))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return in, domain.Errorf(domain.Invalid, "%s must be of type %s, not %s", kind.Field, kind.Type, kind.Value)
		}
		return in, domain.Errorf(domain.Invalid, "the input does not fit the tool's schema: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return in, domain.Errorf(domain.Invalid, "the input is more than one JSON object")
	}
	return in, nil
}

// refInput is an object as tools take it.
type refInput struct {
	Type  domain.ObjectType `json:"type"`
	ID    string            `json:"id"`
	Panel int               `json:"panel"`
	From  float64           `json:"from"`
	To    float64           `json:"to"`
}

// ref checks the form of a reference; whether the object is the agent's is
// another question.
func (r refInput) ref() (domain.Ref, error) {
	out := domain.Ref{Type: r.Type, Panel: r.Panel, From: r.From, To: r.To}
	if r.Type != domain.Whole {
		id, err := domain.ParseID(r.ID)
		if err != nil {
			return out, domain.Errorf(domain.Invalid, "%q is no id of a %s; copy it from where it is cited", r.ID, r.Type)
		}
		out.ID = id
	}
	return out, out.Check()
}

func refsOf(in []refInput) ([]domain.Ref, error) {
	out := make([]domain.Ref, 0, len(in))
	for _, r := range in {
		ref, err := r.ref()
		if err != nil {
			return nil, err
		}
		out = append(out, ref)
	}
	return out, nil
}

// errUnseen refuses to judge what was not looked at.
func errUnseen(refs []domain.Ref) error {
	names := make([]string, len(refs))
	for i, r := range refs {
		names[i] = cite(r)
	}
	return (&domain.Error{Code: domain.Conflict, Reason: "not_viewed"}).With(
		map[string]any{"objects": names}, "view these objects with view_object first, then try again")
}

// objectOf says in words what a call is about, for the tool row.
func (s *shift) objectOf(tool string, raw json.RawMessage) string {
	var in struct {
		Type     domain.ObjectType `json:"type"`
		ID       string            `json:"id"`
		Material string            `json:"material"`
		Work     string            `json:"work"`
		What     string            `json:"what"`
		Summary  string            `json:"summary"`
		Reason   string            `json:"reason"`
		Object   refInput          `json:"object"`
	}
	_ = json.Unmarshal(raw, &in) // what cannot be read is not named; Execute tells the model
	switch tool {
	case toolViewObject:
		return strings.TrimSpace(fmt.Sprintf("%s %s", in.Type, in.ID))
	case toolAnalyzeVideo:
		return strings.TrimSpace("material " + in.Material)
	case toolRecordFeedback:
		if in.Object.Type == domain.Whole {
			return "整体 · the whole"
		}
		return strings.TrimSpace(fmt.Sprintf("%s %s", in.Object.Type, in.Object.ID))
	case toolOrderSearch, toolProposeOrder:
		return domain.Clip(in.What, 80)
	case toolProposeGeneCard, toolProposeUpdate:
		return domain.Clip(in.Summary, 80)
	case toolNoUpdate:
		return domain.Clip(in.Reason, 80)
	}
	return ""
}
