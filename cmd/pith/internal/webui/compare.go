package webui

import (
	"cmp"
	"context"
	"html/template"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect/diff"
	"github.com/pith-sessions/pith/internal/page"
)

// Limits of a comparison: entries of one branch, and branches to choose from.
const mostCompared, mostEnds = 300, 40

// comparison is the data of the page that compares two branches or two sessions.
type comparison struct {
	Key, Title, Link string
	Ends             string
	Choices          []end
	Swap, Another    string
	Common           string
	Past             []choice
	Sides            []side
	Figures          []figure
	Steps            []step
	Files            []fileLine
	Continued        bool // one side continues the other: only that is shown
}

// end is a branch to compare with, on either side.
type end struct{ Text, Label, A, B string }

// side is the head of one branch.
type side struct {
	Letter, Class, Name, Link, Label, Facts string
	Current                                 bool
	turns                                   []template.HTML
	files                                   map[string]page.Change
}

// figure is a line of the table: one fact of both sides.
type figure struct {
	Name  string
	A, B  template.HTML
	BestA bool
	BestB bool
}

// step is a turn of both sides.
type step struct {
	Number int
	Cells  []cell
}

type cell struct {
	Class, Letter string
	HTML          template.HTML // made by package page; "" after the end of a side
}

type fileLine struct {
	Path string
	A, B template.HTML
}

// comparePage shows two branches of a session, or two sessions, side by side, turn by
// turn.
func (s *Server) comparePage(w http.ResponseWriter, r *http.Request, open *shown) error {
	var err error
	other, v := open, r.URL.Query()
	if key := v.Get("with"); key != "" && key != open.key {
		if other, err = s.opened(r, key); err != nil {
			return err
		}
	}
	defer lockBoth(open, other)()
	out := comparison{Key: open.key, Title: open.title(), Link: "/s/" + url.PathEscape(open.key), Another: "/?" + url.Values{"compare": {open.key}}.Encode()}
	a, b := v.Get("a"), cmp.Or(v.Get("b"), other.session.LeafID())
	switch {
	case a != "":
	case other != open:
		a = open.session.LeafID()
	default:
		if a = longestOther(open.doc.View, b); a == "" {
			return show(w, "compare", out)
		}
	}
	c, err := diff.Compare(r.Context(), diff.Side{Session: open.session, Leaf: a}, diff.Side{Session: other.session, Leaf: b})
	if err != nil {
		return err
	}
	swapped := url.Values{"a": {b}, "b": {a}}
	out.Swap = out.Link + "/compare?" + swapped.Encode()
	if other != open {
		swapped.Set("with", open.key)
		out.Swap = "/s/" + url.PathEscape(other.key) + "/compare?" + swapped.Encode()
	}
	out.Common = "In common: " + page.Count(int64(c.Common.Turns), "turn") + ", " + page.Count(int64(c.Common.Entries), "entry")
	if c.Common.Question != "" {
		out.Common += ". Last asked: “" + page.OneLine(c.Common.Question, 160) + "”"
	}
	out.Sides = []side{branchSide(open, a, &c.A, "A", "a"), branchSide(other, b, &c.B, "B", "b")}
	if other != open {
		out.Sides[0].Name, out.Sides[1].Name = open.title(), other.title()
	}
	out.Continued = c.A.Entries == 0 || c.B.Entries == 0
	if err := out.align(r.Context(), open, other, a, b); err != nil {
		return err
	}
	out.figures(&c.A, &c.B)
	return show(w, "compare", out)
}

// lockBoth locks two sessions, which may be the same, always in the same order. It
// returns a function that unlocks them.
func lockBoth(a, b *shown) (unlock func()) {
	if a == b {
		a.mu.Lock()
		return a.mu.Unlock
	}
	if a.key > b.key {
		a, b = b, a
	}
	a.mu.Lock()
	b.mu.Lock()
	return func() {
		b.mu.Unlock()
		a.mu.Unlock()
	}
}

func branchSide(of *shown, leaf string, x *diff.Branch, letter, class string) side {
	s := side{Letter: letter, Class: class, Link: "/s/" + url.PathEscape(of.key) + "#e-" + url.PathEscape(leaf), Label: page.OneLine(of.doc.View.Label(leaf), 60), Current: leaf == of.session.LeafID(), files: map[string]page.Change{}}
	if len(x.Turns) > 0 {
		s.Name = page.OneLine(x.Turns[0].Text, 160)
	}
	s.Name = cmp.Or(s.Name, page.OneLine(x.Answer, 160), "the common part")
	facts := []string{}
	if !x.Begun.IsZero() {
		facts = append(facts, x.Begun.Local().Format("2 Jan, 15:04"))
	}
	if len(x.Models) > 0 {
		facts = append(facts, page.OneLine(base(x.Models[len(x.Models)-1]), 60))
	}
	s.Facts = strings.Join(append(facts, page.Count(int64(x.Entries), "entry")), " · ")
	return s
}

// figures fills the table of facts. The better one is marked where that is clear.
func (c *comparison) figures(a, b *diff.Branch) {
	count := func(x *diff.Branch) (calls, failed int) {
		for _, t := range x.Tools {
			calls, failed = calls+t.Calls, failed+t.Errors
		}
		return calls, failed
	}
	outcome := func(x *diff.Branch) template.HTML {
		text := strings.TrimSpace(cmp.Or(x.Failure, x.Answer))
		text, _, _ = strings.Cut(strings.NewReplacer("**", "", "`", "").Replace(text), "\n")
		class := ""
		if x.Failure != "" {
			class = "bad"
		}
		return template.HTML(`<span class="` + class + `" dir="auto">` + page.Escaped(page.OneLine(cmp.Or(text, "no answer"), 160)) + `</span>`)
	}
	files := func(s *side) template.HTML {
		added, removed := 0, 0
		for _, f := range s.files {
			added, removed = added+f.Added, removed+f.Removed
		}
		if len(s.files) == 0 {
			return "0"
		}
		return template.HTML(strconv.Itoa(len(s.files)) + " " + page.PlusMinus(added, removed))
	}
	took := func(x *diff.Branch) template.HTML {
		if d := x.Ended.Sub(x.Begun); !x.Begun.IsZero() && d > 0 {
			return template.HTML(page.Duration(d))
		}
		return `<span class="unk">unknown</span>`
	}
	price := func(x *diff.Branch) template.HTML {
		return template.HTML(page.Escaped(cmp.Or(money(x.Spent), "nothing")))
	}
	callsA, failedA := count(a)
	callsB, failedB := count(b)
	bad := func(n int) template.HTML {
		if n > 0 {
			return template.HTML(`<span class="bad">` + strconv.Itoa(n) + `</span>`)
		}
		return "0"
	}
	turns := func(x *diff.Branch, calls int) template.HTML {
		return template.HTML(strconv.Itoa(len(x.Turns)) + ", " + strconv.Itoa(calls))
	}
	priced := a.Spent.Unpriced == 0 && b.Spent.Unpriced == 0 && a.Spent.Cost != b.Spent.Cost
	c.Figures = []figure{
		{Name: "Outcome", A: outcome(a), B: outcome(b)},
		{Name: "Turns, calls", A: turns(a, callsA), B: turns(b, callsB)},
		{Name: "Failed calls", A: bad(failedA), B: bad(failedB), BestA: failedA < failedB, BestB: failedB < failedA},
		{Name: "Files changed", A: files(&c.Sides[0]), B: files(&c.Sides[1])},
		{Name: "Time", A: took(a), B: took(b)},
		{Name: "Cost", A: price(a), B: price(b), BestA: priced && a.Spent.Cost < b.Spent.Cost, BestB: priced && b.Spent.Cost < a.Spent.Cost},
	}
	for _, path := range slices.Sorted(maps.Keys(union(c.Sides[0].files, c.Sides[1].files))) {
		of := func(s *side) template.HTML {
			if f, ok := s.files[path]; ok {
				return template.HTML(page.PlusMinus(f.Added, f.Removed))
			}
			return `<span class="faint">–<span class="vh">not changed</span></span>`
		}
		c.Files = append(c.Files, fileLine{page.OneLine(path, 160), of(&c.Sides[0]), of(&c.Sides[1])})
	}
}

func union(a, b map[string]page.Change) map[string]page.Change {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// align puts the turns of both branches into rows, and lists the common
// prompts and the other branches.
func (c *comparison) align(ctx context.Context, open, other *shown, a, b string) error {
	v, w := open.doc.View, other.doc.View
	pathA, err := v.Path(a)
	if err != nil {
		return err
	}
	pathB, err := w.Path(b)
	if err != nil {
		return err
	}
	shared := 0 // a fork keeps the IDs of its parent
	for shared < min(len(pathA), len(pathB)) && v.At(pathA[shared]).ID == w.At(pathB[shared]).ID {
		shared++
	}
	for _, i := range pathA[:shared] {
		if e := v.At(i); e.Role == format.RoleUser {
			c.Past = append(c.Past, choice{Name: open.textOf(ctx, i), Link: "/s/" + url.PathEscape(open.key) + "#e-" + url.PathEscape(e.ID)})
		}
	}
	for n, path := range [][]int{pathA[shared:], pathB[shared:]} {
		of := []*shown{open, other}[n]
		if err := of.turns(ctx, path, &c.Sides[n]); err != nil {
			return err
		}
	}
	for n := range max(len(c.Sides[0].turns), len(c.Sides[1].turns)) {
		x := step{Number: n + 1}
		for i := range c.Sides {
			side := &c.Sides[i]
			cell := cell{Class: side.Class, Letter: side.Letter}
			if n < len(side.turns) {
				cell.HTML = side.turns[n]
			} else if n > len(side.turns) {
				continue
			}
			x.Cells = append(x.Cells, cell)
		}
		c.Steps = append(c.Steps, x)
	}
	if open == other {
		c.ends(ctx, open, a, b)
	}
	return nil
}

// longestOther returns the end of the branch with most entries of its own besides
// the one that ends at leaf, or "" if there is no other branch.
func longestOther(v *pith.View, leaf string) (end string) {
	path, err := v.Path(leaf)
	if err != nil {
		return ""
	}
	most := 0
	for i := range ends(v) {
		own := 0
		for at := i; own < v.Len() && !slices.Contains(path, at); own++ {
			parent, err := v.Find(v.At(at).ParentID)
			if err != nil {
				break
			}
			at = parent
		}
		if own > most {
			end, most = v.At(i).ID, own
		}
	}
	return end
}

// ends yields the last entries of the branches of a conversation, the newest first.
func ends(v *pith.View) iter.Seq[int] {
	return func(yield func(int) bool) {
		goesOn := make([]bool, v.Len()) // the conversation continues after an entry
		for i := v.Len() - 1; i >= 0; i-- {
			e := v.At(i)
			talk := e.Type == format.TypeMessage || e.Type == format.TypeCompaction || e.Type == format.TypeBranchSummary || e.Type == format.TypeCustomMessage
			if parent, err := v.Find(e.ParentID); err == nil && (talk || goesOn[i]) {
				goesOn[parent] = true
			}
			if talk && !goesOn[i] && !yield(i) {
				return
			}
		}
	}
}

// ends lists the other branches that can be compared.
func (c *comparison) ends(ctx context.Context, open *shown, a, b string) {
	v := open.doc.View
	n := 0
	for i := range ends(v) {
		e := v.At(i)
		if n++; n <= mostEnds {
			link := func(a, b string) string { return c.Link + "/compare?" + url.Values{"a": {a}, "b": {b}}.Encode() }
			text := end{Text: cmp.Or(open.began(ctx, v, i), open.textOf(ctx, i)), Label: page.OneLine(v.Label(e.ID), 60), A: link(e.ID, b), B: link(a, e.ID)}
			if e.ID == b {
				text.A = ""
			}
			if e.ID == a {
				text.B = ""
			}
			c.Choices = append(c.Choices, text)
		}
	}
	c.Ends = page.Count(int64(n), "branch")
}

// began returns the last prompt of the branch that ends at an entry.
func (s *shown) began(ctx context.Context, v *pith.View, i int) string {
	for range v.Len() {
		e := v.At(i)
		if e.Role == format.RoleUser {
			return s.textOf(ctx, i)
		}
		parent, err := v.Find(e.ParentID)
		if err != nil {
			return ""
		}
		i = parent
	}
	return ""
}

// textOf returns the start of the text of an entry on one line.
func (s *shown) textOf(ctx context.Context, i int) string {
	t, err := s.doc.Turn(ctx, []int{i})
	if err == nil {
		for n := range t.Items {
			if text := page.OneLine(string(t.Items[n].Text), 100); text != "" {
				return text
			}
		}
	}
	return page.OneLine(s.doc.View.At(i).ID, 60)
}

// turns makes the turns of a branch as HTML, and adds up what it changed.
func (s *shown) turns(ctx context.Context, path []int, to *side) error {
	left := max(0, len(path)-mostCompared)
	v := s.doc.View
	for from := 0; from < len(path); {
		end := from + 1
		for end < len(path) && (v.At(path[end]).Role != format.RoleUser || v.At(path[end]).Type != format.TypeMessage) {
			end++
		}
		t, err := s.doc.Turn(ctx, path[from:end])
		if err != nil {
			return err
		}
		for _, c := range t.Changes() {
			was := to.files[c.Path]
			to.files[c.Path] = page.Change{Path: c.Path, Added: was.Added + c.Added, Removed: was.Removed + c.Removed}
		}
		if from < len(path)-left {
			t.Bare = true
			if html := t.HTML(nil, page.Choice{Most: 1500}); len(html) > 0 {
				to.turns = append(to.turns, template.HTML(html))
			}
		}
		from = end
	}
	if left > 0 && len(to.turns) > 0 {
		to.turns = append(to.turns, template.HTML(`<p class="faint">and `+page.Count(int64(left), "more entry")+`</p>`))
	}
	return nil
}
