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
	now := s.c.Now()
	out := sessionsPage{Query: v.Get("q"), Sort: v.Get("sort"), Compared: v.Get("compare"), Version: l.version + now.Format("-1504")}
	if out.Version == v.Get("have") {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	q, err := query.Typed(out.Query, s.queryEnv())
	if err != nil {
		out.Fault = err.Error()
	}
	if i, ok := l.byKey[out.Compared]; ok {
		out.Comparing = l.infos[i].Title()
	}
	rows := max(firstRows, atoi(v.Get("n")))
	hits := map[string]*search.Hit{}
	infos, err := s.chosen(r.Context(), &out, q, l, rows, v.Get("all") != "", hits)
	if err != nil {
		return err
	}
	out.facets(s.session(), q, l)
	out.heads()
	out.sort(infos, l)
	out.Count = amount.Count(int64(len(infos)), "session")
	if len(infos) != len(l.infos) && !q.IsZero() {
		out.Count = amount.Number(int64(len(infos))) + " of " + amount.Count(int64(len(l.infos)), "session")
	}
	if len(infos) > rows {
		more := min(moreRows, len(infos)-rows)
		out.Older, out.OlderText = out.link("n", strconv.Itoa(rows+more)), "Show "+amount.Number(int64(more))+" older"
	}
	for i := range infos {
		out.put(now, &infos[i], i < rows, func() row { return s.row(now, &out, q, l, &infos[i], hits[infos[i].Path]) })
	}
	if len(infos) == 0 {
		out.Blank = s.blank(r.Context(), q, l)
	}
	return show(w, "list", out)
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text) // anything else is 0
	return n
}

// queryEnv returns what the values of filters refer to.
func (s *Server) queryEnv() query.Env { return query.Env{Now: s.c.Now(), Catalog: s.c.Catalog} }

// session returns a function that makes a session, with its marks, what filters
// look at.
func (s *Server) session() func(*catalog.Info) query.Session {
	of := s.c.Marks()
	return func(i *catalog.Info) query.Session {
		m := of(i.ID)
		return query.Session{Info: i, Tags: m.Tags, Archived: m.Archived}
	}
}

// chosen returns the sessions of a query, and adds the first match of each of
// them to hits. Without words and filters it leaves out archived ones.
func (s *Server) chosen(ctx context.Context, out *sessionsPage, q query.Query, l *listing, rows int, all bool, hits map[string]*search.Hit) ([]catalog.Info, error) {
	o := search.Options{Catalog: s.c.Catalog, Index: s.c.Words, Session: s.session(), Sessions: l.infos, First: true}
	if !q.Finds() {
		infos, err := search.Sessions(ctx, q, o)
		if !q.Has("archived", "tag") {
			infos = slices.DeleteFunc(slices.Clone(infos), func(i catalog.Info) bool { x := o.Session(&i); return x.Archived || i.Archived })
		}
		return infos, err
	}
	if !all {
		o.Limit = rows
	}
	got, err := search.Search(ctx, search.For(q), o)
	if err != nil {
		return nil, err
	}
	out.More, out.Unindexed = got.More, got.Unindexed > 0 && !got.More
	for i := range got.Hits { // without counts of the index there may be several of a session
		h := &got.Hits[i]
		if first := hits[h.Session.Path]; first != nil {
			h.Matches = max(first.Matches, 1) + max(h.Matches, 1)
		}
		hits[h.Session.Path] = h
	}
	inTitle := o.Chooser(q) // a title counts as well, because the list shows it
	if _, ofEntries := q.OfEntries(); ofEntries {
		inTitle = func(*catalog.Info) bool { return false }
	}
	return slices.DeleteFunc(slices.Clone(l.infos), func(i catalog.Info) bool { return hits[i.Path] == nil && !inTitle(&i) }), nil
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
func (p *sessionsPage) facets(session func(*catalog.Info) query.Session, q query.Query, l *listing) {
	typed, _ := query.Parse(p.Query, query.Env{}) // without the completion of a last word
	with := func(name, value string) string {
		text := typed.Without(name).String()
		if value != "" {
			text = strings.TrimSpace(text + " " + query.Quote(name, value))
		}
		return p.link("q", text)
	}
	count := func(name string, key func(*query.Session) []string) map[string]int {
		counts := map[string]int{}
		rest := q.Without(name)
		for i := range l.infos {
			x := session(&l.infos[i])
			if !rest.MatchSession(&x) || (x.Archived || x.Info.Archived) && !rest.Has("archived") {
				continue
			}
			counts[""]++
			for _, k := range key(&x) {
				counts[k]++
			}
		}
		return counts
	}
	choices := func(name string, counts map[string]int, most int) (out []choice) {
		wanted := q.Wants(name)
		for k, n := range counts {
			if k != "" {
				c := choice{Name: page.OneLine(k, 60), Link: with(name, k), Count: n, Chosen: slices.Contains(wanted, k), value: k}
				if c.Chosen {
					c.Link = with(name, "")
				}
				out = append(out, c)
			}
		}
		slices.SortFunc(out, func(a, b choice) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
		return out[:min(len(out), most)]
	}
	counts := count("source", func(x *query.Session) []string { return []string{page.AgentOf(x.Root).Root} })
	p.Agents = []choice{{Name: "All", Link: with("source", ""), Count: counts[""], Chosen: !q.Has("source")}}
	for _, c := range choices("source", counts, 8) {
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
	more := slices.Concat(plain("cost", ">1", "cost over $1"), plain("archived", "yes", "archived"), choices("tag", count("tag", func(x *query.Session) []string { return x.Tags }), 8))
	for k, sort := range [][2]string{{"", "Newest first"}, {"cost", "Highest cost"}, {"messages", "Most messages"}, {"size", "Largest"}} {
		more = append(more, choice{Name: sort[1], Link: p.link("sort", sort[0]), Chosen: p.Sort == sort[0], Ruled: k == 0})
	}
	p.Menus = []menu{
		{Name: "Project", Set: q.Has("project"), About: "writes project: into the search", Choices: choices("project", count("project", func(x *query.Session) []string { return []string{base(x.Cwd)} }), 12)},
		{Name: "Model", Set: q.Has("model"), Choices: choices("model", count("model", func(x *query.Session) []string { return []string{base(x.Model)} }), 12)},
		{Name: "Status", Set: q.Has("status"), Choices: choices("status", count("status", func(x *query.Session) []string { return []string{string(x.Status)} }), 12)},
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

func (p *sessionsPage) sort(infos []catalog.Info, l *listing) {
	by := map[string]func(*catalog.Info) int64{"cost": func(i *catalog.Info) int64 { return i.Spent.Cost.Micros() }, "size": func(i *catalog.Info) int64 { return i.Size }, "messages": func(i *catalog.Info) int64 { return int64(i.MessageCount) }}[p.Sort]
	if by == nil {
		p.Sort = ""
		by = func(i *catalog.Info) int64 {
			if slices.Contains(l.tags[l.byPath[i.Path]], "pinned") {
				return 1
			}
			return 0
		}
	}
	slices.SortStableFunc(infos, func(a, b catalog.Info) int { return cmp.Compare(by(&b), by(&a)) })
}

// put adds a session to the group of its day, and its row if there is room.
func (p *sessionsPage) put(now time.Time, info *catalog.Info, room bool, make func() row) {
	name := map[string]string{"cost": "Highest cost", "size": "Largest", "messages": "Most messages"}[p.Sort]
	var r row
	if room {
		r = make()
	}
	switch {
	case name != "":
	case slices.Contains(r.Tags, "pinned"):
		name = "Pinned"
	default:
		name = dayName(now, info.Modified)
	}
	if n := len(p.Groups); n == 0 || p.Groups[n-1].Name != name {
		if !room {
			return
		}
		p.Groups = append(p.Groups, &group{Name: name})
	}
	g := p.Groups[len(p.Groups)-1]
	if room {
		g.Rows = append(g.Rows, r)
	}
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

func (s *Server) row(now time.Time, p *sessionsPage, q query.Query, l *listing, info *catalog.Info, hit *search.Hit) row {
	key := l.keyOf(info.Path)
	r := row{Key: url.PathEscape(key), Project: base(info.Cwd), Model: base(info.Model), Age: humanize.Age(now.Sub(info.Modified)), When: info.Modified.In(now.Location()).Format("2 Jan 2006, 15:04"),
		Mark: template.HTML(page.AgentOf(info.Root).Mark("", false)), Plain: page.OneLine(info.Title(), mostTitle), Messages: info.MessageCount, Tags: l.tags[l.byPath[info.Path]],
		Cost: amount.Cents(info.Spent), Unpriced: info.Spent.Unpriced > 0, Estimated: info.Spent.Estimated}
	r.Title = marked(r.Plain, q)
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
func (s *Server) blank(ctx context.Context, q query.Query, l *listing) *blank {
	if len(l.infos) == 0 {
		b := &blank{Icon: "ask", Title: "No sessions yet"}
		for _, root := range catalog.Roots(s.c.Catalog, "") {
			b.Places = append(b.Places, s.shortenHome(root.Dir))
		}
		if b.Places = slices.Compact(b.Places); len(b.Places) > 4 {
			b.Places = b.Places[:4]
		}
		return b
	}
	b := &blank{Icon: "search", Title: "No session matches all of these words", Clear: true}
	if !q.Finds() {
		b.Title = "No session passes these filters"
		return b
	}
	for i := range q.Words {
		alone := query.Query{Words: q.Words[i : i+1]}
		o := search.Options{Catalog: s.c.Catalog, Index: s.c.Words, Sessions: l.infos, Limit: 1}
		if got, err := search.Search(ctx, search.For(alone), o); err != nil || len(got.Hits) > 0 || q.Words[i].Not {
			continue
		}
		b.Word = strings.TrimSuffix(q.Words[i].Text, "*")
		if b.Nearest = nearest(strings.ToLower(b.Word), l.infos); b.Nearest != "" {
			b.NearestLink = "/?" + url.Values{"q": {b.Nearest}}.Encode()
		}
		return b
	}
	return b
}

// nearest returns the word of a title that differs least from a word, or "".
func nearest(word string, infos []catalog.Info) string {
	best, least := "", min(3, len([]rune(word))/2+1)
	for i := range infos {
		for w := range strings.FieldsFuncSeq(strings.ToLower(infos[i].Title()+" "+base(infos[i].Cwd)), func(r rune) bool { return r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x80 }) {
			if d := distance(word, w, least); d < least {
				best, least = w, d
			}
		}
	}
	return best
}

// distance returns the number of letters to insert, delete or replace, or most
// if there are more.
func distance(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) >= most || len(y)-len(x) >= most {
		return most
	}
	was := make([]int, len(y)+1)
	for j := range was {
		was[j] = j
	}
	for i, r := range x {
		diagonal := was[0]
		was[0] = i + 1
		for j, c := range y {
			now := min(was[j], was[j+1]) + 1
			if r == c {
				now = min(now, diagonal)
			} else {
				now = min(now, diagonal+1)
			}
			diagonal, was[j+1] = was[j+1], now
		}
	}
	return min(was[len(y)], most)
}

// learning is how long one request builds the word index.
const learning = 3 * time.Second

// learn continues to build the word index. The page of the list requests it
// after a search had to read files. It ends when the client disconnects.
func (s *Server) learn(w http.ResponseWriter, r *http.Request) error {
	if s.c.Words == nil {
		return reply(w, map[string]bool{"more": false})
	}
	start := time.Now()
	if err := s.c.Words.Fill(r.Context(), search.Build{Catalog: s.c.Catalog, Within: learning}); err != nil {
		return reply(w, map[string]bool{"more": false}) // it can be built again, and nothing depends on it
	}
	return reply(w, map[string]bool{"more": time.Since(start) >= learning})
}
