package conformance_test

import (
	"encoding/json"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/pihost"
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
type piSide struct{ *pihost.Session }

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
	arg := func(i int) json.RawMessage {
		if i+1 < len(s) {
			return s[i+1]
		}
		return nil
	}
	switch s.name() {
	case "branch":
		return "", p.Branch(script.id(arg(0)))
	case "resetLeaf":
		p.ResetLeaf()
		return "", nil
	case "appendContextEdit":
		return p.AppendContextEdit(script.id(arg(0)), replacement(arg(1)))
	case "appendCompaction":
		if usage := arg(5); usage != nil {
			return p.compactWithUsage(script, arg)
		}
	case "branchWithSummary":
		if usage := arg(4); usage != nil {
			u := format.DecodeUsage(usage)
			return p.BranchWithSummary(script.id(arg(0)), format.BranchSummary{Summary: script.text(arg(1)), Details: arg(2), FromHook: flag(arg(3)), Usage: &u})
		}
	}
	return script.entry(s.name(), arg)
}

func (p pithSide) compactWithUsage(script *apiScript, arg func(int) json.RawMessage) (string, error) {
	u := format.DecodeUsage(arg(5))
	var tokens int64
	if err := json.Unmarshal(arg(2), &tokens); err != nil {
		return "", err
	}
	return p.AppendCompaction(format.Compaction{
		Summary: script.text(arg(0)), FirstKeptEntryID: script.id(arg(1)), TokensBefore: tokens, Details: arg(3), FromHook: flag(arg(4)), Usage: &u,
	})
}

// replacement is the argument of a context edit: {"content": ...}, or null.
func replacement(raw json.RawMessage) *format.Content {
	var r *struct{ Content json.RawMessage }
	if json.Unmarshal(raw, &r) != nil || r == nil {
		return nil
	}
	c := format.DecodeContent(r.Content)
	return &c
}
