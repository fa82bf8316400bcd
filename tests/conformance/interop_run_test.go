package conformance_test

import (
	"encoding/json"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// A performer does what a script says on one side or the other. ids are those
// of all entries that the script has made so far; the id of a new entry is
// returned, or "" for a step that makes none.
type performer interface {
	do(t *testing.T, s step, ids []string) string
}

// perform runs a script and returns the ids of its entries, those known before
// included.
func perform(t *testing.T, p performer, script []step, ids []string) []string {
	t.Helper()
	for _, s := range script {
		if id := p.do(t, s, ids); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

func makesNothing(s step) bool { return s.name() == "branch" || s.name() == "resetLeaf" }

// piSide performs in a real pi.
type piSide struct{ *pi.Session }

func (p piSide) do(t *testing.T, s step, ids []string) string {
	t.Helper()
	var args []any
	for _, raw := range s[1:] {
		args = append(args, argument(raw, ids))
	}
	if makesNothing(s) {
		if err := p.Call(t.Context(), nil, s.name(), args...); err != nil {
			t.Fatal(err)
		}
		return ""
	}
	id, err := p.Append(t.Context(), s.name(), args...)
	if err != nil || id == "" {
		t.Fatalf("%s%.300s = %q, %v; want an id", s.name(), s[1:], id, err)
	}
	return id
}

func argument(raw json.RawMessage, ids []string) any {
	var r struct{ Ref *int }
	if json.Unmarshal(raw, &r) == nil && r.Ref != nil {
		return ids[*r.Ref]
	}
	return raw
}

// pithSide performs in pith.
type pithSide struct{ *pith.Session }

func (p pithSide) do(t *testing.T, s step, ids []string) string {
	t.Helper()
	id, err := p.try(t, s, ids)
	if err != nil {
		t.Fatalf("%s%.300s: %v", s.name(), s[1:], err)
	}
	return id
}

func (p pithSide) try(t *testing.T, s step, ids []string) (string, error) {
	t.Helper()
	script := &apiScript{t: t, s: p.Session, ids: ids}
	return script.try(s)
}
