package query_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/format"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

func env() query.Env {
	return query.Env{Now: noon, Cwd: "/home/ann", Catalog: catalog.Options{Home: "/nonexistent", Getenv: func(string) string { return "" }}}
}

// describe returns the parts of a query, so that a test sees how it was split.
func describe(q query.Query) string {
	var out []string
	forms := []string{"plain", "phrase", "prefix", "regexp"}
	for _, w := range q.Words {
		out = append(out, not(w.Not)+forms[w.Form]+"("+w.Text+")")
	}
	for i := range q.Conditions {
		c := &q.Conditions[i]
		out = append(out, not(c.Not)+c.Filter.Name+"("+strings.Join(c.Values(), "|")+")")
	}
	return strings.Join(out, " ")
}

func not(is bool) string {
	if is {
		return "not "
	}
	return ""
}

func TestParse(t *testing.T) {
	for text, want := range map[string]struct{ parts, err string }{
		"":                                  {},
		"  lease\t clock ":                  {"plain(lease) plain(clock)", ""},
		`"connection refused" conf*`:        {"phrase(connection refused) prefix(conf*)", ""},
		`"a ""b"" c"d`:                      {`phrase(a "b" c) plain(d)`, ""},
		`"open end`:                         {"phrase(open end)", ""},
		`""`:                                {},
		`fo"o b"ar`:                         {`plain(fo"o) plain(b"ar)`, ""},
		"-draft -\"a b\" -re:x -x*":         {"not plain(draft) not phrase(a b) not regexp(x) not prefix(x*)", ""},
		"- -- a-b":                          {"plain(-) not plain(-) plain(a-b)", ""},
		`re:a\w+ b`:                         {`regexp(a\w+) plain(b)`, ""},
		`re:"a b,c"`:                        {"regexp(a b,c)", ""},
		`re:"a ""b"""`:                      {`regexp(a "b")`, ""},
		"re:a,b":                            {"regexp(a,b)", ""},
		"re:":                               {"", `re: needs a regular expression, as in re:conf\w+ or re:"two words"`},
		"x re:( y":                          {"plain(x) plain(y)", "invalid regular expression \"(\": missing closing ): `(`"},
		"project:proj lease":                {"plain(lease) project(proj)", ""},
		`lease project:"MY PROJECT" clock`:  {"plain(lease) plain(clock) project(MY PROJECT)", ""},
		`project:"a,b",c,"d ""e""",`:        {`project(a,b|c|d "e")`, ""},
		"PROJECT:proj Status:Error":         {"project(proj) status(Error)", ""},
		"status:pending,error -tag:x":       {"status(pending|error) not tag(x)", ""},
		"status:":                           {"", "status: needs a value, as in status:STATUS"},
		"status:, x":                        {"plain(x)", "status: needs a value, as in status:STATUS"},
		"status:eror":                       {"", `unknown status "eror"; did you mean error? use complete, pending, interrupted, aborted, error, empty`},
		"status:odd fix":                    {"plain(fix)", `unknown status "odd"; use complete, pending, interrupted, aborted, error, empty`},
		"role:usr":                          {"", `unknown role "usr"; did you mean user? use user, assistant, tool, bash, system, custom, summary, label, name`},
		"source:cursor":                     {"", `unknown source "cursor"; use pi, atomic, oh-my-pi, openclaw, claude, codex, opencode, gemini, qwen, copilot, kimi, team`},
		"archived:maybe":                    {"", `unknown archived "maybe"; use yes, no`},
		"branch:any":                        {"", `unknown branch "any"; use active`},
		"cost:>5 cost:<=$0.1 cost:=2":       {"cost(>5) cost(<=$0.1) cost(=2)", ""},
		"cost:much":                         {"", `invalid cost "much"; use cost:>5, cost:<=0.1 or cost:=2`},
		"cost:<nan":                         {"", `invalid cost "<nan"; use cost:>5, cost:<=0.1 or cost:=2`},
		"cost:><5":                          {"", `invalid cost "><5"; use cost:>5, cost:<=0.1 or cost:=2`},
		"size:>1MB,<10k":                    {"size(>1MB|<10k)", ""},
		"size:>":                            {"", `invalid size ">"; use size:>1MB or size:<=500KB`},
		"since:x":                           {"", `invalid since "x"; use 2026-01-31, 2026-01-31T15:04, 12h, 7d, yesterday or last-week`},
		"stauts:error":                      {"", `unknown filter "stauts"; did you mean status:error? filters are project, source, status, model, since, until, cost, size, name, tag, archived, internal, role, tool, file, branch; quotes make it text`},
		"key:value":                         {"", `unknown filter "key"; filters are project, source, status, model, since, until, cost, size, name, tag, archived, internal, role, tool, file, branch; quotes make it text`},
		`"key:value" -"stauts:error"`:       {"phrase(key:value) not phrase(stauts:error)", ""},
		"https://example.org/x 12:30 C:\\x": {"plain(https://example.org/x) plain(12:30) plain(C:\\x)", ""},
		"error: std::vector main.go:12":     {"plain(error:) plain(std::vector) plain(main.go:12)", ""},
		"\xff":                              {"", "the query is not UTF-8"},
		strings.Repeat("x ", 61):            {strings.TrimSpace(strings.Repeat("plain(x) ", 60)), "the query has too many words; the limit is 60"},
	} {
		q, err := query.Parse(text, env())
		said := ""
		if err != nil {
			said = err.Error()
			if !errors.As(err, new(*query.Error)) {
				t.Errorf("Parse(%q): the error is a %T", text, err)
			}
		}
		if got := describe(q); got != want.parts || said != want.err {
			t.Errorf("Parse(%q) = %q, %q; want %+v", text, got, said, want)
		}
	}
}

// An error has the data to correct it.
func TestError(t *testing.T) {
	for text, want := range map[string]query.Error{
		"stauts:error": {Filter: "stauts", Nearest: "status"},
		"status:eror":  {Filter: "status", Value: "eror", Nearest: "error"},
		"cost:x":       {Filter: "cost", Value: "x"},
		"re:(":         {Filter: "re", Value: "("},
	} {
		_, err := query.Parse(text, env())
		got, ok := errors.AsType[*query.Error](err)
		if !ok || got.Filter != want.Filter || got.Value != want.Value || got.Nearest != want.Nearest || (want.Nearest != "") != (got.Known != nil) {
			t.Errorf("Parse(%q): %+v, want %+v", text, got, want)
		}
	}
}

// sessions returns sessions that differ in everything that filters look at.
func sessions(r *rand.Rand, n int) []query.Session {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	out := make([]query.Session, n)
	for i := range out {
		info := &catalog.Info{
			Cwd: pick("/home/ann/pith", "/home/ann/Other App", "/srv/pith", ""), Root: pick("pi", "claude", "codex", "custom", "atomic"),
			Status: catalog.Statuses[r.IntN(len(catalog.Statuses))], Model: pick("anthropic/claude-opus-4-5", "openai/gpt-5.1", ""),
			Modified: noon.Add(-time.Duration(r.IntN(20*24)) * time.Hour), Size: int64(r.IntN(3000)) * 1000, Name: pick("Lease clock", "parser", ""),
			Internal: r.IntN(4) == 0, Archived: r.IntN(4) == 0,
		}
		info.Spent.Cost, info.Spent.Unpriced = []format.Money{0, 100_000_000, 5_000_000_000, 6_500_000_000}[r.IntN(4)], int64(r.IntN(2))
		out[i] = query.Session{Info: info, Tags: [][]string{nil, {"client-a"}, {"draft", "client-a"}}[r.IntN(3)], Archived: r.IntN(4) == 0}
	}
	return out
}

// Each filter of sessions equals a plain predicate, alone, negated and in a list.
func TestSessionFilters(t *testing.T) {
	has := func(text, part string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(part)) }
	usd := func(s *query.Session, is func(float64) bool) bool {
		known := s.Spent.Cost != 0 || s.Spent.Unpriced == 0
		return known && is(float64(s.Spent.Cost)/1e9)
	}
	predicates := map[string]func(s *query.Session) bool{
		"project:PITH":         func(s *query.Session) bool { return has(s.Cwd, "pith") },
		`project:"other app"`:  func(s *query.Session) bool { return has(s.Cwd, "other app") },
		"project:/home/ann":    func(s *query.Session) bool { return has(s.Cwd, "/home/ann") },
		"project:~/x":          func(*query.Session) bool { return false },
		"source:pi":            func(s *query.Session) bool { return s.Root == "pi" || s.Root == "custom" },
		"source:claude":        func(s *query.Session) bool { return s.Root == "claude" },
		"status:error":         func(s *query.Session) bool { return s.Status == catalog.StatusError },
		"status:PENDING":       func(s *query.Session) bool { return s.Status == catalog.StatusPending },
		"model:Opus":           func(s *query.Session) bool { return has(s.Model, "opus") },
		"since:7d":             func(s *query.Session) bool { return !s.Modified.Before(time.Date(2026, 1, 28, 0, 0, 0, 0, time.UTC)) },
		"until:2026-01-31":     func(s *query.Session) bool { return s.Modified.Before(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)) },
		"cost:>5":              func(s *query.Session) bool { return usd(s, func(d float64) bool { return d > 5 }) },
		"cost:5":               func(s *query.Session) bool { return usd(s, func(d float64) bool { return d >= 5 }) },
		"cost:>=5":             func(s *query.Session) bool { return usd(s, func(d float64) bool { return d >= 5 }) },
		"cost:<$5":             func(s *query.Session) bool { return usd(s, func(d float64) bool { return d < 5 }) },
		"cost:<=0.1":           func(s *query.Session) bool { return usd(s, func(d float64) bool { return d <= 0.1 }) },
		"cost:=6.5":            func(s *query.Session) bool { return usd(s, func(d float64) bool { return d == 6.5 }) },
		"size:>1MB":            func(s *query.Session) bool { return s.Size > 1_000_000 },
		"size:<=1.5mb":         func(s *query.Session) bool { return s.Size <= 1_500_000 },
		"size:1MiB":            func(s *query.Session) bool { return s.Size >= 1<<20 },
		"name:lease":           func(s *query.Session) bool { return has(s.Name, "lease") },
		"tag:client-a":         func(s *query.Session) bool { return slices.Contains(s.Tags, "client-a") },
		"tag:DRAFT":            func(s *query.Session) bool { return slices.Contains(s.Tags, "draft") },
		"archived:yes":         func(s *query.Session) bool { return s.Archived || s.Info.Archived },
		"archived:no":          func(s *query.Session) bool { return !s.Archived && !s.Info.Archived },
		"internal:yes":         func(s *query.Session) bool { return s.Internal },
		"role:user":            func(*query.Session) bool { return true },
		"word":                 func(*query.Session) bool { return true },
		"status:error,pending": func(s *query.Session) bool { return s.Status == "error" || s.Status == "pending" },
		"cost:<1,>6":           func(s *query.Session) bool { return usd(s, func(d float64) bool { return d < 1 || d > 6 }) },
		"tag:draft,x":          func(s *query.Session) bool { return slices.Contains(s.Tags, "draft") },
	}
	seen := map[string]bool{}
	list := sessions(rand.New(rand.NewPCG(1, 2)), 500)
	for text, want := range predicates {
		q := parse(t, text)
		negated := parse(t, "-"+text)
		for i := range q.Conditions {
			seen[q.Conditions[i].Filter.Name] = true
		}
		for i := range list {
			s := &list[i]
			if got := q.MatchSession(s); got != want(s) {
				t.Errorf("%s matches %+v: %t", text, *s.Info, got)
			}
			if got := negated.MatchSession(s); got == want(s) && len(q.Conditions) > 0 && !q.Conditions[0].Filter.OfEntries {
				t.Errorf("-%s matches %+v: %t", text, *s.Info, got)
			}
		}
	}
	for _, f := range query.Filters {
		if !seen[f.Name] && !f.OfEntries {
			t.Errorf("no predicate for %s:", f.Name)
		}
	}
	texts := slices.Sorted(func(yield func(string) bool) {
		for text := range predicates {
			if !yield(text) {
				return
			}
		}
	})
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 { // all conditions of a query hold
		a, b := texts[r.IntN(len(texts))], texts[r.IntN(len(texts))]
		q := parse(t, a+" "+b)
		for i := range list {
			if got, want := q.MatchSession(&list[i]), predicates[a](&list[i]) && predicates[b](&list[i]); got != want {
				t.Fatalf("%s matches %+v: %t", q, *list[i].Info, got)
			}
		}
	}
}

// A record is an entry that is all data.
type record struct {
	role, tool, file string
	active           bool
	at               time.Time
}

func (r *record) Role() string             { return r.role }
func (r *record) HasTool(name string) bool { return strings.EqualFold(r.tool, name) }
func (r *record) HasFile(part string) bool { return strings.Contains(r.file, part) }
func (r *record) Active() bool             { return r.active }
func (r *record) When() time.Time          { return r.at }

func TestEntryFilters(t *testing.T) {
	e := &record{"tool", "Bash", "/src/main.go", true, noon.Add(-time.Hour)}
	for text, want := range map[string]bool{
		"role:tool": true, "role:user": false, "role:user,tool": true, "-role:user": true, "-role:user,tool": false,
		"tool:bash": true, "tool:edit": false, "tool:edit,bash": true, "-tool:bash": false,
		"file:main.go": true, "file:other": false, "-file:other": true,
		"branch:active": true, "-branch:active": false,
		"since:1d": true, "since:30m": false, "until:30m": true, "until:2h": false, "-since:30m": true,
		"role:tool tool:bash file:src since:2h": true, "role:tool tool:edit": false,
		"status:error cost:>100 word": true, // of sessions, and words
	} {
		if got := parse(t, text).MatchEntry(e); got != want {
			t.Errorf("%s matches: %t", text, got)
		}
	}
}

// A relative path is a directory, with those below it.
func TestProjectDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "app", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	within := func(text, cwd string) bool {
		q, err := query.Parse(query.Quote("project", text), query.Env{Cwd: dir})
		if err != nil {
			t.Fatal(err)
		}
		return q.MatchSession(&query.Session{Info: &catalog.Info{Cwd: cwd}})
	}
	app := filepath.Join(dir, "app")
	for _, text := range []string{"./app", app, "app", "."} {
		if !within(text, app) || !within(text, filepath.Join(app, "sub")) {
			t.Errorf("project:%s does not match its directory and those below it", text)
		}
	}
	if within("./app", app+"lication") || !within("app", app+"lication") {
		t.Error("a path is a directory, other text a part of a path")
	}
}

func TestRange(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC) }
	for text, want := range map[string][2]time.Time{
		"":                                        {},
		"since:2026-01-05":                        {day(5)},
		"since:2026-01-05 since:2026-01-07":       {day(7)},
		"since:2026-01-05,2026-01-07":             {day(5)},
		"until:2026-01-09":                        {{}, day(10)},
		"since:2026-01-05 until:2026-01-09":       {day(5), day(10)},
		"-until:2026-01-09":                       {day(10)},
		"-since:2026-01-09,2026-01-07":            {{}, day(7)},
		"until:2026-01-03,2026-01-09 -since:2027": {{}, day(10)},
	} {
		text = strings.ReplaceAll(text, "2027", "2027-01-01")
		if since, until := parse(t, text).Range(); since != want[0] || until != want[1] {
			t.Errorf("%s: %v to %v, want %v", text, since, until, want)
		}
	}
}

func TestParts(t *testing.T) {
	q := parse(t, "fix -draft status:error role:user since:7d file:x")
	if got, any := q.OfEntries(); got.String() != "role:user file:x" || !any {
		t.Errorf("of entries: %s", got)
	}
	if got := q.Without("since", "role").String(); got != "fix -draft status:error file:x" {
		t.Errorf("without: %s", got)
	}
	if got := q.Only("since").And(parse(t, "word")).String(); got != "word since:7d" {
		t.Errorf("only: %s", got)
	}
	if !q.Finds() || parse(t, "-draft status:error").Finds() || !q.Has("x", "file") || q.Has("tag") || q.IsZero() || !parse(t, "").IsZero() {
		t.Error("what the query has is wrong")
	}
}

func TestLast(t *testing.T) {
	for text, want := range map[string]string{
		"fix project:par": "project=par;fix project:new ", "project:": "project=;project:new ", "project:a ": "", "fix": "", "": "",
		`project:"my pro`: "project=my pro;project:new ", "status:error,pen": "status=pen;status:error,new ", "-tag:": "tag=;-tag:new ", `a tag:"x" `: "",
	} {
		got := ""
		if open, ok := query.Last(text); ok {
			got = open.Filter.Name + "=" + open.Value + ";" + open.With("new")
		}
		if got != want {
			t.Errorf("Last(%q) = %q, want %q", text, got, want)
		}
	}
}

// What is being typed may be incomplete: the word at the end is a prefix, and the
// start of a value is no error.
func TestTyped(t *testing.T) {
	for text, want := range map[string]string{
		"fix pars": "fix pars*", "fix pars ": "fix pars", "a": "a", `"fix pars`: `"fix pars"`, "-pars": "-pars*", "re:pars": "re:pars", "fix status:pending": "fix status:pending",
		"fix status:": "fix", "status:pen": "", "status:error,p": "", "cost:>": "", "source:cl": "", "a status:odd": "a !", "status:pen x": "x !", "stauts:e": "!",
	} {
		q, err := query.Typed(text, env())
		got := q.String()
		if err != nil {
			got = strings.TrimSpace(got + " !")
		}
		if got != want {
			t.Errorf("Typed(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestJoin(t *testing.T) {
	for want, args := range map[string][]string{
		"":                              nil,
		"a b status:error":              {"a b status:error"},
		`"a b" status:error`:            {"a b", "status:error"},
		`project:"my app" -tag:"to do"`: {"project:my app", "-tag:to do"},
		`"see: this" x`:                 {"see: this", "x"},
		`a "b c"`:                       {"a", `"b c"`},
	} {
		if got := query.Join(args); got != want {
			t.Errorf("Join(%q) = %s, want %s", args, got, want)
		}
	}
}

func parse(t *testing.T, text string) query.Query {
	t.Helper()
	q, err := query.Parse(text, env())
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return q
}

// Parsing never panics, and what String prints is parsed to the same query.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`parser "a b" conf* -draft re:"x y" status:error,pending -tag:"a,b" cost:>5`, `"`, `-`, `--`, `re:`, `-re:"a""b`, `status:`, `a:b`, `x:,`,
		"\u00a0a\u2028b", `project:"a"b,`, `""x`, `"a""`, "error:\u00a0x", "name:é-,\"", `RE:x Tag:Y`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, _ := query.Parse(text, env())
		again, err := query.Parse(q.String(), env())
		if err != nil {
			t.Fatalf("%q is printed as %q: %v", text, q, err)
		}
		if describe(again) != describe(q) || again.String() != q.String() || !reflect.DeepEqual(words(again), words(q)) {
			t.Fatalf("%q is printed as %q, which is %q", text, q, again)
		}
		query.Last(text)
		query.Join([]string{text, text})
	})
}

func words(q query.Query) (out []query.Word) {
	for _, w := range q.Words {
		w.Expr = nil
		out = append(out, w)
	}
	return out
}
