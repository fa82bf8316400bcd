package webui

import (
	"cmp"
	"context"
	"html/template"
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
	files                                   map[string]*page.Change
}

// figure is a line of the table: one fact of both sides.
type figure struct {
	Name string
	Of   [2]fact
}

// fact is a cell of the table. Of two that are ranked, the lower rank is the better one.
type fact struct {
	Text, Class  string
	Change       *page.Change
	Best, ranked bool
	rank         int64
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

// fileLine is what both sides did to a file.
type fileLine struct {
	Path string
	Of   [2]*page.Change // nil if the side did not change it
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
	s := side{Letter: letter, Class: class, Link: "/s/" + url.PathEscape(of.key) + "#e-" + url.PathEscape(leaf), Label: page.OneLine(cmp.Or(of.doc.View.Label(leaf), of.doc.View.Label(x.First)), 60), Current: leaf == of.session.LeafID(), files: map[string]*page.Change{}}
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

// figures fills the table of facts, and that of files. The better fact is marked where
// that is clear.
func (c *comparison) figures(a, b *diff.Branch) {
	left, right := c.Sides[0].figures(a), c.Sides[1].figures(b)
	for i, name := range []string{"Outcome", "Turns, calls", "Failed calls", "Files changed", "Time", "Cost"} {
		x, y := left[i], right[i]
		if x.ranked && y.ranked {
			x.Best, y.Best = x.rank < y.rank, y.rank < x.rank
		}
		c.Figures = append(c.Figures, figure{name, [2]fact{x, y}})
	}
	both := maps.Clone(c.Sides[0].files)
	maps.Copy(both, c.Sides[1].files)
	for _, path := range slices.Sorted(maps.Keys(both)) {
		c.Files = append(c.Files, fileLine{page.OneLine(path, 160), [2]*page.Change{c.Sides[0].files[path], c.Sides[1].files[path]}})
	}
}

// figures returns the facts of a side.
func (s *side) figures(x *diff.Branch) []fact {
	text, _, _ := strings.Cut(strings.NewReplacer("**", "", "`", "").Replace(strings.TrimSpace(cmp.Or(x.Failure, x.Answer))), "\n")
	outcome := fact{Text: page.OneLine(cmp.Or(page.Sentence(text), "no answer"), 160)}
	if x.Failure != "" {
		outcome.Class = "bad"
	}
	calls, errors := 0, 0
	for _, t := range x.Tools {
		calls, errors = calls+t.Calls, errors+t.Errors
	}
	failed := fact{Text: strconv.Itoa(errors), ranked: true, rank: int64(errors)}
	if errors > 0 {
		failed.Class = "bad"
	}
	files := fact{Text: strconv.Itoa(len(s.files))}
	for _, f := range s.files {
		if files.Change == nil {
			files.Change = &page.Change{}
		}
		files.Change.Added, files.Change.Removed = files.Change.Added+f.Added, files.Change.Removed+f.Removed
	}
	took := fact{Text: "unknown", Class: "unk"}
	if d := x.Ended.Sub(x.Begun); !x.Begun.IsZero() && d > 0 {
		took = fact{Text: page.Duration(d), ranked: true, rank: int64(d)}
	}
	price := fact{Text: cmp.Or(money(x.Spent), "nothing"), ranked: x.Spent.Unpriced == 0, rank: x.Spent.Cost.Micros()}
	return []fact{outcome, {Text: strconv.Itoa(len(x.Turns)) + ", " + strconv.Itoa(calls)}, failed, files, took, price}
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

// longestOther returns the end of the longest branch besides the one that ends at leaf,
// or "" if there is none.
func longestOther(v *pith.View, leaf string) (end string) {
	path, _ := v.Path(leaf) // an unknown leaf is an error of the comparison
	most := 0
	for _, e := range diff.Ends(v) {
		if e.Entries > most && !slices.Contains(path, e.Pos) {
			end, most = v.At(e.Pos).ID, e.Entries
		}
	}
	return end
}

// ends lists the other branches that can be compared.
func (c *comparison) ends(ctx context.Context, open *shown, a, b string) {
	v := open.doc.View
	ends := diff.Ends(v)
	for _, at := range ends[:min(len(ends), mostEnds)] {
		e := v.At(at.Pos)
		link := func(a, b string) string { return c.Link + "/compare?" + url.Values{"a": {a}, "b": {b}}.Encode() }
		text := end{Text: cmp.Or(open.began(ctx, v, at.Pos), open.textOf(ctx, at.Pos)), Label: page.OneLine(v.Label(e.ID), 60), A: link(e.ID, b), B: link(a, e.ID)}
		if e.ID == b {
			text.A = ""
		}
		if e.ID == a {
			text.B = ""
		}
		c.Choices = append(c.Choices, text)
	}
	c.Ends = page.Count(int64(len(ends)), "branch")
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
			if was := to.files[c.Path]; was != nil {
				c.Added, c.Removed = was.Added+c.Added, was.Removed+c.Removed
			}
			to.files[c.Path] = &c
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
