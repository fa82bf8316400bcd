package pith_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
)

// A ledger is a store of one log that other programs rewrite and cut as well, and
// that fails at one call.
type ledger struct {
	now  *ledgerLog
	fail int          // calls until one fails; below 1 none does
	seen map[int]bool // lengths of the log that a session has seen
}

type ledgerLog struct {
	l    *ledger
	data []byte
}

func (l *ledger) call() error {
	if l.fail--; l.fail == 0 {
		return errFault
	}
	return nil
}

func (l *ledger) Open(ctx context.Context, name string) (store.Log, error) {
	if err := l.call(); err != nil {
		return nil, err
	}
	return l.now, nil
}

func (l *ledger) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	return nil, fs.ErrExist
}

func (l *ledger) Replace(ctx context.Context, old store.Log, size int64, fill store.Fill, backup string) (store.Log, error) {
	return nil, errors.ErrUnsupported
}

func (g *ledgerLog) usable() error {
	if err := g.l.call(); err != nil {
		return err
	}
	if g != g.l.now {
		return store.ErrGone
	}
	return nil
}

func (g *ledgerLog) Size(ctx context.Context) (int64, error) {
	g.l.seen[len(g.data)] = true
	return int64(len(g.data)), g.usable()
}

func (g *ledgerLog) Sync(ctx context.Context) error { return g.usable() }
func (g *ledgerLog) Close() error                   { return nil }

func (g *ledgerLog) ReadAt(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := g.l.call(); err != nil {
		return 0, err
	}
	return bytes.NewReader(g.data).ReadAt(p, off)
}

func (g *ledgerLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	if err := g.usable(); err != nil {
		return 0, err
	}
	if have := int64(len(g.data)); have != at {
		return 0, &store.ConflictError{Name: "log", Want: at, Have: have}
	}
	g.data = append(g.data, p...)
	g.l.seen[len(g.data)] = true
	return at, nil
}

// An item is an entry of the model.
type item struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	ParentID string `json:"parentId"`
	Target   string `json:"targetId"`
	Kept     string `json:"firstKeptEntryId"`
	From     string `json:"fromId"`
}

func (i item) note() bool { return i.Type == "label" || i.Type == "session_info" }

func (i item) bookkeeping() bool { return i.note() || i.Type == "usage" || i.Type == "custom" }

// items are the entries of a file, read without the help of the engine.
func items(data []byte) (all []item) {
	for line := range bytes.Lines(data) {
		var i item
		if json.Unmarshal(line, &i) == nil && i.Type != "session" {
			all = append(all, i)
		}
	}
	return all
}

func find(all []item, id string) int {
	return slices.IndexFunc(all, func(i item) bool { return i.ID == id })
}

// above reports whether an entry is on the path to another one, which counts too.
func above(all []item, id, below string) bool {
	for below != "" {
		if below == id {
			return true
		}
		i := find(all, below)
		if i < 0 {
			return false
		}
		below = all[i].ParentID
	}
	return false
}

// lastOf returns the leaf of a session of these entries after loading.
func lastOf(all []item) string {
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].ID
}

// A party is a session and what the model knows of it.
type party struct {
	s      *pith.Session
	policy pith.ConflictPolicy
	leaf   string
	moved  bool
	stale  bool
	read   []item // the entries that it has read
	past   []item // what its leaf's branch was when it was last looked at, for the case that it goes
	unsure bool   // a fault, or a change of the past, came in between: only what always holds is checked
}

type machine struct {
	ledger  *ledger
	parties []*party
	clock   time.Time
	lost    map[string]bool // what other programs removed
	acked   []string
	n       int
}

func newMachine(rt *rapid.T) *machine {
	m := &machine{clock: time.Date(2026, 2, 3, 22, 52, 6, 0, time.UTC), lost: map[string]bool{}}
	m.ledger = &ledger{seen: map[int]bool{}}
	m.ledger.now = &ledgerLog{m.ledger, []byte(head + line("root", "", "user", "root") + line("old1", "root", "assistant", "old1"))}
	for range rapid.IntRange(2, 3).Draw(rt, "sessions") {
		policy := rapid.SampledFrom([]pith.ConflictPolicy{pith.Refuse, pith.FollowNew, pith.StayOnBranch}).Draw(rt, "policy")
		s, err := pith.Open(rt.Context(), "/s.jsonl", pith.Options{Store: m.ledger, OnConflict: policy, Now: func() time.Time { return m.clock }})
		if err != nil {
			rt.Fatalf("Open: %v", err)
		}
		p := &party{s: s, policy: policy, leaf: s.LeafID()}
		p.read = m.items()
		p.past = p.read
		m.parties = append(m.parties, p)
	}
	return m
}

func (m *machine) items() []item { return items(m.ledger.now.data) }

func (m *machine) party(rt *rapid.T) *party {
	return m.parties[rapid.IntRange(0, len(m.parties)-1).Draw(rt, "session")]
}

func (m *machine) anyID(rt *rapid.T) string {
	all := m.items()
	if len(all) == 0 || rapid.IntRange(0, 19).Draw(rt, "unknown") == 0 {
		return "unknown"
	}
	return all[rapid.IntRange(0, len(all)-1).Draw(rt, "entry")].ID
}

// readOn is what happens in the model when a session reads the file.
func (p *party) readOn(all []item) {
	if !p.unsure {
		p.stale = p.stale || slices.ContainsFunc(all[len(p.read):], func(i item) bool { return !i.bookkeeping() })
	}
	p.read = all
}

// outcome is what the model says of an addition: the parent, or that it is refused. It
// is asked of a party that is not unsure.
func (p *party) outcome(all []item, describes bool, at *string, fits func(known []item, parent string, own bool) bool) (parent string, beside, refused bool) {
	for {
		parent, beside = p.leaf, false
		switch {
		case !p.stale:
		case describes:
			parent, beside = lastOf(p.read), true
		case p.policy == pith.Refuse:
			return "", false, true
		case p.policy == pith.FollowNew && !p.moved:
			parent = lastOf(p.read)
		}
		if at != nil {
			parent = *at
			if parent != "" && find(p.read, parent) < 0 {
				return "", false, true
			}
		}
		if !fits(p.read, parent, parent == p.leaf && !p.stale) {
			return "", false, true
		}
		if len(p.read) == len(all) {
			return parent, beside, false
		}
		p.readOn(all)
	}
}

// add lets a session append something and checks what came of it.
func (m *machine) add(rt *rapid.T, p *party, describes bool, at *string, fits func([]item, string, bool) bool, do func() (string, error)) {
	before, bytesBefore, leaf := m.items(), slices.Clone(m.ledger.now.data), p.s.LeafID()
	p.unsure = p.unsure || m.ledger.fail > 0
	unsure := p.unsure
	var parent string
	var beside, refused bool
	if !unsure {
		parent, beside, refused = p.outcome(before, describes, at, fits)
	}
	id, err := do()
	m.ledger.fail = 0
	after := m.items()
	if err != nil && !errors.Is(err, pith.ErrNotDurable) {
		if !bytes.Equal(m.ledger.now.data, bytesBefore) {
			rt.Fatalf("it failed with %v and changed the file", err)
		}
		if got := p.s.LeafID(); got != leaf && find(after, leaf) >= 0 {
			rt.Fatalf("it failed with %v and moved the leaf from %q to %q", err, leaf, got)
		}
		if !unsure && !refused {
			rt.Fatalf("it failed with %v; want an entry under %q", err, parent)
		}
		m.sync(p)
		return
	}
	i := find(after, id)
	if i < 0 {
		rt.Fatalf("entry %s was acknowledged and is not in the file", id)
	}
	m.acked = append(m.acked, id)
	e := after[i]
	if !unsure && refused {
		rt.Fatalf("it wrote %+v; want that it is refused", e)
	}
	if !unsure && e.ParentID != parent {
		rt.Fatalf("it wrote %+v; want it under %q", e, parent)
	}
	if describes && e.ParentID != leaf && e.ParentID != lastOf(before) && find(before, leaf) >= 0 ||
		!describes && at != nil && e.ParentID != *at {
		rt.Fatalf("it wrote %+v under an entry that nobody asked for", e)
	}
	if !describes && at == nil && e.ParentID != leaf && find(before, leaf) >= 0 && (p.policy != pith.FollowNew || e.ParentID != lastOf(before)) {
		rt.Fatalf("it wrote %+v; its caller stood at %q and its policy is %d", e, leaf, p.policy)
	}
	if e.Type == "context_edit" && !above(after, e.Target, e.ID) {
		rt.Fatalf("it wrote %+v, which edits an entry of another branch", e)
	}
	if e.Type == "compaction" && e.ParentID != leaf && (e.Kept == e.ID || !above(after, e.Kept, e.ID)) {
		rt.Fatalf("it wrote %+v, which hides what its author has not seen", e)
	}
	if e.Type == "label" && find(after, e.Target) < 0 {
		rt.Fatalf("it wrote %+v, a label of nothing", e)
	}
	got := p.s.LeafID()
	switch {
	case err != nil: // written, and not read back
	case !describes && got != id:
		rt.Fatalf("the leaf is at %q; want it at the new entry %q", got, id)
	case describes && got != id && got != leaf && find(before, leaf) >= 0:
		rt.Fatalf("the leaf went from %q to %q because of a note", leaf, got)
	case describes && find(before, leaf) < 0 && got != id:
		if kept := p.survivor(before, leaf); kept != "" && got != kept {
			rt.Fatalf("the leaf was at %q, which is gone, and is at %q; want what is left of its branch, %q", leaf, got, kept)
		}
	}
	if !unsure {
		if !beside {
			p.moved = p.moved && describes
			p.stale = false
			p.leaf = id
		}
		p.read = after
	}
	m.sync(p)
}

// survivor is the nearest entry of a branch that is left in the file.
func (p *party) survivor(all []item, leaf string) string {
	for leaf != "" {
		if find(all, leaf) >= 0 {
			return leaf
		}
		i := find(p.past, leaf)
		if i < 0 {
			return ""
		}
		leaf = p.past[i].ParentID
	}
	return ""
}

// sync checks what the model knows of where a session is, and what it shows.
func (m *machine) sync(p *party) {
	if p.unsure {
		p.leaf = p.s.LeafID()
	}
	if all := m.items(); p.leaf == "" || find(all, p.leaf) >= 0 {
		p.past = all
	}
}

// branch moves a leaf.
func (m *machine) branch(rt *rapid.T) {
	p, id := m.party(rt), m.anyID(rt)
	if err := p.s.Branch(id); err != nil {
		return
	}
	p.moved = p.moved || p.leaf != id
	p.leaf, p.stale = id, false
	m.sync(p)
}

// rewrite cuts the file in place, or puts another in its place without an entry and
// what hangs on it.
func (m *machine) rewrite(rt *rapid.T, cut bool) {
	all := m.items()
	if len(all) < 2 {
		return
	}
	data := m.ledger.now.data
	if cut {
		at := rapid.IntRange(len(head)+1, len(data)-1).Draw(rt, "cut")
		for m.ledger.seen[at] && at > len(head) {
			at-- // an append compares lengths: at one that a session has seen, no cut is noticed
		}
		m.ledger.now.data = slices.Clone(data[:at])
	} else {
		doomed := map[string]bool{all[rapid.IntRange(1, len(all)-1).Draw(rt, "removed")].ID: true}
		var out []byte
		for l := range bytes.Lines(data) {
			var i item
			if json.Unmarshal(l, &i) == nil && i.Type != "session" && (doomed[i.ID] || doomed[i.ParentID]) {
				doomed[i.ID] = true
				continue
			}
			out = append(out, l...)
		}
		m.ledger.now = &ledgerLog{m.ledger, out}
	}
	left := m.items()
	for _, i := range all {
		if find(left, i.ID) < 0 {
			m.lost[i.ID] = true
		}
	}
	for _, p := range m.parties {
		p.unsure = true
	}
}

// settle lets a session read the file and go to its end, from where the model knows all
// of it again.
func (m *machine) settle(rt *rapid.T, p *party) {
	known := map[string]bool{}
	v := p.s.View()
	for i := range v.Len() {
		known[v.At(i).ID] = true
	}
	changed := 0
	all := m.items()
	for _, i := range all {
		if !known[i.ID] {
			changed++
		}
		delete(known, i.ID)
	}
	n, err := p.s.Refresh(rt.Context())
	m.ledger.fail = 0
	if err != nil {
		p.unsure = true
		return
	}
	if n != changed+len(known) {
		rt.Fatalf("Refresh() = %d; %d entries came and %d went", n, changed, len(known))
	}
	if !p.unsure {
		p.readOn(all)
	}
	if rapid.Bool().Draw(rt, "follow") {
		p.s.Follow()
		p.leaf, p.moved, p.stale, p.unsure, p.read = lastOf(all), false, false, false, all
		if got := p.s.LeafID(); got != p.leaf {
			rt.Fatalf("Follow went to %q; want %q", got, p.leaf)
		}
	}
	m.shows(rt, p, all)
	m.sync(p)
}

// shows checks that a context is a function of the file and the leaf.
func (m *machine) shows(rt *rapid.T, p *party, all []item) {
	leaf := p.s.LeafID()
	if leaf != "" && find(all, leaf) < 0 {
		rt.Fatalf("the leaf is at %q, which is not in the file", leaf)
	}
	other, err := pith.Open(rt.Context(), "/s.jsonl", pith.Options{Store: m.ledger, ReadOnly: true})
	if err != nil {
		rt.Fatalf("Open: %v", err)
	}
	if leaf == "" {
		other.ResetLeaf()
	} else if err := other.Branch(leaf); err != nil {
		rt.Fatalf("Branch: %v", err)
	}
	if got, want := texts(rt, p.s), texts(rt, other); got != want {
		rt.Fatalf("the context at %s is %q; whoever opens the file sees %q", leaf, got, want)
	}
}

func texts(rt *rapid.T, s *pith.Session) string {
	c, err := s.Context()
	if err != nil {
		rt.Fatalf("Context: %v", err)
	}
	all, err := allOf(c)
	if err != nil {
		rt.Fatalf("All: %v", err)
	}
	var out strings.Builder
	for _, m := range all {
		fmt.Fprintf(&out, "%s %s\n", m.EntryID, m.Raw)
	}
	return out.String()
}

// Several sessions share one log with other programs, which append, rewrite and
// truncate, while the store fails at any call. No acknowledged entry is lost,
// none is below another parent than its caller's leaf, a failure changes
// nothing, and the view of a session depends only on the file and the leaf.
func TestSessionsOnOneLog(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newMachine(rt)
		ctx := rt.Context()
		anywhere := func([]item, string, bool) bool { return true }
		kinds := map[string]func(rt *rapid.T, p *party){
			"message": func(rt *rapid.T, p *party) {
				m.n++
				msg := format.NewUser(fmt.Sprint("message ", m.n), m.clock)
				m.add(rt, p, false, nil, anywhere, func() (string, error) { return p.s.AppendMessage(ctx, msg) })
			},
			"thinking": func(rt *rapid.T, p *party) {
				m.add(rt, p, false, nil, anywhere, func() (string, error) { return p.s.AppendThinkingLevel(ctx, "high") })
			},
			"model": func(rt *rapid.T, p *party) {
				m.add(rt, p, false, nil, anywhere, func() (string, error) { return p.s.AppendModel(ctx, "p", "m") })
			},
			"custom": func(rt *rapid.T, p *party) {
				m.add(rt, p, false, nil, anywhere, func() (string, error) { return p.s.AppendCustom(ctx, "ext", nil) })
			},
			"custom message": func(rt *rapid.T, p *party) {
				m.add(rt, p, false, nil, anywhere, func() (string, error) {
					return p.s.AppendCustomMessage(ctx, format.CustomMessage{CustomType: "ext", Content: format.TextContent("hi")})
				})
			},
			"usage": func(rt *rapid.T, p *party) {
				m.add(rt, p, false, nil, anywhere, func() (string, error) { return p.s.AppendUsage(ctx, format.UsageEntry{Kind: "k"}) })
			},
			"compaction": func(rt *rapid.T, p *party) {
				kept := m.anyID(rt)
				if rapid.Bool().Draw(rt, "all") {
					kept = ""
				}
				fits := func(known []item, parent string, own bool) bool {
					if kept == "" || own && find(known, kept) >= 0 {
						return own || kept != ""
					}
					return find(known, kept) >= 0 && above(known, kept, parent)
				}
				m.add(rt, p, false, nil, fits, func() (string, error) {
					return p.s.AppendCompaction(ctx, format.Compaction{Summary: "sum", FirstKeptEntryID: kept})
				})
			},
			"context edit": func(rt *rapid.T, p *party) {
				target := m.anyID(rt)
				fits := func(known []item, parent string, _ bool) bool {
					i := find(known, target)
					return i >= 0 && above(known, target, parent) && (known[i].Type == "message" || known[i].Type == "custom_message")
				}
				m.add(rt, p, false, nil, fits, func() (string, error) { return p.s.AppendContextEdit(ctx, target, nil) })
			},
			"summary": func(rt *rapid.T, p *party) {
				at := m.anyID(rt)
				if rapid.IntRange(0, 5).Draw(rt, "start") == 0 {
					at = ""
				}
				fits := func(known []item, _ string, _ bool) bool { return true }
				m.add(rt, p, false, &at, fits, func() (string, error) {
					return p.s.BranchWithSummary(ctx, at, format.BranchSummary{Summary: "left"})
				})
			},
			"name": func(rt *rapid.T, p *party) {
				m.add(rt, p, true, nil, anywhere, func() (string, error) { return p.s.SetName(ctx, "name") })
			},
			"label": func(rt *rapid.T, p *party) {
				target := m.anyID(rt)
				fits := func(known []item, _ string, _ bool) bool { return find(known, target) >= 0 }
				m.add(rt, p, true, nil, fits, func() (string, error) { return p.s.SetLabel(ctx, target, "label") })
			},
		}
		actions := map[string]func(*rapid.T){
			"branch": m.branch,
			"reset": func(rt *rapid.T) {
				p := m.party(rt)
				p.s.ResetLeaf()
				p.moved = p.moved || p.leaf != ""
				p.leaf, p.stale = "", false
			},
			"stay": func(rt *rapid.T) {
				p := m.party(rt)
				p.s.Stay()
				p.stale = false
			},
			"refresh": func(rt *rapid.T) { m.settle(rt, m.party(rt)) },
			"time":    func(*rapid.T) { m.clock = m.clock.Add(time.Second) },
			"fault":   func(rt *rapid.T) { m.ledger.fail = rapid.IntRange(1, 6).Draw(rt, "call") },
			"foreign": func(rt *rapid.T) {
				all := m.items()
				if data := m.ledger.now.data; data[len(data)-1] != '\n' || len(all) == 0 {
					return
				}
				m.n++
				id := fmt.Sprint("foreign", m.n)
				parent := all[rapid.IntRange(0, len(all)-1).Draw(rt, "parent")].ID
				m.ledger.now.data = append(m.ledger.now.data, line(id, parent, "assistant", id)...)
			},
			"rewrite": func(rt *rapid.T) { m.rewrite(rt, false) },
			"cut":     func(rt *rapid.T) { m.rewrite(rt, true) },
			"": func(rt *rapid.T) {
				all := m.items()
				for _, id := range m.acked {
					if find(all, id) < 0 && !m.lost[id] {
						rt.Fatalf("entry %s was acknowledged and is not in the file", id)
					}
				}
				for _, p := range m.parties {
					if got := p.s.LeafID(); !p.unsure && got != p.leaf {
						rt.Fatalf("a leaf is at %q; want %q", got, p.leaf)
					}
				}
			},
		}
		for name, add := range kinds {
			actions["append "+name] = func(rt *rapid.T) { add(rt, m.party(rt)) }
		}
		rt.Repeat(actions)
	})
}
