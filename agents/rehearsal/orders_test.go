package rehearsal_test

import (
	"encoding/json"
	"testing"
)

// One order makes one board: several are several orders, told apart in words.
func TestSeveralBoardsAreSeveralOrders(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.says(said("Lin", "根据这条素材出两个方案", "material "+materialA))
	if len(o.orders) != 2 || o.orders[0]["what"] == o.orders[1]["what"] {
		t.Fatalf("orders %v", o.orders)
	}
	for _, order := range o.orders {
		if order["work"] != "board" || order["target"] != nil {
			t.Errorf("%v", order)
		}
	}
}

// A new version of a board names it as the base and points at panels by number.
func TestOrdersPointAtPanels(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"这一格换成爆炸，重新出一版方案", "make a new board, only this panel changes"} {
		o := newOffice(t)
		o.says(said("Lin", text, "board "+boardC+" panel 2", "board "+boardC+" panel 4", "material "+materialA))
		if len(o.orders) != 1 || o.orders[0]["board"] != boardC {
			t.Fatalf("%q: orders %v", text, o.orders)
		}
		raw, err := json.Marshal(o.orders[0]["cites"])
		want := `[{"id":"` + boardC + `","panel":2,"type":"board"},{"id":"` + boardC + `","panel":4,"type":"board"},{"id":"` + materialA + `","type":"material"}]`
		if err != nil || string(raw) != want {
			t.Fatalf("%q: cites %s, %v", text, raw, err)
		}
		views := 0
		for _, call := range o.calls {
			if call == "view_object" {
				views++
			}
		}
		if views != 2 {
			t.Errorf("%q: %d looks at two objects", text, views)
		}
	}
}

// A search for more of the same carries what it is to resemble.
func TestSearchOrdersCite(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.says(said("Lin", "再找一批和这条像的素材", "material "+materialA))
	if len(o.orders) != 1 {
		t.Fatalf("orders %v", o.orders)
	}
	if cites, ok := o.orders[0]["cites"].([]any); !ok || len(cites) != 1 || !o.viewed[materialA] {
		t.Fatalf("%v, looked at %v", o.orders[0], o.viewed)
	}
}
