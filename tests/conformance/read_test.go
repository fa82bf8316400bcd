package conformance_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

type contextCase struct {
	Name   string
	File   string
	Expect []struct {
		LeafID        json.RawMessage
		Messages      []any
		ThinkingLevel string
		Model         *format.Model
	}
}

func TestContextVectors(t *testing.T) {
	inEachStore(t, func(t *testing.T, k keeper) {
		for _, c := range vectors[contextCase](t, "context.json") {
			t.Run(c.Name, func(t *testing.T) {
				s := k.open(t, c.File)
				for _, e := range c.Expect {
					ctx, err := contextAt(s, e.LeafID)
					if err != nil {
						t.Fatalf("context at %s: %v", e.LeafID, err)
					}
					same(t, "messages at "+string(e.LeafID), messages(t, ctx), e.Messages)
					if ctx.ThinkingLevel != e.ThinkingLevel {
						t.Errorf("thinking level at %s = %q, want %q", e.LeafID, ctx.ThinkingLevel, e.ThinkingLevel)
					}
					same(t, "model at "+string(e.LeafID), ctx.Model, e.Model)
				}
			})
		}
	})
}

// contextAt takes a leafId as the vectors give it: absent, null or an id.
func contextAt(s *pith.Session, leaf json.RawMessage) (*pith.Context, error) {
	if leaf == nil {
		return s.Context()
	}
	var id string
	if err := json.Unmarshal(leaf, &id); err != nil {
		return nil, err
	}
	if id == "" { // null: before the first entry
		stood := s.LeafID()
		s.ResetLeaf()
		c, err := s.Context()
		return c, errors.Join(err, s.Branch(stood))
	}
	return s.View().Context(id)
}

func messages(t *testing.T, c *pith.Context) []any {
	t.Helper()
	out := []any{}
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatalf("Messages: %v", err)
		}
		out = append(out, value(t, m.Raw))
	}
	return out
}

type llmCase struct {
	Name     string
	Messages []json.RawMessage
	Expect   []any
}

func TestModelRoleVectors(t *testing.T) {
	for _, c := range vectors[llmCase](t, "llm.json") {
		t.Run(c.Name, func(t *testing.T) {
			got := []any{}
			for _, raw := range c.Messages {
				if m, ok := pith.ForModel(pith.ContextMessage{Raw: raw}); ok {
					got = append(got, value(t, m.Raw))
				}
			}
			same(t, "ForModel", got, c.Expect)
		})
	}
}

type treeNode struct {
	ID             string     `json:"id"`
	Label          string     `json:"label"`
	LabelTimestamp string     `json:"labelTimestamp"`
	Children       []treeNode `json:"children"`
}

type treeCase struct {
	Name   string
	File   string
	Expect struct {
		LeafID   string
		Name     *string
		Roots    []treeNode
		Branch   []string
		Children map[string][]string
	}
}

func TestTreeVectors(t *testing.T) {
	inEachStore(t, func(t *testing.T, k keeper) {
		for _, c := range vectors[treeCase](t, "tree.json") {
			t.Run(c.Name, func(t *testing.T) {
				s := k.open(t, c.File)
				if got := s.LeafID(); got != c.Expect.LeafID {
					t.Errorf("LeafID() = %q, want %q", got, c.Expect.LeafID)
				}
				want := ""
				if c.Expect.Name != nil {
					want = *c.Expect.Name
				}
				if got := s.Name(); got != want {
					t.Errorf("Name() = %q, want %q", got, want)
				}
				same(t, "Tree()", plainTree(s.View().Tree()), c.Expect.Roots)
				same(t, "PathIDs()", leafPath(t, s), c.Expect.Branch)
				for id, want := range c.Expect.Children {
					same(t, "Children("+id+")", childrenOf(t, s, id), want)
				}
			})
		}
	})
}

func plainTree(nodes []*pith.Node) []treeNode {
	out := []treeNode{}
	for _, n := range nodes {
		out = append(out, treeNode{n.ID, n.Label, n.LabelTime, plainTree(n.Children)})
	}
	return out
}

// Reading changes nothing, whatever the file is (pitfalls 3, 34, 36).
func TestReadingLeavesFilesAlone(t *testing.T) {
	inEachStore(t, func(t *testing.T, k keeper) {
		for _, c := range vectors[contextCase](t, "context.json") {
			s := k.open(t, c.File)
			if _, err := s.Context(); err != nil {
				t.Fatal(err)
			}
			closePith(t, s)
			if k.read(t, s.File()) != c.File {
				t.Errorf("%s: the file changed by being read", c.Name)
			}
		}
	})
}
