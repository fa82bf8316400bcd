package conformance_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// An account is everything that a program reports about a session, in one form
// for both. Lists of strings are JSON as printed or as in the file: they are
// compared byte for byte, which is stricter than by value and keeps lone
// surrogates apart.
type account struct {
	ID, Cwd, Leaf, Name string
	Header              []string
	Entries             []string // all, in file order
	Tree                []string // in display order: position of the parent, id, label and its time
	Path                []string // ids from the root to the leaf
	Children            []string // of each entry and of the root, ids in file order
	Contexts            []contextAccount
}

// A contextAccount is the context at an entry.
type contextAccount struct {
	At       string // id, or "leaf"
	Messages []string
	Settings string // thinking level and model
}

// A reach says how much of an account is wanted.
type reach int

const (
	atLeaf    reach = iota // the context at the leaf
	atEntries              // the children and the context of every entry too
)

// settings formats settings in the same way for both: pi has a response without
// a model as one with two empty names, pith as none.
func settings(level string, provider, model *string) string {
	if provider == nil || model == nil || *provider == "" && *model == "" {
		return level + ", no model"
	}
	return fmt.Sprintf("%s, %s/%s", level, *provider, *model)
}

// plainString is a string as encoding/json decodes it, which is how all strings
// of pi come over: lone surrogates are U+FFFD.
func plainString(t *testing.T, s string) string {
	t.Helper()
	var out string
	if err := json.Unmarshal(jsonl.AppendString(nil, s), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// piAccount asks pi.
func piAccount(t *testing.T, s *pi.Session, want reach) account {
	t.Helper()
	ask := piQuestions{t, s}
	a := account{
		ID: ask.text("getSessionId"), Cwd: ask.text("getCwd"), Leaf: ask.text("getLeafId"), Name: ask.text("getSessionName"),
		Header: []string{string(ask.raw("getHeader"))}, Entries: ask.list("getEntries"), Path: ids(t, ask.list("getBranch")),
	}
	nodes, err := s.FlatTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		a.Tree = append(a.Tree, fmt.Sprint(n.Parent, n.ID, n.Label, n.LabelTimestamp))
	}
	c, err := s.Context(t.Context())
	a.Contexts = append(a.Contexts, ask.context("leaf", c, err))
	if want == atLeaf {
		return a
	}
	a.Children = append(a.Children, fmt.Sprint("", ids(t, ask.list("getChildren", nil))))
	for _, id := range ids(t, a.Entries) {
		a.Children = append(a.Children, fmt.Sprint(id, ids(t, ask.list("getChildren", id))))
		c, err := s.ContextAt(t.Context(), id)
		a.Contexts = append(a.Contexts, ask.context(id, c, err))
	}
	return a
}

type piQuestions struct {
	t *testing.T
	s *pi.Session
}

func (q piQuestions) raw(method string, args ...any) json.RawMessage {
	q.t.Helper()
	var out json.RawMessage
	if err := q.s.Call(q.t.Context(), &out, method, args...); err != nil {
		q.t.Fatal(err)
	}
	return out
}

// text is a string that may be null or undefined.
func (q piQuestions) text(method string) string {
	q.t.Helper()
	var out string
	if raw := q.raw(method); raw != nil {
		if err := json.Unmarshal(raw, &out); err != nil {
			q.t.Fatalf("%s = %s: %v", method, raw, err)
		}
	}
	return out
}

func (q piQuestions) list(method string, args ...any) []string {
	q.t.Helper()
	return jsonList(q.t, q.raw(method, args...))
}

func (q piQuestions) context(at string, c pi.Context, err error) contextAccount {
	q.t.Helper()
	if err != nil {
		q.t.Fatalf("context at %s: %v", at, err)
	}
	a := contextAccount{At: at, Settings: settings(c.ThinkingLevel, nil, nil)}
	if c.Model != nil {
		a.Settings = settings(c.ThinkingLevel, &c.Model.Provider, &c.Model.ModelID)
	}
	for _, m := range c.Messages {
		a.Messages = append(a.Messages, string(m))
	}
	return a
}

func jsonList(t *testing.T, raw json.RawMessage) []string {
	t.Helper()
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		t.Fatalf("%.200s: %v", raw, err)
	}
	out := []string{}
	for _, item := range items {
		out = append(out, string(item))
	}
	return out
}

// ids are the ids of entries that are given as JSON.
func ids(t *testing.T, entries []string) []string {
	t.Helper()
	out := []string{}
	for _, e := range entries {
		raw, _ := jsonl.Lookup([]byte(e), "id")
		id, ok := jsonl.String(raw)
		if !ok {
			t.Fatalf("no id in %.200s", e)
		}
		out = append(out, id)
	}
	return out
}

// pithAccount asks pith.
func pithAccount(t *testing.T, s *pith.Session, want reach) account {
	t.Helper()
	a := account{ID: s.ID(), Cwd: s.Cwd(), Leaf: s.LeafID(), Name: plainString(t, s.Name()), Header: []string{string(s.Header().Raw)}, Entries: rawEntries(t, s)}
	if a.Leaf != "" {
		a.Path = leafPath(t, s)
	}
	a.Tree = flatTree(t, s.View().Tree())
	c, err := s.Context()
	a.Contexts = append(a.Contexts, pithContext(t, "leaf", c, err))
	if want == atLeaf {
		return a
	}
	for _, id := range append([]string{""}, ids(t, a.Entries)...) {
		a.Children = append(a.Children, fmt.Sprint(id, childrenOf(t, s, id)))
		if id != "" {
			c, err := s.View().Context(id)
			a.Contexts = append(a.Contexts, pithContext(t, id, c, err))
		}
	}
	return a
}

// childrenOf are the ids of an entry's children.
func childrenOf(t testing.TB, s *pith.Session, id string) []string {
	t.Helper()
	v := s.View()
	children, err := v.Children(id)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(children))
	for k, pos := range children {
		ids[k] = v.At(pos).ID
	}
	return ids
}

func flatTree(t *testing.T, roots []*pith.Node) []string {
	t.Helper()
	type waiting struct {
		node   *pith.Node
		parent int
	}
	var todo []waiting
	push := func(nodes []*pith.Node, parent int) {
		for _, n := range slices.Backward(nodes) {
			todo = append(todo, waiting{n, parent})
		}
	}
	push(roots, -1)
	var out []string
	for len(todo) > 0 {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		out = append(out, fmt.Sprint(w.parent, w.node.ID, plainString(t, w.node.Label), w.node.LabelTime))
		push(w.node.Children, len(out)-1)
	}
	return out
}

func pithContext(t *testing.T, at string, c *pith.Context, err error) contextAccount {
	t.Helper()
	if err != nil {
		t.Fatalf("context at %s: %v", at, err)
	}
	a := contextAccount{At: at, Settings: settings(c.ThinkingLevel, nil, nil)}
	if c.Model != nil {
		a.Settings = settings(c.ThinkingLevel, &c.Model.Provider, &c.Model.ModelID)
	}
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatalf("context at %s: %v", at, err)
		}
		a.Messages = append(a.Messages, string(m.Raw))
	}
	return a
}
