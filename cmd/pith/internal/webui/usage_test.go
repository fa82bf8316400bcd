package webui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/webui"
)

// costing returns a session whose response has tokens and a cost as JSON.
func costing(id, header, cost string) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":"%[1]s","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/p"%[2]s}
{"type":"message","id":"%[1]s-1","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"count %[1]s"}}
{"type":"message","id":"%[1]s-2","parentId":"%[1]s-1","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","provider":"p","model":"%[1]s","stopReason":"stop","content":"done","usage":{"input":100,"output":5,"cacheRead":0,"cacheWrite":0,"cost":%[3]s}}}
`, id, header, cost)
}

// An unknown cost is never zero: in sums, in the list, and on the page of a session.
func TestUnknownCost(t *testing.T) {
	dir := t.TempDir()
	for id, cost := range map[string]string{"known": `{"total":0.5}`, "unknown": `{"total":0}`} {
		if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(costing(id, "", cost)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := serveDir(t, dir)
	c := enter(t, s)
	_, usage := c.get("usage?range=all")
	for _, want := range []string{`>$0.50 <span class="sub">&#43; unknown</span>`, `<td class="num">$0.50</td>`, `<span class="unk">unknown</span>`, `<td class="num">$0.50 &#43; unknown</td>`} {
		if !strings.Contains(usage, want) {
			t.Errorf("the usage page has no %q:\n%s", want, usage)
		}
	}
	if strings.Contains(strings.ReplaceAll(usage, "<span>$0</span>", ""), "$0<") || strings.Contains(usage, "$0,") {
		t.Errorf("the usage page has a cost of zero:\n%s", usage)
	}
	if _, list := c.get(""); !strings.Contains(list, `<span>$0.50</span>`) || !strings.Contains(list, `–<span class="vh">cost unknown</span>`) || !strings.Contains(list, `$0.50 &#43; 1 unknown`) {
		t.Errorf("the list has other costs:\n%s", list)
	}
	if _, page := c.get("s/unknown"); strings.Count(page, "cost unknown") < 2 {
		t.Errorf("the page of a session does not say that its costs are unknown:\n%s", page)
	}
}

// The usage page counts the sessions that pith usage counts, also those that programs
// make for their own use and lists leave out.
func TestUsageOfInternalSessions(t *testing.T) {
	dir := t.TempDir()
	for id, header := range map[string]string{"mine": "", "theirs": `,"internal":true,"workflow":{"runId":"r","stageId":"s","stageName":"n"}`} {
		if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(costing(id, header, `{"total":0.5}`)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := serveDir(t, dir)
	c := enter(t, s)
	if keys := keysOf(t, c); !slices.Equal(keys, []string{"mine"}) {
		t.Fatalf("the list has %q", keys)
	}
	if _, usage := c.get("usage?range=all"); !strings.Contains(usage, ">$1.00<") || !strings.Contains(usage, "in 2 sessions") || strings.Contains(usage, `href="/s/"`) {
		t.Errorf("the usage page counts other sessions than pith usage:\n%s", usage)
	}
}

// Bars of more than 92 days stand for weeks, and the control says so.
func TestBarsOfLongRanges(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "known.jsonl"), []byte(costing("known", "", `{"total":0.5}`)), 0o600); err != nil {
		t.Fatal(err)
	}
	app := over(dir)
	app.Now = func() time.Time { return time.Date(2026, 2, 3+100, 12, 0, 0, 0, time.UTC) }
	s, err := webui.New("127.0.0.1:0", webui.Config{App: app, Note: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	c := enter(t, s)
	for address, want := range map[string]string{
		"usage?range=all": "Week", "usage?range=all&bars=day": "Week", "usage?range=all&bars=month": "Month",
		"usage?range=all&q=since:2026-02-04": "", "usage?range=90d": "",
	} {
		_, text := c.get(address)
		if text, _, _ = strings.Cut(text, `aria-label="Measure"`); want == "" && strings.Contains(text, `aria-current="true">Week<`) || want != "" && (!strings.Contains(text, `aria-current="true">`+want+`<`) || strings.Contains(text, ">Day<")) {
			t.Errorf("%s offers %s; want %s", address, text, want)
		}
	}
}
