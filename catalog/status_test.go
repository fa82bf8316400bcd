package catalog_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
)

// entry is a line with an id and a parent; parent "" is a root.
func entry(typ, id, parent, more string) string {
	up := "null"
	if parent != "" {
		up = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%s,"timestamp":%q%s}`, typ, id, up, format.FormatTime(start), more)
}

// said is a message of a role, and of an assistant why it stopped.
func said(id, parent, role, stop string) string {
	if stop != "" {
		stop = fmt.Sprintf(`,"stopReason":%q`, stop)
	}
	return entry("message", id, parent, fmt.Sprintf(`,"message":{"role":%q,"content":"x"%s,"timestamp":1}`, role, stop))
}

func TestStatus(t *testing.T) {
	marker := func(id, parent string) string { return entry("custom", id, parent, `,"customType":"pith/leaf"`) }
	label := entry("label", "l", "b", `,"targetId":"a","label":"x"`)
	tests := map[string]struct {
		lines    string
		want     catalog.Status
		branches int
	}{
		"nothing":     {"", catalog.StatusEmpty, 0},
		"name only":   {name("x", 1), catalog.StatusEmpty, 1},
		"user":        {said("a", "", "user", ""), catalog.StatusPending, 1},
		"answered":    {said("a", "", "user", "") + "\n" + said("b", "a", "assistant", "stop"), catalog.StatusComplete, 1},
		"old answer":  {said("a", "", "assistant", ""), catalog.StatusComplete, 1},
		"cut off":     {said("a", "", "assistant", "length"), catalog.StatusInterrupted, 1},
		"tools":       {said("a", "", "assistant", "toolUse"), catalog.StatusInterrupted, 1},
		"tool result": {said("a", "", "assistant", "toolUse") + "\n" + said("b", "a", "toolResult", ""), catalog.StatusInterrupted, 1},
		"aborted":     {said("a", "", "assistant", "aborted"), catalog.StatusAborted, 1},
		"error":       {said("a", "", "assistant", "error"), catalog.StatusError, 1},
		"label behind": {said("a", "", "user", "") + "\n" + said("b", "a", "assistant", "aborted") + "\n" + label,
			catalog.StatusAborted, 1},
		"shell of the user": {said("a", "", "assistant", "stop") + "\n" + said("b", "a", "bashExecution", ""), catalog.StatusComplete, 1},
		"back to an end": {said("a", "", "user", "") + "\n" + said("b", "a", "assistant", "error") + "\n" +
			said("c", "a", "assistant", "stop") + "\n" + marker("d", "b"), catalog.StatusError, 2},
		"back to the middle": {said("a", "", "user", "") + "\n" + said("b", "a", "assistant", "stop") + "\n" +
			said("c", "b", "user", "") + "\n" + said("d", "c", "assistant", "stop") + "\n" + marker("e", "a"), catalog.StatusPending, 2},
		"before the first": {said("a", "", "user", "") + "\n" + marker("b", ""), catalog.StatusEmpty, 2},
		"a circle": {entry("custom", "a", "b", "") + "\n" + entry("custom", "b", "a", "") + "\n" + entry("custom", "c", "a", ""),
			catalog.StatusEmpty, 2},
	}
	for what, tt := range tests {
		t.Run(what, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "1.jsonl"), session(header("id", "/p"), tt.lines))
			info, err := readInfo(path, false)
			if err != nil || info.Status != tt.want || info.Branches != tt.branches {
				t.Errorf("ReadInfo: status %q, %d branches, %v; want %q, %d", info.Status, info.Branches, err, tt.want, tt.branches)
			}
		})
	}
}

func TestSort(t *testing.T) {
	infos := []catalog.Info{
		{ID: "a", Name: "Zeta", Cwd: "/home/u/app", Model: "x/Opus", Modified: minute(1), Created: minute(3), Size: 10, MessageCount: 3, Status: catalog.StatusError},
		{ID: "b", FirstMessage: "alpha", Cwd: "/home/u/lib", Model: "x/haiku", Modified: minute(2), Created: minute(1), Size: 30, MessageCount: 2, Status: catalog.StatusComplete, Spent: format.Spent{Cost: 9}},
		{ID: "c", Name: "mid", Cwd: "/srv", Modified: minute(3), Created: minute(2), Size: 20, MessageCount: 1, Status: catalog.StatusPending, Spent: format.Spent{Cost: 5}},
	}
	orders := map[catalog.Order]string{
		catalog.OrderRecent: "c b a", catalog.OrderCreated: "a c b", catalog.OrderSize: "b c a",
		catalog.OrderMessages: "a b c", catalog.OrderCost: "b c a", catalog.OrderName: "b c a",
	}
	for by, want := range orders {
		catalog.Sort(infos, by)
		if ids(infos) != want {
			t.Errorf("Sort(%s) = %q, want %q", by, ids(infos), want)
		}
	}
}

func TestChildren(t *testing.T) {
	infos := []catalog.Info{
		{ID: "p", Path: "/s/2026-02-03T10-00-00-000Z_p.jsonl"},
		{ID: "x", Path: "/s/x.jsonl", ParentSession: "/s/2026-02-03T10-00-00-000Z_p.jsonl"},
		{ID: "y", Path: "/s/y.jsonl", ParentSession: "/moved/2026-02-03T10-00-00-000Z_p.jsonl"},
		{ID: "z", Path: "/s/z.jsonl", ParentSession: "p"},
		{ID: "w", Path: "/s/w.jsonl", ParentSession: "/s/w.jsonl"},
		{ID: "v", Path: "/s/v.jsonl", ParentSession: "/s/gone.jsonl"},
	}
	got := catalog.Children(infos)
	if fmt.Sprint(got[infos[0].Path]) != "[1 2 3]" || len(got) != 1 {
		t.Errorf("Children = %v, want those of p: [1 2 3]", got)
	}
}
