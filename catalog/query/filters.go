package query

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/sessiondir"
)

// A Filter is a row of the table of filters.
type Filter struct {
	// Name is what is typed before the colon, and Value a placeholder for what
	// is typed after it.
	Name, Value string
	// About describes the sessions or entries that pass.
	About string
	// Flag means that people type this filter so often that commands also have
	// a flag of its name.
	Flag bool
	// OfEntries means that the filter chooses entries, and not sessions.
	OfEntries bool
	// Values are the values of a filter that takes only a few.
	Values []string

	use   string // describes values, if any text can be one
	parse func(text string, env *Env) (test, bool)
}

// A test decides whether a session or an entry has a value.
type test struct {
	session func(*Session) bool
	entry   func(Entry) bool
	time    time.Time // of since and until
}

const (
	sinceName = "since"
	untilName = "until"
	timeUse   = "2026-01-31, 2026-01-31T15:04, 12h, 7d, yesterday or last-week"
)

var yesNo = []string{"yes", "no"}

// Filters are all filters. since and until apply to what is chosen: to the last
// use of a session, or to the time of an entry.
var Filters = []Filter{
	{Name: "project", Value: "PROJECT", Flag: true, About: "sessions of this PROJECT, a directory or part of its path", parse: ofProject},
	{Name: "source", Value: "AGENT", Flag: true, About: "sessions of this AGENT: pi, claude, codex, ...", parse: ofSource},
	{Name: "status", Value: "STATUS", Flag: true, About: "sessions with this STATUS: " + strings.Join(statuses(), ", "), Values: statuses(), parse: hasStatus},
	{Name: "model", Value: "TEXT", Flag: true, About: "sessions whose last model contains TEXT", parse: contains(func(s *Session) string { return s.Model })},
	{Name: sinceName, Value: "TIME", Flag: true, About: "sessions used since TIME: 2026-01-31, 12h, 7d, yesterday", use: timeUse, parse: since},
	{Name: untilName, Value: "TIME", Flag: true, About: "sessions last used until TIME", use: timeUse, parse: until},
	{Name: "cost", Value: ">N", About: "sessions that cost more than N dollars; also <, <=, >=, =", use: "cost:>5, cost:<=0.1 or cost:=2", parse: compared(parseDollars, costOf)},
	{Name: "size", Value: ">SIZE", About: "sessions larger than SIZE; also <, <=, >=, =", use: "size:>1MB or size:<=500KB", parse: compared(parseSize, sizeOf)},
	{Name: "name", Value: "TEXT", About: "sessions whose name contains TEXT", parse: contains(func(s *Session) string { return s.Name })},
	{Name: "tag", Value: "TAG", About: "sessions with this TAG", parse: hasTag},
	{Name: "archived", Value: "yes", About: "archived sessions", Values: yesNo, parse: yes(func(s *Session) bool { return s.Archived || s.Info.Archived })},
	{Name: "internal", Value: "yes", About: "sessions that programs made for their own use", Values: yesNo, parse: yes(func(s *Session) bool { return s.Internal })},
	{Name: "role", Value: "ROLE", OfEntries: true, About: "entries of this ROLE: " + strings.Join(Roles, ", "), Values: Roles, parse: hasRole},
	{Name: "tool", Value: "NAME", OfEntries: true, About: "calls of the tool NAME, and their results", parse: hasTool},
	{Name: "file", Value: "TEXT", OfEntries: true, About: "tool calls with TEXT in a path, and their results", parse: hasFile},
	{Name: "branch", Value: "active", OfEntries: true, About: "entries on the active path", Values: []string{"active"}, parse: isActive},
}

// find returns the filter with a name, in lower case, or nil.
func find(name string) *Filter {
	for i := range Filters {
		if Filters[i].Name == name {
			return &Filters[i]
		}
	}
	return nil
}

// IsFilter reports whether a word is the name of a filter, or re.
func IsFilter(name string) bool {
	name = strings.ToLower(name)
	return name == "re" || find(name) != nil
}

// known returns the values that a filter takes, or nil if it takes any text.
func (f *Filter) known(env *Env) []string {
	if f.Name == "source" {
		return Sources(env.Catalog, env.Cwd)
	}
	return f.Values
}

func statuses() []string {
	out := make([]string, len(catalog.Statuses))
	for i, s := range catalog.Statuses {
		out[i] = string(s)
	}
	return out
}

// Sources returns the values of the filter source: the agents whose sessions can
// be read, installed or not, and the pi-compatible agents that have sessions
// here.
func Sources(o catalog.Options, cwd string) []string {
	names := []string{catalog.RootPi, catalog.RootAtomic, catalog.RootOhMyPi, catalog.RootOpenClaw}
	for _, p := range all.Programs() {
		names = append(names, p.Name())
	}
	o.Sources = nil
	for _, r := range catalog.Roots(o, cwd) {
		if r.Name != catalog.RootCustom && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

func ofSource(text string, env *Env) (test, bool) {
	name := strings.ToLower(text)
	return test{session: func(s *Session) bool {
		return s.Root == name || name == catalog.RootPi && (s.Root == catalog.RootCustom || s.Root == "")
	}}, slices.Contains(Sources(env.Catalog, env.Cwd), name)
}

func hasStatus(text string, _ *Env) (test, bool) {
	status := catalog.Status(strings.ToLower(text))
	return test{session: func(s *Session) bool { return s.Status == status }}, slices.Contains(catalog.Statuses, status)
}

func contains(field func(*Session) string) func(string, *Env) (test, bool) {
	return func(text string, _ *Env) (test, bool) {
		part := strings.ToLower(text)
		return test{session: func(s *Session) bool { return strings.Contains(strings.ToLower(field(s)), part) }}, true
	}
}

func yes(field func(*Session) bool) func(string, *Env) (test, bool) {
	return func(text string, _ *Env) (test, bool) {
		want := strings.ToLower(text)
		return test{session: func(s *Session) bool { return field(s) == (want == "yes") }}, slices.Contains(yesNo, want)
	}
}

func hasTag(text string, _ *Env) (test, bool) {
	return test{session: func(s *Session) bool {
		return slices.ContainsFunc(s.Tags, func(tag string) bool { return strings.EqualFold(tag, text) })
	}}, true
}

func since(text string, env *Env) (test, bool) {
	t, ok := catalog.ParseStart(text, env.Now)
	return test{time: t, session: func(s *Session) bool { return !s.Modified.Before(t) }, entry: func(e Entry) bool { return !e.When().Before(t) }}, ok
}

func until(text string, env *Env) (test, bool) {
	t, ok := catalog.ParseEnd(text, env.Now)
	return test{time: t, session: func(s *Session) bool { return s.Modified.Before(t) }, entry: func(e Entry) bool { return e.When().Before(t) }}, ok
}

func hasRole(text string, _ *Env) (test, bool) {
	role := strings.ToLower(text)
	return test{entry: func(e Entry) bool { return e.Role() == role }}, slices.Contains(Roles, role)
}

func hasTool(text string, _ *Env) (test, bool) {
	return test{entry: func(e Entry) bool { return e.HasTool(text) }}, true
}

func hasFile(text string, _ *Env) (test, bool) {
	return test{entry: func(e Entry) bool { return e.HasFile(text) }}, true
}

func isActive(text string, _ *Env) (test, bool) {
	return test{entry: Entry.Active}, strings.EqualFold(text, "active")
}

func ofProject(text string, env *Env) (test, bool) {
	within := Within(text, env.Cwd)
	return test{session: func(s *Session) bool { return within(s.Cwd) }}, true
}

// Within returns a predicate for the working directories that the filter project
// lets pass. An absolute path, or one that starts with ., .. or ~, names an
// existing directory: the project there and those below it. Other text is part
// of a path, whatever its letter case.
func Within(text, cwd string) func(dir string) bool {
	part := strings.ToLower(filepath.ToSlash(text))
	contains := func(dir string) bool { return strings.Contains(strings.ToLower(filepath.ToSlash(dir)), part) }
	if !filepath.IsAbs(text) && !strings.HasPrefix(text, "~") && (cwd == "" || !strings.HasPrefix(text, ".")) {
		return contains
	}
	top := sessiondir.ExpandPath(text, cwd)
	info, err := os.Stat(top)
	if err != nil || !info.IsDir() {
		if top != "" { // a directory that is gone
			part = strings.ToLower(filepath.ToSlash(top))
		}
		return contains
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	same := map[string]bool{} // asking the file system is slow
	below := strings.TrimSuffix(top, string(filepath.Separator)) + string(filepath.Separator)
	return func(dir string) bool {
		if strings.HasPrefix(dir, below) {
			return true
		}
		is, known := same[dir]
		if !known {
			is = sessiondir.SameProject(top, dir)
			same[dir] = is
		}
		return is
	}
}

// compared returns the parser of a filter that compares a number. Without an
// operator the number is the least that passes. A session whose number is
// unknown passes no comparison.
func compared(parse func(string) (int64, bool), of func(*Session) (int64, bool)) func(string, *Env) (test, bool) {
	return func(text string, _ *Env) (test, bool) {
		number := strings.TrimLeft(text, "<>=")
		operator := text[:len(text)-len(number)]
		want, ok := parse(number)
		holds := func(n int64) bool { return n >= want }
		switch operator {
		case "", ">=":
		case ">":
			holds = func(n int64) bool { return n > want }
		case "<":
			holds = func(n int64) bool { return n < want }
		case "<=":
			holds = func(n int64) bool { return n <= want }
		case "=":
			holds = func(n int64) bool { return n == want }
		default:
			ok = false
		}
		return test{session: func(s *Session) bool {
			n, known := of(s)
			return known && holds(n)
		}}, ok
	}
}

func sizeOf(s *Session) (int64, bool) { return s.Size, true }

// costOf returns the cost of a session in millionths of a dollar. It is unknown
// if no call has a price; otherwise calls without one do not count.
func costOf(s *Session) (int64, bool) {
	return s.Spent.Cost.Micros(), s.Spent.Cost > 0 || s.Spent.Unpriced == 0
}

func parseDollars(text string) (micros int64, ok bool) {
	dollars, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err != nil || !(dollars >= 0 && dollars <= 1e9) { // NaN is neither
		return 0, false
	}
	return int64(math.Round(dollars * 1e6)), true
}

// parseSize parses a number of bytes, such as 500KB or 10MB.
func parseSize(text string) (bytes int64, ok bool) {
	upper := strings.ToUpper(text)
	number := strings.TrimRight(upper, "BKMGTI")
	n, err := strconv.ParseFloat(number, 64)
	factors := map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "KI": 1 << 10, "MI": 1 << 20, "GI": 1 << 30, "TI": 1 << 40}
	factor, known := factors[strings.TrimSuffix(upper[len(number):], "B")]
	if err != nil || !known || !(n >= 0 && n*factor <= 1e18) { // NaN is neither
		return 0, false
	}
	return int64(n * factor), true
}
