package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/samples"
)

// Every use case answers the same through every front end that has it: the command and
// JSON-RPC member by member, the Model Context Protocol with the same sessions and
// entries. The sessions are those of the demo: damaged, branched, of other agents.
func TestFrontEndsAgree(t *testing.T) {
	dir := t.TempDir()
	if err := samples.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	d := desk{cwd: t.TempDir(), env: map[string]string{"HOME": t.TempDir()}}
	command := func(args ...string) any {
		t.Helper()
		code, stdout, stderr := d.run(t, append([]string{args[0], "--json", "--session-dir", dir}, args[1:]...)...)
		var v any
		if err := json.Unmarshal([]byte(stdout), &v); err != nil {
			t.Fatalf("pith %q = %d, %.200s, %s", args, code, stdout, stderr)
		}
		return v
	}
	list := command("ls", "--all").([]any)
	file, ids := map[string]string{}, map[string]string{} // by sample
	all, err := samples.In(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		file[s.Name], ids[s.Name] = filepath.Join(dir, s.File), s.ID
	}
	type with = map[string]any
	tests := []struct {
		args   []string
		member string // of the command's result; "" means all of it
		method string
		params with
		result string // member of the method's result
	}{
		{[]string{"ls", "--all"}, "", "listAll", with{"text": false}, ""},
		{[]string{"ls", "--all", "status:error"}, "", "listAll", with{"text": false, "query": "status:error"}, ""},
		{[]string{"search", "mail"}, "", "search", with{"query": "mail"}, ""},
		{[]string{"search", "mail", "--sort", "best", "--limit", "3"}, "", "search", with{"query": "mail", "order": "best", "limit": 3}, ""},
		{[]string{"search", "status:complete"}, "", "search", with{"query": "status:complete"}, ""},
		{[]string{"search", "role:user", "file:parser"}, "", "search", with{"query": "role:user file:parser"}, ""},
		{[]string{"usage", "--by", "model"}, "", "usage", with{}, ""},
		{[]string{"usage", "--by", "session", "since:2026-01-01"}, "", "usage", with{"by": "session", "query": "since:2026-01-01"}, ""},
		{[]string{"usage", "--by", "week"}, "", "usage", with{"by": "week"}, ""},
		{[]string{"secrets", "--all"}, "", "secrets", with{}, ""},
		{[]string{"secrets", ids["claude-deploy"]}, "", "secrets", with{"path": file["claude-deploy"]}, ""},
	}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		id, path := ids[name], file[name]
		tests = append(tests, []struct {
			args   []string
			member string
			method string
			params with
			result string
		}{
			{[]string{"show", id, "--view", "toc"}, "rows", "show", with{"path": path, "view": "toc"}, "items"},
			{[]string{"subagents", id}, "", "subagents", with{"path": path}, ""},
			{[]string{"subagents", id, "--all-branches"}, "", "subagents", with{"path": path, "allBranches": true}, ""},
			{[]string{"diff", id, "@root", "@leaf"}, "", "diff", with{"path": path, "leafId": "@root", "otherLeafId": "@leaf"}, ""},
			{[]string{"diff", id, ids["bug-hunt"]}, "", "diff", with{"path": path, "otherPath": file["bug-hunt"]}, ""},
			{[]string{"files", id}, "", "files", with{"session": path}, ""},
			{[]string{"mark", id}, "tags", "getMarks", with{"path": path}, "tags"},
		}...)
	}
	for _, tt := range tests {
		if slices.Contains(tt.args, ids["damaged"]) || slices.Contains(tt.args, ids["old-format"]) {
			continue // their entries get other IDs, or none, when they are read
		}
		want := part(command(tt.args...), tt.member)
		params, err := json.Marshal(tt.params)
		if err != nil {
			t.Fatal(err)
		}
		d.stdin = strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, tt.method, params) + "\n")
		_, stdout, stderr := d.run(t, "rpc", "--session-dir", dir)
		var reply map[string]any
		for line := range strings.Lines(stdout) {
			if strings.Contains(line, `"id":1,`) {
				if err := json.Unmarshal([]byte(line), &reply); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := part(reply["result"], tt.result); got == nil || !reflect.DeepEqual(got, want) {
			t.Errorf("pith %q =\n%.600v\nrpc %s(%s) =\n%.600v %v %s", tt.args, want, tt.method, params, got, reply["error"], stderr)
		}
	}

	tool := func(name string, arguments with) string {
		t.Helper()
		raw, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		d.stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
			fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, raw) + "\n")
		_, stdout, stderr := d.run(t, "mcp", "--session-dir", dir, "--budget", "20000", "--no-redact")
		var reply struct {
			ID     int
			Result struct{ Content []struct{ Text string } }
		}
		for line := range strings.Lines(stdout) {
			if json.Unmarshal([]byte(line), &reply) == nil && reply.ID == 2 {
				return reply.Result.Content[0].Text
			}
		}
		t.Fatalf("pith mcp, %s(%s) = %s, %s", name, raw, stdout, stderr)
		return ""
	}
	names := func(text string) (found []string) {
		for _, s := range list {
			if id := s.(map[string]any)["id"].(string); strings.Contains(text, id[:13]) {
				found = append(found, id)
			}
		}
		return found
	}
	sessionsIn := func(v any) (found []string) {
		for _, s := range list {
			id := s.(map[string]any)["id"].(string)
			for _, m := range v.([]any) {
				if m.(map[string]any)["id"] == id && !slices.Contains(found, id) {
					found = append(found, id)
				}
			}
		}
		return found
	}
	for _, q := range []string{"", "status:error", "parser"} {
		want := sessionsIn(command("ls", "--all", q+" internal:no"))
		if got := names(tool("sessions", with{"query": q, "limit": 100})); !slices.Equal(got, want) {
			t.Errorf("mcp sessions(%q) names %q; pith ls %q", q, got, want)
		}
	}
	if got, want := names(tool("search", with{"query": "mail", "limit": 100})), sessionsIn(part(command("search", "-l", "mail", "--limit", "0"), "sessions")); !slices.Equal(got, want) {
		t.Errorf("mcp search(mail) names %q; pith search %q", got, want)
	}
	entry := regexp.MustCompile(`(?m)^\d+ ([0-9a-f]{8}) `)
	var rows []string
	for _, r := range part(command("show", ids["bug-hunt"], "--view", "toc"), "rows").([]any) {
		rows = append(rows, r.(map[string]any)["entryId"].(string))
	}
	var outline []string
	for _, m := range entry.FindAllStringSubmatch(tool("outline", with{"session": ids["bug-hunt"]}), -1) {
		outline = append(outline, m[1])
	}
	if !slices.Equal(outline, rows) {
		t.Errorf("mcp outline names %q; pith show --view toc %q", outline, rows)
	}
	for _, m := range part(command("context", ids["refactoring"]), "messages").([]any) {
		text, _ := m.(map[string]any)["content"].(string)
		if first, _, _ := strings.Cut(text, "\n"); first != "" && !strings.Contains(tool("context", with{"session": ids["refactoring"]}), first[:min(len(first), 40)]) {
			t.Errorf("mcp context lacks %q, which pith context has", first)
		}
	}
}

// part returns a member of a result, without what depends on the state of the index.
func part(v any, member string) any {
	if list, ok := v.([]any); ok && len(list) == 1 && member != "" {
		v = list[0]
	}
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	delete(m, "scanned")
	delete(m, "unindexed")
	if member != "" {
		return m[member]
	}
	return m
}
