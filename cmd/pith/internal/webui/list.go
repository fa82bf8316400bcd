package webui

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/page"
)

const (
	firstRows, moreRows = 100, 500 // sessions in the list at first, and added by its last line
	mostPlaces          = 100_000  // matches in one session
	// liveFor is how long after its last message a session counts as live.
	liveFor = 2 * time.Minute
)

// sessionsPage is the data of the list of sessions.
type sessionsPage struct {
	Query, Sort, Compared, Comparing string // as typed; the key and the title of a session to compare
	Version, Count, Older, OlderText string
	Fault                            string
	More                             bool // further matches take longer, and follow on request
	Unindexed                        bool
	Agents                           []choice
	Menus                            []menu
	Heads                            []head
	Groups                           []*group
	Blank                            *blank
}

// choice is a value of a filter, as a link to the list with it.
type choice struct {
	Mark          template.HTML
	Name, Link    string
	value         string // of the filter
	Count         int
	Chosen, Ruled bool // ruled: a line is above it
}

type menu struct {
	Name, About string
	Set, Right  bool
	Choices     []choice
}

type head struct {
	Name, Link, Title, Class string
	Chosen                   bool
}

// group is a day or a month.
type group struct {
	Name        string
	Rows        []row
	n, unpriced int
	sum         format.Spent
}

func (g *group) Count() string { return amount.Count(int64(g.n), "session") }

// Cost returns the cost of all sessions of the group.
func (g *group) Cost() string {
	known := amount.Cents(g.sum)
	switch {
	case g.unpriced == 0:
		return known
	case known == "":
		return "unknown"
	}
	return known + " + " + amount.Number(int64(g.unpriced)) + " unknown"
}

type row struct {
	Link, Key, Project, Model, Cost, Age, When string
	Mark, Title                                template.HTML
	Plain                                      string // the title
	Status                                     []chip
	Tags                                       []string
	Messages, Branches                         int
	Unpriced, Estimated                        bool
	Role                                       string // of the match
	Match                                      template.HTML
}

type chip struct{ Class, Icon, Text string }

// blank explains a list without rows.
type blank struct {
	Icon, Title, Word, Nearest, NearestLink string
	Places                                  []string
	Clear                                   bool
}

// listPage serves the list of sessions that a query chooses. A client that has
// the current one gets no content.
func (s *Server) listPage(w http.ResponseWriter, r *http.Request) error {
	v := r.URL.Query()
	get := s.archive.kept
	if v.Get("have") != "" {
		get = s.archive.look
	}
	l, err := get(r.Context())
	if err != nil {
		return err
	}
	now := s.c.App.Now()
	out := sessionsPage{Query: v.Get("q"), Sort: v.Get("sort"), Compared: v.Get("compare"), Version: l.version + now.Format("-1504")}
	if out.Version == v.Get("have") {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	rows := max(firstRows, atoi(v.Get("n")))
	p := ops.BrowseParams{Query: out.Query, Sessions: l.infos, Limit: rows}
	if v.Get("all") != "" {
		p.Limit = 0
	}
	b, err := ops.Browse(r.Context(), s.c.App, p)
	if err != nil {
		return err
	}
	if b.Fault != nil {
		out.Fault = b.Fault.Error()
	}
	if i, ok := l.byKey[out.Compared]; ok {
		out.Comparing = l.infos[i].Title()
	}
	out.More, out.Unindexed = b.More, b.Unindexed
	out.facets(b)
	out.heads()
	infos := b.Sessions
	out.sort(infos, l)
	out.Count = amount.Count(int64(len(infos)), "session")
	if len(infos) != len(l.infos) && !b.Query.IsZero() {
		out.Count = amount.Number(int64(len(infos))) + " of " + amount.Count(int64(len(l.infos)), "session")
	}
	if len(infos) > rows {
		more := min(moreRows, len(infos)-rows)
		out.Older, out.OlderText = out.link("n", strconv.Itoa(rows+more)), "Show "+amount.Number(int64(more))+" older"
	}
	for i, info := range infos {
		if name := out.groupOf(now, info, l); i < rows {
			out.add(name, s.row(now, &out, b, l, info))
		} else if name != out.Groups[len(out.Groups)-1].Name {
			break // the sums of a group are those of all its sessions
		}
		out.Groups[len(out.Groups)-1].count(info)
	}
	if len(infos) == 0 {
		out.Blank = s.blank(r.Context(), b, l)
	}
	return show(w, "list", out)
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text) // anything else is 0
	return n
}

// link returns the address of the list with another value of its parameters.
func (p *sessionsPage) link(name, value string) string {
	v := url.Values{}
	for k, was := range map[string]string{"q": p.Query, "sort": p.Sort, "compare": p.Compared, name: value} {
		if was != "" {
			v.Set(k, was)
		}
	}
	if len(v) == 0 {
		return "/"
	}
	return "/?" + v.Encode()
}

// facets adds the filters with the number of sessions of each value. A value
// that is chosen links to the query without it.
func (p *sessionsPage) facets(b *ops.Browsed) {
	q := b.Query
	with := func(name, value string) string { return p.link("q", ops.Refine(b.Plain, name, value)) }
	choices := func(name string, most int) (out []choice) {
		wanted := q.Wants(name)
		for value, n := range b.Facets[name] {
			if value != "" {
				c := choice{Name: page.OneLine(value, 60), Link: with(name, value), Count: n, Chosen: slices.Contains(wanted, value), value: value}
				if c.Chosen {
					c.Link = with(name, "")
				}
				out = append(out, c)
			}
		}
		slices.SortFunc(out, func(a, b choice) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
		return out[:min(len(out), most)]
	}
	p.Agents = []choice{{Name: "All", Link: with("source", ""), Count: b.Facets["source"][""], Chosen: !q.Has("source")}}
	for _, c := range choices("source", 8) {
		a := page.AgentOf(c.value)
		c.Name, c.Mark = a.Name, template.HTML(a.Mark("sm", true))
		p.Agents = append(p.Agents, c)
	}
	plain := func(name string, values ...string) (out []choice) {
		for i := 0; i+1 < len(values); i += 2 {
			chosen := slices.Contains(q.Wants(name), values[i])
			value := values[i]
			if chosen {
				value = ""
			}
			out = append(out, choice{Name: values[i+1], Link: with(name, value), Chosen: chosen})
		}
		return out
	}
	more := slices.Concat(plain("cost", ">1", "cost over $1"), plain("archived", "yes", "archived"), choices("tag", 8))
	for k, sort := range [][2]string{{"", "Newest first"}, {"cost", "Highest cost"}, {"messages", "Most messages"}, {"size", "Largest"}} {
		more = append(more, choice{Name: sort[1], Link: p.link("sort", sort[0]), Chosen: p.Sort == sort[0], Ruled: k == 0})
	}
	p.Menus = []menu{
		{Name: "Project", Set: q.Has("project"), About: "writes project: into the search", Choices: choices("project", 12)},
		{Name: "Model", Set: q.Has("model"), Choices: choices("model", 12)},
		{Name: "Status", Set: q.Has("status"), Choices: choices("status", 12)},
		{Name: "Date", Set: q.Has("since", "until"), About: "or type since: and until:", Choices: plain("since", "today", "today", "yesterday", "since yesterday", "7d", "last 7 days", "30d", "last 30 days")},
		{Name: "More", Set: p.Sort != "" || q.Has("cost", "tag", "archived"), Right: true, Choices: more},
	}
}

// base returns the last part of a path or of a model's name as one line.
func base(path string) string {
	if path == "" {
		return ""
	}
	return page.OneLine(filepath.Base(filepath.FromSlash(path)), 60)
}

func (p *sessionsPage) heads() {
	p.Heads = []head{{Name: "Project"}, {Name: "Model", Class: "model"}, {Name: "Messages", Link: p.link("sort", "messages"), Class: "num", Chosen: p.Sort == "messages", Title: "Most messages first"}, {},
		{Name: "Cost", Link: p.link("sort", "cost"), Class: "num", Chosen: p.Sort == "cost", Title: "Highest cost first"}, {Name: "Age", Link: p.link("sort", ""), Class: "num", Chosen: p.Sort == "", Title: "Newest first"}}
}

func (p *sessionsPage) sort(infos []*catalog.Info, l *listing) {
	by := map[string]func(*catalog.Info) int64{"cost": func(i *catalog.Info) int64 { return i.Spent.Cost.Micros() }, "size": func(i *catalog.Info) int64 { return i.Size }, "messages": func(i *catalog.Info) int64 { return int64(i.MessageCount) }}[p.Sort]
	if by == nil {
		p.Sort = ""
		by = func(i *catalog.Info) int64 {
			if l.pinned[i.Path] {
				return 1
			}
			return 0
		}
	}
	slices.SortStableFunc(infos, func(a, b *catalog.Info) int { return cmp.Compare(by(b), by(a)) })
}

// groupOf returns the name of the group of a session: its day, or the order of the list.
func (p *sessionsPage) groupOf(now time.Time, info *catalog.Info, l *listing) string {
	switch {
	case p.Sort != "":
		return map[string]string{"cost": "Highest cost", "size": "Largest", "messages": "Most messages"}[p.Sort]
	case l.pinned[info.Path]:
		return "Pinned"
	}
	return dayName(now, info.Modified)
}

// add adds a row to the group with a name, which is the last one or a new one.
func (p *sessionsPage) add(name string, r row) {
	if n := len(p.Groups); n == 0 || p.Groups[n-1].Name != name {
		p.Groups = append(p.Groups, &group{Name: name})
	}
	g := p.Groups[len(p.Groups)-1]
	g.Rows = append(g.Rows, r)
}

func (g *group) count(info *catalog.Info) {
	g.n++
	g.sum = g.sum.Plus(info.Spent)
	if info.Spent.Unpriced > 0 {
		g.unpriced++
	}
}

// dayName names the day of a time, or its month if it is more than a week ago.
func dayName(now, at time.Time) string {
	at = at.In(now.Location())
	midnight := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, now.Location())
	}
	switch days := int(midnight(now).Sub(midnight(at)).Hours()+12) / 24; {
	case days <= 0:
		return "Today"
	case days == 1:
		return "Yesterday"
	case days < 7:
		return at.Format("Monday 2 January")
	case at.Year() == now.Year() && at.Month() == now.Month():
		return "Earlier in " + at.Format("January")
	case at.Year() == now.Year():
		return at.Format("January")
	}
	return at.Format("January 2006")
}

func (s *Server) row(now time.Time, p *sessionsPage, b *ops.Browsed, l *listing, info *catalog.Info) row {
	hit := b.Hits[info.Path]
	key := l.keyOf(info.Path)
	r := row{Key: url.PathEscape(key), Project: base(info.Cwd), Model: base(info.Model), Age: humanize.Age(now.Sub(info.Modified)), When: info.Modified.In(now.Location()).Format("2 Jan 2006, 15:04"),
		Mark: template.HTML(page.AgentOf(info.Root).Mark("", false)), Plain: page.OneLine(info.Title(), mostTitle), Messages: info.MessageCount, Tags: l.tags[l.byPath[info.Path]],
		Cost: amount.Cents(info.Spent), Unpriced: info.Spent.Unpriced > 0, Estimated: info.Spent.Estimated}
	r.Title = marked(r.Plain, b.Query)
	if info.Branches > 1 {
		r.Branches = info.Branches
	}
	if now.Sub(info.Modified).Abs() < liveFor {
		r.Status = append(r.Status, chip{Class: "live", Text: "live"})
	} else if c := (map[catalog.Status]chip{catalog.StatusPending: {"", "clock", "waits for you"}, catalog.StatusInterrupted: {"", "pause", "interrupted"}, catalog.StatusAborted: {"", "pause", "stopped"}, catalog.StatusError: {"bad", "fail", "failed"}, catalog.StatusEmpty: {"", "file", "empty"}}[info.Status]); c.Text != "" {
		r.Status = append(r.Status, c)
	}
	if info.Findings > 0 {
		r.Status = append(r.Status, chip{"tag", "fail", amount.Count(int64(info.Findings), "damaged line")})
	}
	r.Link = "/s/" + url.PathEscape(key)
	if p.Comparing != "" && key != p.Compared {
		r.Link = "/s/" + url.PathEscape(p.Compared) + "/compare?" + url.Values{"with": {key}}.Encode()
	} else if hit != nil && hit.EntryID != "" {
		r.Link += "?" + url.Values{"q": {p.Query}}.Encode() + "#e-" + url.PathEscape(hit.EntryID)
	}
	if hit != nil {
		r.Role = map[string]string{"user": "you", "tool": cmp.Or(page.OneLine(hit.Tool, 30), "tool")}[hit.Role]
		if r.Role = cmp.Or(r.Role, page.OneLine(hit.Role, 20)); hit.Matches > 1 {
			r.Role += " · " + amount.Count(int64(hit.Matches), "match")
		}
		r.Match = snippet(hit.Snippet)
	}
	return r
}

// snippet returns an excerpt with its matches marked.
func snippet(s search.Snippet) template.HTML {
	var b strings.Builder
	last := 0
	for _, m := range s.Marks {
		b.WriteString(page.Escaped(s.Text[last:m.Start]) + "<mark>" + page.Escaped(s.Text[m.Start:m.End]) + "</mark>")
		last = m.End
	}
	return template.HTML(b.String() + page.Escaped(s.Text[last:]))
}

// marked returns a title in which the words of a query are marked.
func marked(title string, q query.Query) template.HTML {
	folded := strings.ToLower(title)
	if len(folded) != len(title) {
		folded = title
	}
	var s search.Snippet
	s.Text = title
	for _, w := range q.Words {
		word := strings.ToLower(strings.TrimSuffix(w.Text, "*"))
		if i := strings.Index(folded, word); i >= 0 && word != "" && !w.Not && w.Form != query.Regexp {
			s.Marks = append(s.Marks, search.Span{Start: i, End: i + len(word)})
		}
	}
	slices.SortFunc(s.Marks, func(a, b search.Span) int { return a.Start - b.Start })
	for i := 1; i < len(s.Marks); i++ { // words may overlap
		s.Marks[i].Start = max(s.Marks[i].Start, s.Marks[i-1].End)
		s.Marks[i].End = max(s.Marks[i].End, s.Marks[i].Start)
	}
	return snippet(s)
}

// blank explains why a query chooses no session.
func (s *Server) blank(ctx context.Context, b *ops.Browsed, l *listing) *blank {
	if len(l.infos) == 0 {
		x := &blank{Icon: "ask", Title: "No sessions yet"}
		for _, dir := range ops.Roots(s.c.App) {
			x.Places = append(x.Places, humanize.Path(s.c.App.Environment.Home, dir))
		}
		x.Places = x.Places[:min(len(x.Places), 4)]
		return x
	}
	x := &blank{Icon: "search", Title: "No session matches all of these words", Clear: true}
	if !b.Query.Finds() {
		x.Title = "No session passes these filters"
		return x
	}
	var similar string
	x.Word, similar, _ = b.Missing(ctx) // an explanation that fails is left out
	if x.Nearest = similar; similar != "" {
		x.NearestLink = "/?" + url.Values{"q": {similar}}.Encode()
	}
	return x
}

// learning is how long one request builds the word index.
const learning = 3 * time.Second

// learn continues to build the word index. The page of the list requests it
// after a search had to read files. It ends when the client disconnects.
func (s *Server) learn(w http.ResponseWriter, r *http.Request) error {
	return reply(w, map[string]bool{"more": ops.Learn(r.Context(), s.c.App, learning)})
}
