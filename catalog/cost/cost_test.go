package cost_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/inspect/diff"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/tests/corpus"
)

// write writes a session of a header and other lines.
func write(t *testing.T, path, id, created, cwd string, lines ...string) string {
	t.Helper()
	head, err := json.Marshal(map[string]any{"type": "session", "version": 3, "id": id, "timestamp": created, "cwd": cwd})
	if err != nil {
		t.Fatal(err)
	}
	text := string(head) + "\n" + strings.Join(lines, "\n") + "\n"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// spent returns a usage that costs the given number of cents.
func spent(cents int) string {
	return fmt.Sprintf(`{"input":%d,"output":1,"cacheRead":2,"cacheWrite":3,"totalTokens":%d,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":%g}}`,
		cents, cents+6, float64(cents)/100)
}

// answer is a response of an assistant; name is its responseId.
func answer(id, at, name string, cents int) string {
	if name != "" {
		name = `,"responseId":"` + name + `"`
	}
	return `{"type":"message","id":"` + id + `","parentId":null,"timestamp":"` + at + `","message":{"role":"assistant","content":[{"type":"text","text":"the \"usage\" of it"}],"provider":"p","model":"m"` +
		name + `,"usage":` + spent(cents) + `,"stopReason":"stop","timestamp":1}}`
}

// call and result are those of a subagent.
const call = `{"type":"message","id":"c0000001","parentId":null,"timestamp":"2026-02-01T10:00:00.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"call1","name":"subagent","arguments":{"agent":"scout","task":"look"}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":2}}`

func result(cents int, sessionFile string) string {
	file, err := json.Marshal(sessionFile)
	if err != nil {
		panic(err) // a string is always JSON
	}
	return `{"type":"message","id":"d0000001","parentId":"c0000001","timestamp":"2026-02-01T10:01:00.000Z","message":{"role":"toolResult","toolCallId":"call1","toolName":"subagent","content":[],"usage":` + spent(cents) +
		`,"details":{"mode":"single","runId":"run1","results":[{"index":0,"agent":"scout","model":"small","exitCode":0,"usage":` + spent(cents) + `,"sessionFile":` + string(file) + `}]},"isError":false,"timestamp":3}}`
}

// count counts the sessions of a directory.
func count(t *testing.T, dir string) *cost.Ledger {
	t.Helper()
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Dir: dir, IncludeInternal: true}))
	if err != nil {
		t.Fatal(err)
	}
	l, err := cost.Count(t.Context(), infos, cost.Options{Skipped: func(path string, err error) { t.Errorf("skipped %s: %v", path, err) }})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func wants(t *testing.T, l *cost.Ledger, cents int64) {
	t.Helper()
	if got := l.Total(); got.Cost.Micros() != cents*10_000 {
		t.Errorf("Total = %+v; want %d cents, of %+v", got, cents, l.Responses)
	}
}

// 36 forks of a session that cost $6: $6, not $214 (pitfall 136).
func TestForksCountOnce(t *testing.T) {
	dir := t.TempDir()
	first := write(t, filepath.Join(dir, "a.jsonl"), "a", "2026-02-01T10:00:00.000Z", "/w",
		answer("a0000001", "2026-02-01T10:00:01.000Z", "", 200), answer("a0000002", "2026-02-01T10:00:02.000Z", "msg_2", 394))
	for i := range 36 {
		s, err := pith.ForkFrom(t.Context(), first, pith.Options{Cwd: t.TempDir(), Dir: dir, Now: func() time.Time { return time.Date(2026, 2, 2, 0, 0, i, 0, time.UTC) }})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	l := count(t, dir)
	wants(t, l, 594)
	copies, again := l.Copies()
	if len(l.Sessions) != 37 || copies != 72 || again.Cost.Micros() != 36*5_940_000 {
		t.Errorf("%d sessions, %d copies, again %d; want 37, 72 and 36 times the cost", len(l.Sessions), copies, again.Cost.Micros())
	}
	day := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	for name, part := range map[string]*cost.Ledger{
		"72, since the day":   l.Between(day, time.Time{}),
		"0, since the next":   l.Between(day.AddDate(0, 0, 1), time.Time{}),
		"0, until the day":    l.Between(time.Time{}, day),
		"2, of the first two": l.Where(func(r *cost.Response) bool { return r.Session < 2 }),
	} {
		if n, _ := part.Copies(); fmt.Sprint(n) != strings.Split(name, ",")[0] {
			t.Errorf("%d copies; want %s", n, name)
		}
	}
	for _, r := range l.Responses {
		if l.Sessions[r.Session].Path != first {
			t.Errorf("a response belongs to %s; want the session where it was made", l.Sessions[r.Session].Path)
		}
	}
	// U3: without the parent its forks still have what it shared.
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	wants(t, count(t, dir), 594)
}

func TestWhatIsAResponse(t *testing.T) {
	const at = "2026-02-01T10:00:01.000Z"
	entry := func(kind, more string) string {
		return `{"type":"` + kind + `","id":"e1","parentId":null,"timestamp":"` + at + `"` + more + `,"usage":` + spent(5) + `}`
	}
	tests := map[string]struct {
		lines []string
		cents int64
		model string
	}{
		"answers with one text":         {lines: []string{answer("a1", at, "", 5), answer("a2", at, "", 5)}, cents: 10, model: "p/m"},
		"one name, new ids":             {lines: []string{answer("a1", at, "msg", 5), answer("a2", at, "msg", 5)}, cents: 5, model: "p/m"},
		"a server with one name":        {lines: []string{answer("a1", at, "chatcmpl-0", 5), answer("a2", at, "chatcmpl-0", 6)}, cents: 11, model: "p/m"},
		"same entry twice":              {lines: []string{answer("a1", at, "", 5), answer("a1", at, "", 5)}, cents: 5, model: "p/m"},
		"accounting":                    {lines: []string{entry("usage", `,"kind":"title","provider":"q","model":"n"`)}, cents: 5, model: "q/n"},
		"oh-my-pi's accounting":         {lines: []string{entry("model_usage", `,"purpose":"title","provider":"q","model":"n"`)}, cents: 5, model: "q/n"},
		"compaction":                    {lines: []string{entry("compaction", `,"summary":"s","firstKeptEntryId":"x","tokensBefore":1`)}, cents: 5},
		"branch summary":                {lines: []string{entry("branch_summary", `,"summary":"s","fromId":"x"`)}, cents: 5},
		"usage of an unknown entry":     {lines: []string{entry("later", ``)}},
		"tool":                          {lines: []string{`{"type":"message","id":"t1","timestamp":"` + at + `","message":{"role":"toolResult","toolCallId":"x","toolName":"ask","content":[],"usage":` + spent(5) + `}}`}, cents: 5},
		"not the member of the message": {lines: []string{`{"type":"message","id":"t1","timestamp":"` + at + `","message":{"role":"user","content":[],"usage":` + spent(5) + `}}`}},
		"two records on a line":         {lines: []string{answer("a1", at, "", 5) + answer("a2", at, "", 6)}, cents: 11, model: "p/m"}, // pitfall 4
		"behind a torn record":          {lines: []string{`{"type":"message","id":"x","mess` + answer("a2", at, "", 6)}, cents: 6, model: "p/m"},
		"a torn line":                   {lines: []string{answer("a1", at, "", 5), answer("a2", at, "", 6)[:200]}, cents: 5, model: "p/m"},
		"parts of a price":              {lines: []string{`{"type":"usage","id":"u","timestamp":"` + at + `","usage":{"input":1,"cost":{"input":0.02,"output":0.03}}}`}, cents: 5},
		"a price as a number":           {lines: []string{`{"type":"usage","id":"u","timestamp":"` + at + `","usage":{"input":1,"cost":0.05}}`}, cents: 5},
		"below nothing":                 {lines: []string{`{"type":"usage","id":"u","timestamp":"` + at + `","usage":{"input":-7,"cost":{"total":-1}}}`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "a.jsonl"), "a", "2026-02-01T10:00:00.000Z", "/w", tt.lines...)
			l := count(t, dir)
			wants(t, l, tt.cents)
			for _, r := range l.Responses {
				if r.Model != tt.model || r.Time.Format(time.RFC3339) != "2026-02-01T10:00:01Z" {
					t.Errorf("response %+v; want model %q and the time of its entry", r, tt.model)
				}
			}
		})
	}
}

// A request that keeps a prompt cache alive costs, and is not a response.
func TestCacheWarmsAreNotResponses(t *testing.T) {
	dir := t.TempDir()
	lines := []string{answer("a0000001", "2026-02-01T10:00:01.000Z", "", 5)}
	for i := range 6 {
		lines = append(lines, fmt.Sprintf(`{"type":"usage","id":"u%d","parentId":"a0000001","timestamp":"2026-02-01T10:0%d:00.000Z","kind":"cache_warm","provider":"p","model":"m","usage":%s}`, i, i+4, spent(1)))
	}
	first := write(t, filepath.Join(dir, "a.jsonl"), "a", "2026-02-01T10:00:00.000Z", "/w", lines...)
	if s, err := pith.ForkFrom(t.Context(), first, pith.Options{Cwd: t.TempDir(), Dir: dir}); err != nil {
		t.Fatal(err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	l := count(t, dir)
	wants(t, l, 11)
	copies, again := l.Copies()
	if got := l.Total(); got.Responses != 1 || got.CacheWarms != 6 || copies != 1 || again.Cost.Micros() != 110_000 {
		t.Errorf("Total = %+v, %d copies of %d; want 1 response, 6 cache warms and 1 copy of 11 cents", got, copies, again.Cost.Micros())
	}
}

// The cost of a run is recorded by its result, by the message around it and by
// the child's own session, in the parent and in its forks. It counts once.
func TestSubagentsCountOnce(t *testing.T) {
	const created = "2026-02-01T10:00:00.000Z"
	child := answer("k0000001", "2026-02-01T10:00:30.000Z", "", 30)
	for name, tt := range map[string]struct {
		child string // the path of the child's session, below the directory
		kind  cost.Kind
	}{
		"result alone":           {kind: cost.Subagent},
		"child beside":           {child: "child.jsonl", kind: cost.Answer},
		"child in the artifacts": {child: "p/run1/run-0/session.jsonl", kind: cost.Answer},
		"child elsewhere":        {child: "../elsewhere/child.jsonl", kind: cost.Answer},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "sessions")
			named := filepath.Join(dir, "gone.jsonl")
			if tt.child != "" {
				// Entries that the child copied from its parent belong to the
				// parent.
				named = write(t, filepath.Join(dir, tt.child), "child", "2026-02-01T10:00:20.000Z", "/w", answer("a1", created, "", 7), child)
			}
			if strings.HasPrefix(tt.child, "p/") {
				named = "" // found by its place, which a fork of the parent does not have
			}
			lines := []string{answer("a1", created, "", 7), call, result(30, named)}
			write(t, filepath.Join(dir, "p.jsonl"), "parent", created, "/w", lines...)
			write(t, filepath.Join(dir, "fork.jsonl"), "fork", "2026-02-03T10:00:00.000Z", "/w", lines...)
			l := count(t, dir)
			wants(t, l, 37)
			i := slices.IndexFunc(l.Responses, func(r cost.Response) bool { return r.Cost.Micros() == 300_000 })
			if i < 0 || l.Responses[i].Kind != tt.kind {
				t.Errorf("responses %+v; want one of 30 cents of kind %s", l.Responses, tt.kind)
			}
		})
	}
}

func TestBy(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.jsonl"), "a", "2026-01-31T10:00:00.000Z", "/w/a",
		answer("a1", "2026-01-31T23:30:00.000Z", "", 1), answer("a2", "2026-02-01T00:30:00.000Z", "", 2))
	write(t, filepath.Join(dir, "b.jsonl"), "b", "2026-02-01T10:00:00.000Z", "/w/b",
		answer("b1", "2026-02-01T11:00:00.000Z", "", 4), answer("b2", "not a time", "", 8))
	l := count(t, dir)
	east := time.FixedZone("east", 3600)
	keys := map[string]func(*cost.Response) string{
		"day":     cost.Days(time.UTC),
		"east":    cost.Days(east),
		"month":   cost.Months(time.UTC),
		"session": func(r *cost.Response) string { return l.Sessions[r.Session].ID },
	}
	for name, want := range map[string]string{
		"day":     "1970-01-01 1/1/8, 2026-01-31 1/1/1, 2026-02-01 2/2/6",
		"east":    "1970-01-01 1/1/8, 2026-02-01 2/3/7",
		"month":   "1970-01 1/1/8, 2026-01 1/1/1, 2026-02 2/2/6",
		"session": "a 1/2/3, b 1/2/12",
	} {
		var got []string
		var sum format.Spent
		for _, g := range l.By(keys[name]) {
			got = append(got, fmt.Sprintf("%s %d/%d/%d", g.Key, g.Sessions, g.Responses, g.Cost.Micros()/10_000))
			sum = sum.Plus(g.Spent)
		}
		if strings.Join(got, ", ") != want || sum != l.Total().Spent {
			t.Errorf("By(%s) = %s; want %s", name, got, want)
		}
	}
	feb := l.Between(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), time.Time{})
	wants(t, feb, 6)
	wants(t, l.Between(time.Time{}, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)), 9)
}

// Days and months are those of each response, in any order and in zones that
// skip or repeat midnight.
func TestDays(t *testing.T) {
	for name, about := range map[string]time.Time{
		"UTC":               time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		"America/Sao_Paulo": time.Date(2018, 11, 4, 3, 0, 0, 0, time.UTC),   // there is no 00:30
		"America/Havana":    time.Date(2023, 11, 5, 4, 0, 0, 0, time.UTC),   // 00:30 comes twice
		"Pacific/Apia":      time.Date(2011, 12, 30, 10, 0, 0, 0, time.UTC), // there is no 30 December
	} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		days, months := cost.Days(zone), cost.Months(zone)
		random := rand.New(rand.NewPCG(1, 2))
		for range 5000 {
			r := cost.Response{Time: about.Add(time.Duration(random.Int64N(int64(100*time.Hour))) - 50*time.Hour)}
			at := r.Time.In(zone)
			if got, want := days(&r), at.Format(time.DateOnly); got != want {
				t.Fatalf("the day of %v is %s; want %s", at, got, want)
			}
			if got, want := months(&r), at.Format("2006-01"); got != want {
				t.Fatalf("the month of %v is %s; want %s", at, got, want)
			}
		}
	}
	if got := cost.Days(time.UTC)(&cost.Response{}); got != "" {
		t.Errorf("the day of no time is %q", got)
	}
}

// A file may claim any number (U4).
func TestNumbersDoNotRunOver(t *testing.T) {
	most := fmt.Sprintf(`{"input":%d,"output":%d,"cost":{"total":9e9}}`, math.MaxInt64, math.MaxInt64)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.jsonl"), "a", "2026-02-01T10:00:00.000Z", "/w",
		`{"type":"usage","id":"1","timestamp":"2026-02-01T10:00:00.000Z","usage":`+most+`}`,
		`{"type":"usage","id":"2","timestamp":"2026-02-01T10:00:00.000Z","usage":`+most+`}`)
	got := count(t, dir).Total()
	if got.Tokens != math.MaxInt64 || got.Cost != math.MaxInt64 {
		t.Errorf("Total = %+v; want the largest numbers", got)
	}
}

// Of a session without relatives, the sum is what its list entry says.
func TestAgreesWithTheList(t *testing.T) {
	for seed := range uint64(10) {
		dir := t.TempDir()
		data := corpus.Bytes(corpus.Options{Seed: seed, Entries: 80, Branches: 3, CompactEvery: 20})
		if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		l := count(t, dir)
		got, want := l.Total(), l.Sessions[0].Spent
		if got.Spent != want || got.Tokens == 0 || len(l.Copied) != 0 {
			t.Errorf("seed %d: Total = %+v, %d copies; want %+v", seed, got, len(l.Copied), want)
		}
	}
}

// All readers compute the same cost of a session: the ledger, the reader's
// totals, the report about subagents and the comparison of two branches.
func TestAllReadersAgree(t *testing.T) {
	for seed := range uint64(4) {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		data := corpus.Bytes(corpus.Options{Seed: seed, Entries: 120, CompactEvery: 20})
		odd := `{"type":"model_usage","id":"odd","parentId":null,"timestamp":"2026-02-01T10:00:00.000Z","usage":{"totalTokens":5,"cost":{"input":0.0000003}}}`
		if err := os.WriteFile(path, append(data, odd+"\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		want := count(t, filepath.Dir(path)).Total().Spent
		totals, err := inspect.Count(t.Context(), s)
		if err != nil || totals.Spent != want || want.Cost == 0 {
			t.Errorf("seed %d: reader.Count = %+v, %v; want %+v", seed, totals.Spent, err, want)
		}
		runs, err := subagent.Read(t.Context(), s, subagent.Options{AllBranches: true})
		if err != nil || runs.All != want {
			t.Errorf("seed %d: subagent.Read = %+v, %v; want %+v", seed, runs.All, err, want)
		}
		// The odd entry is a branch of its own, and the rest of the file the other.
		before := s.View().At(s.View().Len() - 2).ID
		c, err := diff.Compare(t.Context(), diff.Side{Session: s, Leaf: before}, diff.Side{Session: s, Leaf: "odd"})
		if err != nil || c.Common.Spent.Plus(c.A.Spent).Plus(c.B.Spent) != want {
			t.Errorf("seed %d: diff.Compare = %+v, %+v, %+v, %v; want %+v together", seed, c.Common.Spent, c.A.Spent, c.B.Spent, err, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestWeeks(t *testing.T) {
	zone := time.FixedZone("", 3600)
	for _, tt := range []struct {
		first time.Weekday
		at    string
		want  string
	}{
		{time.Monday, "2026-11-15T22:59:59Z", "2026-11-09"}, // a Sunday there
		{time.Monday, "2026-11-15T23:00:00Z", "2026-11-16"},
		{time.Sunday, "2026-11-14T22:59:59Z", "2026-11-08"},
		{time.Sunday, "2026-11-15T12:00:00Z", "2026-11-15"},
		{time.Saturday, "2027-01-01T12:00:00Z", "2026-12-26"},
		{time.Monday, "", ""},
	} {
		at, _ := time.Parse(time.RFC3339, tt.at)
		if got := cost.Weeks(zone, tt.first)(&cost.Response{Time: at}); got != tt.want {
			t.Errorf("%s in weeks from %s: %q, want %q", tt.at, tt.first, got, tt.want)
		}
	}
}
