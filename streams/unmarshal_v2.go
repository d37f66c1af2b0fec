//go:build goexperiment.jsonv2

package streams

import (
	"encoding/json"
	jsonv2 "encoding/json/v2"
)

// unmarshal is json.Unmarshal, but for one thing: it does not walk a body twice,
// first to find out whether it is JSON at all. Half an event of one that is not is
// thrown away by the caller.
func unmarshal(body []byte, into any) error {
	return jsonv2.Unmarshal(body, into, json.DefaultOptionsV1(), json.ReportErrorsWithLegacySemantics(false)) //nolint:govet // the experiment brings it to this Go
}
