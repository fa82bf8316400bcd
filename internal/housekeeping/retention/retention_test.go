package retention_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/housekeeping/retention"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// session returns a session of 10 bytes that was used the given number of days
// ago.
func session(id string, days int, change ...func(*catalog.Info)) catalog.Info {
	at := now.AddDate(0, 0, -days)
	s := catalog.Info{
		Path: "/s/" + id + ".jsonl", ID: id, Cwd: "/w", Root: catalog.RootPi, Size: 10, Modified: at, FileTime: at,
		Status: catalog.StatusComplete, MessageCount: 2,
	}
	for _, f := range change {
		f(&s)
	}
	return s
}

func empty(s *catalog.Info) { s.Status, s.MessageCount = catalog.StatusEmpty, 0 }
func named(s *catalog.Info) { s.Name = "a name" }
func child(of string) func(*catalog.Info) {
	return func(s *catalog.Info) { s.ParentSession = "/s/" + of + ".jsonl" }
}
func at(cwd string) func(*catalog.Info)    { return func(s *catalog.Info) { s.Cwd = cwd } }
func root(name string) func(*catalog.Info) { return func(s *catalog.Info) { s.Root = name } }
func touched(s *catalog.Info)              { s.FileTime = now.Add(-time.Minute) }

func TestChoose(t *testing.T) {
	list := []catalog.Info{
		session("young", 1), session("old", 100), session("older", 200), session("named", 100, named), session("pin", 300),
		session("parent", 100), session("kid", 100, child("parent")), session("blank", 3, empty), session("fresh", 0, empty),
		session("other", 150, at("/v")), session("atomic", 500, root(catalog.RootAtomic)), session("touched", 100, touched),
	}
	before := now.AddDate(0, 0, -90)
	tests := map[string]struct {
		rules retention.Rules
		want  string
		freed int64
		short int64
	}{
		"nothing asked": {},
		"age": {retention.Rules{Before: before},
			"atomic old/foreign pin old/pinned older old other old kid old named old/named old old parent old/children touched old/in use", 40, 0},
		"age, names too": {retention.Rules{Before: before, Named: true},
			"atomic old/foreign pin old/pinned older old other old kid old named old old old parent old/children touched old/in use", 50, 0},
		"age, keep some": {retention.Rules{Before: before, Keep: 3},
			"atomic old/foreign pin old/pinned older old other old/kept kid old named old/named old old parent old/children touched old/in use", 30, 0},
		"empty": {retention.Rules{Empty: true}, "blank empty fresh empty/in use", 10, 0},
		"keep alone": {retention.Rules{Keep: 4},
			"atomic beyond/foreign pin beyond/pinned older beyond kid beyond named beyond/named old beyond parent beyond/children touched beyond/in use fresh beyond/in use", 30, 0},
		"size":           {retention.Rules{MaxSize: 100}, "older size other size", 20, 0},
		"size, no way":   {retention.Rules{MaxSize: 5}, "older size other size kid size old size blank size young size", 60, 55},
		"size that fits": {retention.Rules{MaxSize: 120}, "", 0, 0},
		"age, then size": {retention.Rules{Empty: true, MaxSize: 100}, "blank empty fresh empty/in use older size", 20, 0},
	}
	projects := map[string]int{"/w": 0, "/v": 1}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.rules.Now = now
			p := retention.Choose(list, tt.rules, func(i int) int { return projects[list[i].Cwd] }, func(i int) bool { return list[i].ID == "pin" })
			var got []string
			for _, v := range p.Verdicts {
				text := fmt.Sprintf("%s %s", list[v.Session].ID, v.Why)
				if v.Stays != "" {
					text += "/" + string(v.Stays)
				}
				got = append(got, text)
			}
			if strings.Join(got, " ") != tt.want || p.Freed != tt.freed || p.Short != tt.short || p.Freed != int64(10*len(p.Goes())) {
				t.Errorf("Choose(%+v) = %v, freed %d, short %d; want %s, %d, %d", tt.rules, got, p.Freed, p.Short, tt.want, tt.freed, tt.short)
			}
			if (tt.rules.Any()) != (name != "nothing asked") {
				t.Errorf("Any = %t", tt.rules.Any())
			}
		})
	}
}

// A session whose leaf was moved before its first message is not empty.
func TestChooseNotEmpty(t *testing.T) {
	back := session("back", 30, func(s *catalog.Info) { s.Status = catalog.StatusEmpty })
	plan := retention.Choose([]catalog.Info{back}, retention.Rules{Empty: true, Now: now}, func(int) int { return 0 }, func(int) bool { return false })
	if len(plan.Verdicts) != 0 {
		t.Errorf("Choose = %+v; want that it stays", plan.Verdicts)
	}
}
