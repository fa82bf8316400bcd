package cost_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/tests/corpus"
)

// Saved sums give the same report as all responses, in every zone, whatever
// becomes of the sessions or of the saved file.
func TestSums(t *testing.T) {
	home, cache := t.TempDir(), t.TempDir()
	root := filepath.Join(home, ".pi", "agent", "sessions")
	if err := corpus.Store(root, corpus.StoreOptions{Sessions: 12, Bytes: 600_000, Projects: 2}); err != nil {
		t.Fatal(err)
	}
	// One response every 50 seconds over the night in which the clocks change,
	// every third of them free.
	var night bytes.Buffer
	fmt.Fprintln(&night, `{"type":"session","version":3,"id":"night","timestamp":"2026-03-28T20:00:00.000Z","cwd":"/p"}`)
	for i, at := 0, time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC); i < 900; i, at = i+1, at.Add(50*time.Second) {
		fmt.Fprintf(&night, `{"type":"message","id":"%08x","timestamp":%q,"message":{"role":"assistant","content":[],"provider":"p","model":"m%d","usage":{"input":%d,"output":1,"totalTokens":%d,"cost":{"total":%d}}}}`+"\n",
			i, at.Format(time.RFC3339), i%2, i, i+1, i%3)
	}
	file := filepath.Join(root, "--p--", "night.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, night.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	age := func(path string) {
		t.Helper()
		old = old.Add(time.Second)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	list := func() []catalog.Info {
		t.Helper()
		infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Home: home, Getenv: func(string) string { return "" }}))
		if err != nil {
			t.Fatal(err)
		}
		return infos
	}
	for _, info := range list() {
		age(info.Path)
	}
	zones := []*time.Location{time.UTC, time.FixedZone("half", 5*3600+1800), time.FixedZone("odd", 44*60+30)}
	for _, name := range []string{"America/St_Johns", "Europe/Berlin", "Asia/Kathmandu"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones = append(zones, zone)
	}
	report := func(l *cost.Ledger, zone *time.Location) (out []any) {
		copies, again := l.Copies()
		return append(out, copies, again, l.Total(), l.By(cost.Days(zone)), l.By(cost.Months(zone)),
			l.By(func(r *cost.Response) string { return r.Model + " " + string(r.Kind) }),
			l.By(func(r *cost.Response) string { return l.Sessions[r.Session].Path }))
	}
	count := func() *cost.Ledger {
		t.Helper()
		l, err := cost.Count(t.Context(), list(), cost.Options{CacheDir: cache, Days: time.UTC})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	hasSums := func(l *cost.Ledger) bool {
		return slices.ContainsFunc(l.Responses, func(r cost.Response) bool { return r.Count > 1 })
	}
	check := func(what string, shorter bool) {
		t.Helper()
		t.Log(what)
		for range 2 { // the second time from what the first has saved
			for _, zone := range zones {
				infos := list()
				all, err := cost.Count(t.Context(), infos, cost.Options{})
				if err != nil {
					t.Fatal(err)
				}
				sums, err := cost.Count(t.Context(), infos, cost.Options{CacheDir: cache, Days: zone})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(report(all, zone), report(sums, zone)); diff != "" {
					t.Fatalf("%s, in %v (-responses +sums)\n%s", what, zone, diff)
				}
				start := time.Date(2026, 3, 29, 0, 0, 0, 0, zone)
				end := start.Add(105 * time.Minute)
				if cost.Divides(start) {
					continue
				}
				for _, limits := range [][2]time.Time{{start}, {{}, end}, {start, end}} {
					a, b := all.Between(limits[0], limits[1]), sums.Between(limits[0], limits[1])
					if diff := cmp.Diff(report(a, zone), report(b, zone)); diff != "" {
						t.Fatalf("%s, in %v, between %v (-responses +sums)\n%s", what, zone, limits, diff)
					}
				}
			}
		}
		if summed := hasSums(count()); summed != shorter {
			t.Errorf("%s: the ledger has sums: %v; want %v", what, summed, shorter)
		}
	}
	day := time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC)
	for limit, want := range map[time.Time]bool{{}: false, day: false, day.In(zones[1]).Add(45 * time.Minute): false, day.Add(1): true, day.Add(-time.Minute): true} {
		if got := cost.Divides(limit); got != want {
			t.Errorf("Divides(%v) = %v, want %v", limit, got, want)
		}
	}
	check("at first", true)

	copied := filepath.Join(filepath.Dir(file), "copy.jsonl")
	if err := os.WriteFile(copied, bytes.Replace(night.Bytes(), []byte("20:00:00.000Z"), []byte("19:00:00.000Z"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	for fast := false; !fast; { // again on a machine that took too long
		now := time.Now()
		if err := os.Chtimes(copied, now, now); err != nil {
			t.Fatal(err)
		}
		count()
		summed := hasSums(count())
		if fast = time.Since(now) < 2*time.Second; fast && summed {
			t.Error("there are sums with an older copy that was just written")
		}
	}
	age(copied)
	check("the copy", true)
	if err := os.Remove(copied); err != nil {
		t.Fatal(err)
	}
	check("the copy is gone", true)

	other := bytes.ReplaceAll(night.Bytes(), []byte(`"output":1`), []byte(`"output":9`))
	stat, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".tmp", other, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file+".tmp", stat.ModTime(), stat.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".tmp", file); err != nil {
		t.Fatal(err)
	}
	check("replaced, same size and time", true)

	db, err := sql.Open("sqlite", catalog.IndexFiles(cache)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var text []byte
	if err := db.QueryRow("SELECT found FROM scan WHERE kind = 'sums'").Scan(&text); err != nil {
		t.Fatal(err)
	}
	places := 12
	if testing.Short() {
		places = 2
	}
	for at := 0; at < len(text); at += 1 + len(text)/places {
		damaged := slices.Clone(text)
		damaged[at] ^= 0x20
		for _, text := range [][]byte{damaged, text[:at]} {
			if _, err := db.Exec("UPDATE scan SET found = ? WHERE kind = 'sums'", text); err != nil {
				t.Fatal(err)
			}
			check(fmt.Sprint("damaged at ", at), true)
		}
	}

	// The results of subagents depend on files that are not sessions.
	run := `{"type":"message","id":"ffffffff","timestamp":"2026-03-28T21:00:00Z","message":{"role":"toolResult","toolName":"subagent","toolCallId":"c","content":[],"details":{"results":[]},"usage":{"input":5,"totalTokens":5}}}` + "\n"
	if err := os.WriteFile(file, append(other, run...), 0o600); err != nil {
		t.Fatal(err)
	}
	age(file)
	check("with a result of subagents", false)
}
