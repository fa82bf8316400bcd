package webui

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/export/page"
	"github.com/pith-sessions/pith/inspect/diff"
)

// show sends a page of text.
func show(w http.ResponseWriter, title, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, head(title+" · pith")+`<header class="top"><b>pith</b>`+nav+`</header><main class="list"><h1>`+page.Escaped(title)+`</h1>`+body+`</main></body></html>`)
}

// doctorPage says what is wrong with a session, what it means, and what mends it.
func (s *Server) doctorPage(w http.ResponseWriter, r *http.Request) {
	info, err := s.find(r.Context(), r.PathValue("id"))
	if err != nil {
		s.fail(w, err)
		return
	}
	report, err := doctor.Check(r.Context(), info.Path, doctor.Options{})
	if err != nil {
		s.fail(w, err)
		return
	}
	var b strings.Builder
	b.WriteString(`<p><a href="` + page.Escaped("/s/"+info.ID) + `">` + page.Escaped(page.OneLine(info.Title(), 100)) + `</a></p>`)
	if len(report.Findings) == 0 {
		b.WriteString("<p>Nothing is wrong with this session.</p>")
	} else {
		b.WriteString(`<p>To mend what can be mended: <code>` + page.Escaped("pith doctor --fix "+shellWord(info.ID)) + `</code></p><table class="wide"><thead><tr><th>Line</th><th>What</th><th>What it means</th><th>Repair</th></tr></thead><tbody>`)
		for _, f := range report.Findings {
			fmt.Fprintf(&b, "<tr><td>%d</td><td>%s</td><td>%s</td><td>%s</td></tr>", f.Line, page.Escaped(f.What), page.Escaped(f.Means), page.Escaped(f.Fix))
		}
		b.WriteString("</tbody></table>")
	}
	show(w, "Doctor", b.String())
}

// shellWord is an id as a shell takes it.
func shellWord(s string) string {
	if strings.IndexFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_' && r != '.'
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// comparePage shows two branches side by side.
func (s *Server) comparePage(w http.ResponseWriter, r *http.Request) {
	open := s.opened(w, r)
	if open == nil {
		return
	}
	open.mu.Lock()
	defer open.mu.Unlock()
	q := r.URL.Query()
	a, b := q.Get("a"), q.Get("b")
	if a == "" {
		a = open.session.LeafID()
	}
	if b == "" {
		other, ok := diff.OtherEnd(open.session)
		if !ok {
			show(w, "Side by side", "<p>This session has one branch only.</p>")
			return
		}
		b = other
	}
	c, err := diff.Compare(r.Context(), diff.Side{Session: open.session, Leaf: a}, diff.Side{Session: open.session, Leaf: b})
	if err != nil {
		s.fail(w, err)
		return
	}
	var out strings.Builder
	link := "/s/" + open.info.ID
	out.WriteString(`<p><a href="` + page.Escaped(link) + `">` + page.Escaped(page.OneLine(open.info.Title(), 100)) + `</a></p>`)
	out.WriteString(`<div class="common">In common: ` + page.Count(int64(c.Common.Exchanges), "exchange") + `, last “` + page.Escaped(page.OneLine(c.Common.Question, 160)) + `”</div><div class="two">`)
	side := func(name string, x *diff.Branch) {
		out.WriteString(`<section class="col"><h2>` + page.Escaped(name) + `</h2><p class="facts"><span>` + page.Count(int64(x.Entries), "step") + `</span><span>` + page.Dollars(x.Spent.Cost) + `</span><span>` + page.Escaped(strings.Join(x.Models, ", ")) + `</span></p>`)
		for _, e := range x.Exchanges {
			if e.Text == "" { // it goes on with the exchange that both share
				e.Text = "goes on"
			}
			out.WriteString(`<p><a href="` + page.Escaped(link+"#e-"+e.Entry) + `">` + page.Escaped(page.OneLine(e.Text, 240)) + `</a> <span class="dim">` + page.Count(int64(e.Calls), "call") + `</span></p>`)
		}
		if len(x.Modified) > 0 {
			out.WriteString(`<p class="dim">changed: ` + page.Escaped(strings.Join(x.Modified, ", ")) + `</p>`)
		}
		if x.Failure != "" {
			out.WriteString(`<p class="bad">` + page.Escaped(page.OneLine(x.Failure, 300)) + `</p>`)
		}
		out.WriteString(`<div class="say">` + page.Markdown(x.Answer) + `</div></section>`)
	}
	side("Where it stands", &c.A)
	side("The other branch", &c.B)
	out.WriteString("</div>")
	show(w, "Side by side", out.String())
}

// usagePage adds up what was spent, every answer once, as charts.
func (s *Server) usagePage(w http.ResponseWriter, r *http.Request) {
	infos, err := s.listed(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	ledger, err := cost.Count(r.Context(), infos, cost.Options{Environment: s.environment()})
	if err != nil {
		s.fail(w, err)
		return
	}
	total := ledger.Total()
	var b strings.Builder
	b.WriteString(`<p class="facts"><span><b>` + page.Dollars(total.Cost) + `</b></span><span><b>` + page.Count(total.Tokens, "token") + `</b></span><span>` + page.Count(int64(total.Responses), "response") + ` in ` + page.Count(int64(total.Sessions), "session") + `</span></p>`)
	zone := s.now().Location()
	days := ledger.By(func(r *cost.Response) string { return r.Day(zone) })
	b.WriteString("<h2>By day</h2>" + chart(days[max(0, len(days)-90):], false))
	models := ledger.By(func(r *cost.Response) string { return r.Model })
	cost.DearestFirst(models)
	b.WriteString("<h2>By model</h2>" + chart(models[:min(len(models), 20)], true))
	projects := ledger.By(func(r *cost.Response) string { return s.homely(ledger.Sessions[r.Session].Cwd) })
	cost.DearestFirst(projects)
	b.WriteString("<h2>By project</h2>" + chart(projects[:min(len(projects), 20)], true))
	show(w, "Usage", b.String())
}

// chart draws groups as bars with their names and sums.
func chart(groups []cost.Group, project bool) string {
	if len(groups) == 0 {
		return "<p>Nothing was spent.</p>"
	}
	most := slices.MaxFunc(groups, func(a, b cost.Group) int { return int(a.Cost.Micros() - b.Cost.Micros()) }).Cost.Micros()
	var b strings.Builder
	b.WriteString(`<table class="bars"><thead><tr><th>` + map[bool]string{true: "What", false: "When"}[project] + `</th><th>Cost</th><th>Tokens</th><th><span class="quietly">bar</span></th></tr></thead><tbody>`)
	for _, g := range groups {
		width := 0.0
		if most > 0 {
			width = 100 * float64(g.Cost.Micros()) / float64(most)
		}
		name := g.Key
		if name == "" {
			name = "unknown"
		}
		fmt.Fprintf(&b, `<tr><th scope="row">%s</th><td>%s</td><td>%s</td><td><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="bar" width="%.1f" height="10"/></svg></td></tr>`,
			page.Escaped(page.OneLine(name, 80)), page.Dollars(g.Cost), humanize.Short(g.Tokens), width)
	}
	b.WriteString("</tbody></table>")
	return b.String()
}
