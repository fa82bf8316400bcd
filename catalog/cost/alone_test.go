package cost_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
)

// Sums that are kept with sessions give the report of all responses: only
// sessions that share none are counted by their sums.
func TestAlone(t *testing.T) {
	const day = "2026-02-01T10:"
	answers := func(from, to int) (lines []string) {
		for i := from; i < to; i++ {
			lines = append(lines, answer(fmt.Sprintf("a%07d", i), fmt.Sprintf(day+"%02d:01.000Z", i%60), "", i))
		}
		return lines
	}
	dir := t.TempDir()
	begin := func(id string, lines ...string) {
		write(t, filepath.Join(dir, "2026_"+id+".jsonl"), id, day+"00:00.000Z", "/w", lines...)
	}
	begin("one", answers(1, 20)...)
	begin("two", answers(20, 50)...)
	begin("none")
	begin("nothing")
	begin("original", answers(50, 60)...)
	begin("copy", append(answers(50, 55), answers(60, 65)...)...)
	begin("parent", answers(70, 80)...) // two branches, of which a fork has the second
	child := write(t, filepath.Join(dir, "fork.jsonl"), "fork", day+"30:00.000Z", "/w", answers(75, 80)...)
	begin("twice", append(answers(90, 92), answers(91, 93)...)...)
	begin("runs", call, result(30, ""))
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Dir: dir, IncludeInternal: true, Responses: true}))
	if err != nil || len(infos) != 10 {
		t.Fatalf("%d sessions, %v", len(infos), err)
	}
	sums := map[string]string{}
	for i := range infos {
		if infos[i].Path == child {
			infos[i].ParentSession = `C:\sessions\2026_parent.jsonl`
		}
		sums[infos[i].Path] = string(cost.Sum(infos[i].Responses))
	}
	sumOf := func(path string) string { return sums[path] }
	report := func(o cost.Options) any {
		t.Helper()
		l, err := cost.Count(t.Context(), infos, o)
		if err != nil {
			t.Fatal(err)
		}
		copies, again := l.Copies()
		return []any{copies, again, l.Total(), l.By(cost.Days(time.UTC)), l.By(func(r *cost.Response) string { return l.Sessions[r.Session].ID + r.Model + string(r.Kind) })}
	}
	alone := cost.Alone(infos, sumOf, time.UTC)
	var got []string
	for i := range infos {
		if _, ok := alone[infos[i].Path]; ok {
			got = append(got, infos[i].ID)
		}
	}
	if want := map[string]bool{"one": true, "two": true, "none": true, "nothing": true}; len(got) != len(want) || !want[got[0]] || !want[got[1]] || !want[got[2]] || !want[got[3]] {
		t.Errorf("alone are %q; want %v", got, want)
	}
	all := report(cost.Options{})
	if diff := cmp.Diff(all, report(cost.Options{Days: time.UTC, Alone: alone})); diff != "" {
		t.Errorf("(-responses +sums)\n%s", diff)
	}
	if odd := cost.Alone(infos, sumOf, time.FixedZone("odd", 44*60+30)); len(odd) != 2 {
		t.Errorf("in a zone whose days begin within a sum, %d sessions are counted by sums; want the 2 without responses", len(odd))
	}
	// Sums need not be trusted.
	liar := infos[slices.IndexFunc(infos, func(i catalog.Info) bool { return i.ID == "one" })].Path
	text, used := sums[liar], 0
	for n := range len(text) {
		for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			for _, lie := range []string{text[:n] + string([]byte{b}) + text[n+1:], text[:n]} {
				sums[liar] = lie
				for _, r := range cost.Alone(infos, sumOf, time.UTC)[liar] {
					used++
					if r.Count < 1 || min(r.Input, r.Output, r.CacheRead, r.CacheWrite, r.Tokens, int64(r.Cost)) < 0 {
						t.Fatalf("Alone(%q) = %+v", lie, r)
					}
				}
			}
		}
	}
	if used == 0 {
		t.Error("no wrong sum was used")
	}
}
