package webui

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect/diff"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/page"
)

// Limits of a comparison: entries of one branch, and branches to choose from.
const mostCompared, mostEnds = 300, 200

// comparison is the data of the page that compares two branches or two sessions.
type comparison struct {
	Key, Title string
	Ends       string
	Others     []entryLink // other branches to compare the current one with
	Common     string
	Past       []entryLink
	Sides      []side
	Rows       [][]template.HTML // turns of both, made by package page
}

type entryLink struct{ Link, Text, Label string }

// side is the head of one branch.
type side struct {
	Name, Link, Label, Failure string
	Facts                      []string
}

// comparePage shows two branches of a session, or two sessions, side by side, turn by
// turn.
func (s *Server) comparePage(w http.ResponseWriter, r *http.Request, open *shown) error {
	var err error
	other := open
	if key := r.URL.Query().Get("with"); key != "" && key != open.key {
		if other, err = s.opened(r, key); err != nil {
			return err
		}
	}
	defer lockBoth(open, other)()
	out := comparison{Key: open.key, Title: page.OneLine(open.info.Title(), 100)}
	a, b := r.URL.Query().Get("a"), r.URL.Query().Get("b")
	a = cmp.Or(a, open.session.LeafID())
	switch {
	case b != "":
	case other != open:
		b = other.session.LeafID()
	default:
		end, ok := diff.OtherEnd(open.session)
		if !ok {
			return show(w, "compare", out)
		}
		b = end
	}
	c, err := diff.Compare(r.Context(), diff.Side{Session: open.session, Leaf: a}, diff.Side{Session: other.session, Leaf: b})
	if err != nil {
		return err
	}
	out.Common = page.Count(int64(c.Common.Turns), "turn") + ", " + page.Count(int64(c.Common.Entries), "entry")
	if c.Common.Question != "" {
		out.Common += ", last: “" + page.OneLine(c.Common.Question, 160) + "”"
	}
	out.Sides = []side{branchSide(open, a, &c.A, "Current branch"), branchSide(other, b, &c.B, "Other branch")}
	switch {
	case other != open:
		out.Sides[0].Name, out.Sides[1].Name = page.OneLine(open.info.Title(), 100), page.OneLine(other.info.Title(), 100)
	case a != open.session.LeafID():
		out.Sides[0].Name = "First branch"
	}
	if err := out.align(r.Context(), open, other, a, b); err != nil {
		return err
	}
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

func branchSide(of *shown, leaf string, x *diff.Branch, name string) side {
	s := side{Name: name, Link: "/s/" + url.PathEscape(of.key) + "#e-" + url.PathEscape(leaf), Label: page.OneLine(of.doc.View.Label(leaf), 60), Failure: page.OneLine(x.Failure, 300)}
	s.Facts = append(s.Facts, page.Count(int64(x.Entries), "entry"))
	if cost := amount.Cost(x.Spent); cost != "" {
		s.Facts = append(s.Facts, cost)
	}
	if len(x.Models) > 0 {
		s.Facts = append(s.Facts, page.OneLine(strings.Join(x.Models, ", "), 120))
	}
	var calls, failed int
	for _, t := range x.Tools {
		calls, failed = calls+t.Calls, failed+t.Errors
	}
	if calls > 0 {
		s.Facts = append(s.Facts, page.Count(int64(calls), "tool call")+", "+strconv.Itoa(failed)+" failed")
	}
	if len(x.Modified) > 0 {
		s.Facts = append(s.Facts, "changed "+page.OneLine(strings.Join(x.Modified, ", "), 200))
	}
	return s
}

// align puts the turns of both branches into rows, and lists the common
// entries and the other branches.
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
			c.Past = append(c.Past, c.link(ctx, open, i))
		}
	}
	left, err := open.turns(ctx, pathA[shared:])
	if err != nil {
		return err
	}
	right, err := other.turns(ctx, pathB[shared:])
	if err != nil {
		return err
	}
	for n := range max(len(left), len(right)) {
		row := make([]template.HTML, 2)
		if n < len(left) {
			row[0] = left[n]
		}
		if n < len(right) {
			row[1] = right[n]
		}
		c.Rows = append(c.Rows, row)
	}
	if open == other {
		c.ends(ctx, open, a, b)
	}
	return nil
}

// ends lists the other branches that can be compared.
func (c *comparison) ends(ctx context.Context, open *shown, a, b string) {
	v := open.doc.View
	goesOn := make([]bool, v.Len()) // the conversation continues after an entry
	n := 0
	for i := v.Len() - 1; i >= 0; i-- {
		e := v.At(i)
		talk := e.Type == format.TypeMessage || e.Type == format.TypeCompaction || e.Type == format.TypeBranchSummary || e.Type == format.TypeCustomMessage
		if parent, err := v.Find(e.ParentID); err == nil && (talk || goesOn[i]) {
			goesOn[parent] = true
		}
		if !talk || goesOn[i] {
			continue
		}
		if n++; n <= mostEnds && e.ID != b && e.ID != a {
			link := c.link(ctx, open, i)
			link.Link = "/s/" + url.PathEscape(open.key) + "/compare?" + url.Values{"a": {a}, "b": {e.ID}}.Encode()
			c.Others = append(c.Others, link)
		}
	}
	c.Ends = page.Count(int64(n), "branch")
}

// link returns a link to an entry of the session.
func (c *comparison) link(ctx context.Context, open *shown, i int) entryLink {
	head := open.doc.View.At(i)
	link := entryLink{Link: "/s/" + url.PathEscape(open.key) + "#e-" + url.PathEscape(head.ID), Label: page.OneLine(open.doc.View.Label(head.ID), 60)}
	var lines page.Lines
	for e, err := range open.doc.Entries(ctx, []int{i}) {
		if err == nil {
			_, link.Text = lines.Of(e)
		}
	}
	if link.Text == "" {
		link.Text = page.OneLine(head.ID, 60)
	}
	return link
}

// turns returns the entries of a branch as HTML, one element per turn.
func (s *shown) turns(ctx context.Context, path []int) ([]template.HTML, error) {
	var out []template.HTML
	var html []byte
	choice := page.Choice{NoEvents: true, Most: 1500}
	left, n := max(0, len(path)-mostCompared), 0
	for e, err := range s.doc.Entries(ctx, path[:len(path)-left]) {
		if err != nil {
			return nil, err
		}
		i := path[n]
		n++
		if s.doc.View.At(i).Role == format.RoleUser && len(html) > 0 {
			out, html = append(out, template.HTML(html)), nil
		}
		html = choice.Entry(html, e, page.Mark{Index: i, Label: s.doc.View.Label(s.doc.View.At(i).ID)})
	}
	if left > 0 {
		html = append(html, `<p class="cutnote">and `+page.Count(int64(left), "more entry")+`</p>`...)
	}
	if len(html) > 0 {
		out = append(out, template.HTML(html))
	}
	return out, nil
}
