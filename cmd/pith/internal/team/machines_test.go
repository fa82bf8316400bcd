package team_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/pgtest"
)

const oneID = "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"

// begin makes a session of a project with one message in it, and returns its file.
func (d *desk) begin(id, cwd, text string) string {
	d.t.Helper()
	path := filepath.Join(d.home, ".pi", "agent", "sessions", "--made--", "2026-02-03T10-00-00-000Z_"+id+".jsonl")
	folder, _ := json.Marshal(cwd) // a string can be encoded
	content, _ := json.Marshal(text)
	d.write(path, fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-02-03T10:00:00.000Z","cwd":%s}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":%s}}
`, id, folder, content))
	return path
}

func (d *desk) write(path, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// clone makes a directory that looks like a clone of a repository, and returns
// a directory in it.
func (d *desk) clone(at, remote, inside string) string {
	d.t.Helper()
	d.write(filepath.Join(at, ".git", "config"), "[remote \"origin\"]\n\turl = "+remote+"\n")
	dir := filepath.Join(at, inside)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		d.t.Fatal(err)
	}
	return dir
}

// pulled returns the file of a session, and the directory in its header.
func (d *desk) pulled(id string) (path, cwd string) {
	d.t.Helper()
	var list []struct{ Path, ID, Cwd string }
	decode(d.t, d.local("ls", "--all", "--json"), &list)
	for _, s := range list {
		if s.ID == id {
			return s.Path, s.Cwd
		}
	}
	d.t.Fatalf("there is no session %s in %v", id, list)
	return "", ""
}

// A session goes where its project is on the machine that pulls it, and keeps
// its original directory.
func TestWherePullPutsFiles(t *testing.T) {
	plain := func(d *desk, dir string) string {
		d.write(filepath.Join(dir, "README"), "a project without a repository")
		return dir
	}
	for name, tt := range map[string]struct {
		// The project where it is pushed, and where it is pulled; each gets a
		// directory.
		there, here func(d *desk, dir string) string
		flag        bool // --into names the directory
		want        string
	}{
		"the same repository at another path": {
			func(d *desk, dir string) string { return d.clone(dir, "git@example.org:ana/thing.git", "") },
			func(d *desk, dir string) string {
				return d.clone(dir, "https://ana:secret@example.org/ana/thing", "")
			}, false, "here"},
		"a folder in it": {
			func(d *desk, dir string) string { return d.clone(dir, "git@example.org:ana/thing.git", "cmd/x") },
			func(d *desk, dir string) string { return d.clone(dir, "git@example.org:ana/thing", "cmd/x") }, false, "here"},
		"an answer given once": {plain, plain, true, "here"},
		"another repository": {
			func(d *desk, dir string) string { return d.clone(dir, "git@example.org:ana/thing.git", "") },
			func(d *desk, dir string) string { return d.clone(dir, "git@example.org:bob/thing.git", "") }, false, "there"},
	} {
		t.Run(name, func(t *testing.T) {
			ana, _ := newTeam(t)
			laptop, desktop := newDesk(t, ana, "laptop"), newDesk(t, ana, "desktop")
			there, here := tt.there(laptop, filepath.Join(t.TempDir(), "there")), tt.here(desktop, filepath.Join(t.TempDir(), "here"))
			laptop.begin(oneID, there, "hello")
			laptop.do("team", "push", "--all")
			if err := os.RemoveAll(filepath.Dir(there)); err != nil { // which is not on the other machine
				t.Fatal(err)
			}
			desktop.cwd = here
			args := []string{"team", "pull", "--all"}
			if tt.flag {
				args = append(args, "--into", here)
			}
			_, _, told := desktop.run(args...)
			path, cwd := desktop.pulled(oneID)
			want := map[string]string{"here": here, "there": there}[tt.want]
			if folder := "--" + strings.ReplaceAll(strings.Trim(want, "/"), "/", "-") + "--"; filepath.Base(filepath.Dir(path)) != folder {
				t.Errorf("the file is %s; want the folder %s", path, folder)
			}
			if cwd != there {
				t.Errorf("the header says %s; want %s, as it was", cwd, there)
			}
			if homeless := strings.Contains(told, "--into DIR"); homeless != (tt.want == "there") {
				t.Errorf("pull told %q", told)
			}
			if out, _ := os.ReadFile(path); strings.Contains(string(out), "secret") {
				t.Error("a password of a remote came along")
			}
		})
	}
}

// Of two clones of a repository the one used last gets what is pulled.
func TestPullGoesToTheCloneUsedLast(t *testing.T) {
	ana, _ := newTeam(t)
	laptop, desktop := newDesk(t, ana, "laptop"), newDesk(t, ana, "desktop")
	laptop.begin(oneID, laptop.clone(filepath.Join(t.TempDir(), "there"), "git@example.org:ana/thing.git", ""), "hello")
	laptop.do("team", "push", "--all")
	var dirs []string
	for i, name := range []string{"b-old", "c-new", "a-older"} {
		dirs = append(dirs, desktop.clone(filepath.Join(t.TempDir(), name), "git@example.org:ana/thing", ""))
		path := desktop.begin(fmt.Sprintf("0199a1b2-c3d4-7e5f-8a9b-00000000000%d", i), dirs[i], "hello")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		desktop.write(path, strings.ReplaceAll(string(text), "2026-02-03", []string{"2026-02-02", "2026-02-05", "2026-02-01"}[i]))
	}
	desktop.do("team", "pull", "--all")
	path, _ := desktop.pulled(oneID)
	if folder := "--" + strings.ReplaceAll(strings.Trim(dirs[1], "/"), "/", "-") + "--"; filepath.Base(filepath.Dir(path)) != folder {
		t.Errorf("the file is %s; want the folder %s", path, folder)
	}
}

// A directory name from the database cannot escape the directory of sessions.
func TestHostileFolder(t *testing.T) {
	ana, _ := newTeam(t)
	laptop, desktop := newDesk(t, ana, "laptop"), newDesk(t, ana, "desktop")
	laptop.begin(oneID, "/../../../etc/\x1b[31m", "hello")
	laptop.do("team", "push", "--all")
	desktop.do("team", "pull", "--all")
	path, _ := desktop.pulled(oneID)
	if root := filepath.Join(desktop.home, ".pi", "agent", "sessions"); !strings.HasPrefix(path, root+"/") || strings.Contains(path, "\x1b") {
		t.Errorf("the file is %q; want it in %s", path, root)
	}
}

// A session that one machine deleted from the database is left alone on the
// others: their files stay, it is neither pushed nor pulled, and syncing
// continues.
func TestDeletedForAllMachines(t *testing.T) {
	ana, _ := newTeam(t)
	laptop, desktop, third := newDesk(t, ana, "laptop"), newDesk(t, ana, "desktop"), newDesk(t, ana, "third")
	laptop.samples()
	laptop.do("team", "push", "--all")
	desktop.do("team", "sync")
	var id string
	for id = range laptop.files() {
		break
	}
	laptop.local("rm", "--yes", id)
	if code, _, told := laptop.run("team", "purge", id, "--yes"); code != 0 || !strings.Contains(told, "files on your machines stay") {
		t.Errorf("purge = %d %q; want a note that files stay", code, told)
	}
	before := desktop.files()
	code, _, told := desktop.run("team", "sync")
	if code != 0 || !strings.Contains(told, "1 session deleted in the team database") || desktop.files()[id] != before[id] {
		t.Errorf("sync = %d %q; want 0, a note, and the file as it was", code, told)
	}
	if code, _, told := desktop.run("team", "push", id); code == 0 || !strings.Contains(told, "deleted") {
		t.Errorf("push of the session itself = %d %q", code, told)
	}
	third.do("team", "sync")
	if n := len(third.files()); n != len(before)-1 || third.files()[id] != "" {
		t.Errorf("a third machine got %d sessions; want %d, without the deleted one", n, len(before)-1)
	}
	laptop.do("team", "sync")
	if laptop.files()[id] != "" {
		t.Error("the session came back to where it was deleted")
	}
}

// A push with --redact contains no secrets, and the local file keeps them.
func TestPushRedacted(t *testing.T) {
	ana, bob := newTeam(t)
	const secret = "sk-ant-api03-R2D2c3poBB8k2so4lomAk9S0zQxWvUtYrEeDdCcBbAa0987654321zyxwvut-abcdefghijklmno"
	laptop, other := newDesk(t, ana, "laptop"), newDesk(t, bob, "tower")
	path := laptop.begin(oneID, "/w", "the key is "+secret)
	before := laptop.files()[oneID]
	laptop.do("team", "push", "--all", "--redact", "all")
	if _, _, told := laptop.run("team", "grant", "--all", "--to", "everybody"); strings.Contains(told, "not redacted") {
		t.Errorf("grant told %q of a session that was redacted", told)
	}
	if got := laptop.files()[oneID]; got != before {
		t.Errorf("the file here became %s", got)
	}
	owner := strings.Fields(laptop.do("team", "status"))[1]
	other.do("team", "pull", owner+"/"+oneID)
	if got := other.files()[owner+"/"+oneID]; strings.Contains(got, secret) || !strings.Contains(got, "[redacted:") {
		t.Errorf("bob pulled %s", got)
	}
	// Without --redact the copy starts again, although the file did not change,
	// and others can read it; a note says so, and its advice works.
	laptop.do("team", "push", path)
	if _, _, told := laptop.run("team", "grant", "--all", "--to", "everybody"); !strings.Contains(told, "1 copy not redacted;") {
		t.Errorf("grant told %q of a session that was pushed as it is", told)
	}
	laptop.do("team", "push", "--all", "--redact", "all")
	// The copy that was pushed as it was is an old generation now, which bob could still read.
	_, _, told := laptop.run("team", "grant", oneID, "--to", "everybody")
	if !strings.Contains(told, "1 copy of older files not redacted") || strings.Contains(told, "1 copy not redacted") {
		t.Errorf("grant told %q; want that one former copy is not redacted", told)
	}
	laptop.do("team", "purge", "--old", "--yes")
	if _, _, told := laptop.run("team", "grant", oneID, "--to", "everybody"); strings.Contains(told, "not redacted") {
		t.Errorf("grant told %q after the old copies were deleted", told)
	}
}

// The database holds nothing plain of sessions that were pushed with --redact all,
// wherever the secret stood: a dump of all of it shows.
func TestDumpOfRedactedSessions(t *testing.T) {
	ana, _ := newTeam(t)
	laptop := newDesk(t, ana, "laptop")
	const env, token = "Tr0ub4dor-and-3-zq9", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	project := laptop.clone(filepath.Join(t.TempDir(), "thing"), "https://example.org/"+env+"/thing.git", filepath.Join("work-"+env, token))
	laptop.write(filepath.Join(project, ".env"), "PAYROLL_PASSWORD="+env+"\n")
	path := laptop.begin(oneID, project, "try "+env+" and "+token)
	if err := os.Rename(path, filepath.Join(filepath.Dir(path), env+"_"+oneID+".jsonl")); err != nil {
		t.Fatal(err)
	}
	laptop.do("team", "push", "--all", "--redact", "all")
	dump := string(pgtest.Dump(t))
	has := func(text string) bool { // bytes are written as hexadecimal digits
		return strings.Contains(dump, text) || strings.Contains(dump, hex.EncodeToString([]byte(text)))
	}
	if !has("[redacted:") || !has(oneID) {
		t.Error("the dump does not hold the session at all")
	}
	for _, planted := range []string{env, token} {
		if has(planted) {
			t.Errorf("the database holds %s", planted)
		}
	}
}

// A secret of this user is also recognized from the project's .env file,
// whatever it looks like.
func TestPushRedactsSecretsOfTheProject(t *testing.T) {
	ana, _ := newTeam(t)
	laptop, tower := newDesk(t, ana, "laptop"), newDesk(t, ana, "tower")
	project := t.TempDir()
	laptop.write(filepath.Join(project, ".env"), "PAYROLL_PASSWORD=Tr0ub4dor-and-3-zq9\n")
	laptop.begin(oneID, project, "try Tr0ub4dor-and-3-zq9")
	laptop.do("team", "push", "--all", "--redact", "known")
	tower.do("team", "pull", "--all")
	if out := tower.do("context", oneID); strings.Contains(out, "Tr0ub4dor") || !strings.Contains(out, "[redacted:") {
		t.Errorf("the store has %s", out)
	}
}

// T7: no file of pith's contains a password, and one on a command line causes a
// note.
func TestPasswordIsKeptNowhere(t *testing.T) {
	ana, _ := newTeam(t)
	d := newDesk(t, ana+" password=hunter22", "laptop")
	d.samples()
	d.do("team", "push", "--all")
	d.do("ls")
	d.do("search", "linker")
	d.do("team", "pull", "--all")
	err := filepath.WalkDir(d.home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(path+string(data), "hunter22") {
			t.Errorf("%s holds the password", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, told := d.run("team", "status", "--store", ana+" password=hunter22"); !strings.Contains(told, "can see a password") || strings.Contains(told, "hunter22") {
		t.Errorf("a password on the command line: %q", told)
	}
}

// A session of another agent is pushed as it is read, and nothing is ever
// written to the agent's own file, whatever other machines add to their copies.
func TestSessionsOfOtherAgents(t *testing.T) {
	laptop, desktop, dir := newDesk(t, "", "laptop"), newDesk(t, "", "desktop"), t.TempDir()
	const id = "11111111-2222-4333-8444-555555555501"
	claude := filepath.Join(laptop.home, ".claude", "projects", "-home-u-proj", id+".jsonl")
	text, err := os.ReadFile("../../../../tests/agents/testdata/claude-code-2.1.325/projects/-home-u-proj/" + id + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	laptop.write(claude, string(text))
	for round := range 3 {
		laptop.do("team", "sync", dir)
		desktop.do("team", "sync", dir)
		path, _ := desktop.pulled(id)
		if round == 0 {
			if a, b := laptop.local("context", id), desktop.local("context", id); a != b {
				t.Errorf("the desktop reads\n%s\nof\n%s", b, a)
			}
			had, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			desktop.write(path, string(had)+`{"type":"message","id":"0000ffff","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"more"}}`+"\n")
		}
	}
	if now, err := os.ReadFile(claude); err != nil || string(now) != string(text) {
		t.Errorf("the agent's own file has %d bytes, %v; want %d, the same", len(now), err, len(text))
	}
	laptop.write(claude, string(text)+strings.ReplaceAll(string(text[strings.LastIndexByte(strings.TrimSuffix(string(text), "\n"), '\n')+1:]), `"uuid":"`, `"uuid":"f`))
	laptop.do("team", "sync", dir)
	if code, _, told := laptop.run("team", "sync", dir); code != 0 || told != "" {
		t.Errorf("sync = %d %q", code, told)
	}
}
