//go:build !goexperiment.jsonv2

package streams

import "encoding/json"

func unmarshal(body []byte, into any) error { return json.Unmarshal(body, into) }
