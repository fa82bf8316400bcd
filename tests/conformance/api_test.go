package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

type apiCase struct {
	Name   string
	Script [][]json.RawMessage
	Expect struct {
		Written  bool
		Lines    []map[string]any
		KeyOrder [][]string
		Leaf     *string
		Context  []string
	}
}

func TestAPIVectors(t *testing.T) {
	inEachStore(t, func(t *testing.T, k keeper) {
		for _, c := range vectors[apiCase](t, "api.json") {
			t.Run(c.Name, func(t *testing.T) {
				s := createPith(t, "/home/u/p", pith.Options{Dir: t.TempDir(), Store: k.store})
				run := &apiScript{t: t, k: k, s: s}
				for _, call := range c.Script {
					run.call(call)
				}
				if s.Written() != c.Expect.Written {
					t.Errorf("Written() = %v, want %v", s.Written(), c.Expect.Written)
				}
				if s.Written() {
					lines, order := run.lines()
					same(t, "lines", lines, c.Expect.Lines)
					same(t, "key order", order, c.Expect.KeyOrder)
				}
				want := ""
				if c.Expect.Leaf != nil {
					want = *c.Expect.Leaf
				}
				if got := run.name(s.LeafID()); got != want {
					t.Errorf("leaf = %q, want %q", got, want)
				}
				same(t, "context roles", run.roles(), c.Expect.Context)
			})
		}
	})
}

// An apiScript runs calls by their names in pi and remembers the ids they make.
type apiScript struct {
	t   *testing.T
	k   keeper
	s   *pith.Session
	ids []string
}

func (a *apiScript) call(call []json.RawMessage) {
	a.t.Helper()
	id, err := a.try(call)
	if err != nil {
		a.t.Fatalf("%s: %v", call[0], err)
	}
	if id != "" {
		a.ids = append(a.ids, id)
	}
}

// try runs a call and returns the id of the entry that it made, if it makes one.
func (a *apiScript) try(call []json.RawMessage) (string, error) {
	arg := func(i int) json.RawMessage {
		if i+1 < len(call) {
			return call[i+1]
		}
		return nil
	}
	switch a.text(call[0]) {
	case "branch":
		return "", a.s.Branch(a.id(arg(0)))
	case "resetLeaf":
		a.s.ResetLeaf()
		return "", nil
	case "appendContextEdit":
		return a.s.AppendContextEdit(context.Background(), a.id(arg(0)), replacement(arg(1)))
	case "appendMessage":
		m, err := format.DecodeMessage(arg(0))
		if err != nil {
			return "", err
		}
		return a.s.AppendMessage(context.Background(), m)
	case "appendModelChange":
		return a.s.AppendModel(context.Background(), a.text(arg(0)), a.text(arg(1)))
	case "appendThinkingLevelChange":
		return a.s.AppendThinkingLevel(context.Background(), a.text(arg(0)))
	case "appendCustomEntry":
		return a.s.AppendCustom(context.Background(), a.text(arg(0)), arg(1))
	case "appendSessionInfo":
		return a.s.SetName(context.Background(), a.text(arg(0)))
	case "appendLabelChange":
		return a.s.SetLabel(context.Background(), a.id(arg(0)), a.text(arg(1)))
	case "appendCustomMessageEntry":
		return a.s.AppendCustomMessage(context.Background(), format.CustomMessage{
			CustomType: a.text(arg(0)), Content: format.DecodeContent(arg(1)), Display: string(arg(2)) == "true", Details: arg(3),
		})
	case "appendUsage":
		return a.s.AppendUsage(context.Background(), format.UsageEntry{
			Kind: a.text(arg(0)), Provider: a.text(arg(1)), Model: a.text(arg(2)), Usage: format.DecodeUsage(arg(3)), Note: a.text(arg(4)),
		})
	case "appendCompaction":
		tokens, _ := jsonl.Int(arg(2))
		return a.s.AppendCompaction(context.Background(), format.Compaction{
			Summary: a.text(arg(0)), FirstKeptEntryID: a.id(arg(1)), TokensBefore: tokens, Details: arg(3), FromHook: flag(arg(4)), Usage: usage(arg(5)),
		})
	case "branchWithSummary":
		return a.s.BranchWithSummary(context.Background(), a.id(arg(0)), format.BranchSummary{
			Summary: a.text(arg(1)), Details: arg(2), FromHook: flag(arg(3)), Usage: usage(arg(4)),
		})
	}
	return "", fmt.Errorf("no such call")
}

func flag(raw json.RawMessage) *bool {
	if b, ok := jsonl.Bool(raw); ok {
		return &b
	}
	return nil
}

func usage(raw json.RawMessage) *format.Usage {
	if raw == nil {
		return nil
	}
	u := format.DecodeUsage(raw)
	return &u
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

func (a *apiScript) text(raw json.RawMessage) string {
	s, _ := jsonl.String(raw)
	return s
}

// id is an argument that names an entry: {"ref": k}, or null for none.
func (a *apiScript) id(raw json.RawMessage) string {
	var ref struct{ Ref *int }
	if json.Unmarshal(raw, &ref) != nil || ref.Ref == nil {
		return ""
	}
	return a.ids[*ref.Ref]
}

// name is an id as the vectors write it.
func (a *apiScript) name(id string) string {
	for k, known := range a.ids {
		if known == id {
			return fmt.Sprintf("$%d", k)
		}
	}
	return id
}

var isoTime = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

func (a *apiScript) lines() (lines []map[string]any, order [][]string) {
	for i, line := range linesOf(a.k.read(a.t, a.s.File())) {
		v := value(a.t, []byte(line)).(map[string]any)
		for _, key := range []string{"id", "parentId", "targetId", "fromId", "firstKeptEntryId"} {
			if id, ok := v[key].(string); ok {
				v[key] = a.name(id)
			}
		}
		if stamp, _ := v["timestamp"].(string); !isoTime.MatchString(stamp) {
			a.t.Errorf("timestamp %q is not of pi's form", stamp)
		}
		v["timestamp"] = "<time>"
		if i == 0 {
			v["id"] = "<id>"
		}
		var keys []string
		for key := range jsonl.Members([]byte(line)) {
			name, _ := jsonl.String(key)
			keys = append(keys, name)
		}
		lines, order = append(lines, v), append(order, keys)
	}
	return lines, order
}

func (a *apiScript) roles() []string {
	a.t.Helper()
	c, err := a.s.Context()
	if err != nil {
		a.t.Fatal(err)
	}
	roles := []string{}
	for m, err := range c.Messages() {
		if err != nil {
			a.t.Fatal(err)
		}
		raw, _ := jsonl.Lookup(m.Raw, "role")
		role, _ := jsonl.String(raw)
		roles = append(roles, role)
	}
	return roles
}
