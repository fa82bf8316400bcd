package rpcserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/redact"
)

// sharing are the methods that TestExport calls.
var sharing = []string{"export", "secrets"}

// A client reviews a session, writes it without its secrets, and lists their
// places. No response contains a secret.
func TestExport(t *testing.T) {
	const secret, own = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", "correct horse battery staple"
	dir, out := t.TempDir(), t.TempDir()
	file := write(t, dir, "a.jsonl", aHeader+strings.Replace(anEntry, "hi", "use "+secret+" or "+own, 1))
	c := dial(t, rpcserver.Options{App: ops.App{Dir: dir, Secrets: redact.Sources{Environ: []string{"APP_PASSWORD=" + own}}}})
	const found = `[{"rule":"app-password","kind":"known","secrets":1,"places":1},{"rule":"github-pat","kind":"rule","secrets":1,"places":1}]`
	const places = `"places":[{"rule":"github-pat","number":1,"path":"/message/content","entryId":"e1"},{"rule":"app-password","number":1,"path":"/message/content","entryId":"e1"}]`
	tests := []struct {
		method string
		params with
		want   string
	}{
		{"export", with{"path": file}, `{"file":null,"format":"html","entries":null,"pictures":null,"redacted":` + found + `,` + places + `}`},
		{"export", with{"path": file, "outputPath": filepath.Join(out, "a.jsonl")}, `{"file":"OUT/a.jsonl","format":"jsonl","entries":1,"pictures":0,"redacted":` + found + `,` + places + `}`},
		{"export", with{"path": file, "outputPath": filepath.Join(out, "a.md"), "leafId": "e1"}, `{"file":"OUT/a.md","format":"md","entries":1,"pictures":0,"redacted":` + found + `,` + places + `}`},
		{"export", with{"path": file, "outputPath": filepath.Join(out, "raw.jsonl"), "noRedact": true}, `{"file":"OUT/raw.jsonl","format":"jsonl","entries":1,"pictures":0,"redacted":[],"places":[]}`},
		{"secrets", with{}, `{"checked":1,"found":` + strings.ReplaceAll(found, `"places":1`, `"places":1,"sessions":1`) + `,"sessions":[{"path":"DIR/a.jsonl","places":[{"rule":"github-pat","number":1,"line":2,"path":"/message/content"},{"rule":"app-password","number":1,"line":2,"path":"/message/content"}]}]}`},
		{"secrets", with{"cwd": "/elsewhere"}, `{"checked":0,"found":[],"sessions":[]}`},
	}
	for _, tt := range tests {
		got := strings.NewReplacer(dir, "DIR", out, "OUT").Replace(string(c.call(tt.method, tt.params)))
		if got != tt.want {
			t.Errorf("%s(%v) =\n%s\nwant\n%s", tt.method, tt.params, got, tt.want)
		}
	}
	for name, wanted := range map[string]bool{"a.jsonl": false, "a.md": false, "raw.jsonl": true} {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), secret) != wanted || strings.Contains(string(text), own) != wanted {
			t.Errorf("%s reads\n%s", name, text)
		}
	}
	for kind, params := range map[string]with{
		"exists":        {"path": file, "outputPath": filepath.Join(out, "a.md")},
		"invalidParams": {"path": file, "format": "pdf"},
		"noEntry":       {"path": file, "leafId": "nobody"},
		"notFound":      {"path": file, "outputPath": filepath.Join(out, "no", "where.html")},
	} {
		if failed := c.fail("export", params); failed.Data["kind"] != kind {
			t.Errorf("export(%v) = %v; want the kind %s", params, failed, kind)
		}
	}
}

// A file is also searched for the secrets of its project; a path that is not a
// session, or not a file, is rejected, and an export does not replace its
// session.
func TestShareOneFile(t *testing.T) {
	const own = "correct horse battery staple"
	dir, project := t.TempDir(), t.TempDir()
	write(t, project, ".env", "APP_PASSWORD="+own+"\n")
	header := `{"type":"session","version":3,"id":"p1","timestamp":"2026-01-01T00:00:00.000Z","cwd":` + string(jsonl.AppendString(nil, project)) + "}\n"
	file := write(t, dir, "a.jsonl", header+strings.Replace(anEntry, "hi", "use "+own, 1))
	c := dial(t, rpcserver.Options{App: ops.App{Dir: dir}})
	if got := string(c.call("secrets", with{"path": file})); !strings.Contains(got, `"rule":"app-password"`) {
		t.Errorf("secrets = %s", got)
	}
	if failed := c.fail("secrets", with{"path": os.DevNull}); failed.Data["kind"] != "notSession" {
		t.Errorf("secrets of a device = %v", failed)
	}
	if failed := c.fail("doctor", with{"path": dir}); failed.Data["kind"] != "io" {
		t.Errorf("doctor of a folder = %v", failed)
	}
	if failed := c.fail("export", with{"path": file, "outputPath": file, "force": true}); failed.Data["kind"] != "exists" {
		t.Errorf("export to the session itself = %v", failed)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), own) {
		t.Errorf("the session reads %s, %v", text, err)
	}
}
