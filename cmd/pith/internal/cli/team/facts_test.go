package team_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// mirrored are the files of a desk's mirror.
func (d *desk) mirrored() (files []string) {
	d.t.Helper()
	err := filepath.WalkDir(filepath.Join(d.home, "cache"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") && strings.Contains(path, "/team/") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return files
}

// withoutFacts makes the database one that was just upgraded.
func withoutFacts(t *testing.T) {
	t.Helper()
	pgtest.Exec(t, pgtest.Superuser(t), "DELETE FROM pith_team.fact; DELETE FROM pith_team.spent; DELETE FROM pith_team.line; UPDATE pith_team.log SET covered = NULL, used = NULL")
}

// told is the answer to a command without what depends on the desk: where its
// mirror is, and what it had to read.
func told(d *desk, args ...string) string {
	d.t.Helper()
	code, out, _ := d.run(args...)
	out = strings.ReplaceAll(out, d.home, "HOME")
	var r map[string]any
	if json.Unmarshal([]byte(out), &r) == nil {
		for _, name := range []string{"scanned", "unindexed", "scannedBytes", "unindexedBytes"} {
			delete(r, name)
		}
		text, _ := json.MarshalIndent(r, "", " ")
		out = string(text)
	}
	return fmt.Sprintf("%d %s", code, out)
}

// Whatever the sessions contain and however they grow, the answers from facts are those
// of a mirror, and nothing is mirrored for them.
func TestFactsAnswerLikeTheMirror(t *testing.T) {
	ana, bob := newTeam(t)
	laptop, tower := newDesk(t, ana, "laptop"), newDesk(t, bob, "tower")
	var files []string
	talkers := []*talker{{rand.New(rand.NewPCG(1, 2)), laptop, map[string][]string{}}, {rand.New(rand.NewPCG(3, 4)), tower, map[string][]string{}}}
	for _, r := range talkers {
		for range 4 {
			files = append(files, r.begin())
			for range 3 { // each push adds to what was told before
				r.say(files[len(files)-1])
				r.spend(files[len(files)-1])
				r.do("push", "--all")
			}
		}
	}
	tower.do("team", "grant", "--all", "--to", "everybody")
	desktop := newDesk(t, ana, "desktop") // a second copy of each session, with the same bytes
	desktop.do("pull", "--all")
	desktop.do("push", "--all")

	commands := [][]string{
		{"ls", "--all", "--json"}, {"ls", "--all"}, {"ls", "--all", "--internal", "--format", "id,title,cost,tokens,status"}, {"ls", "--all", "--sort", "cost", "--json"}, {"ls", "--all", "--since", "2026-02-03"},
		{"usage", "--json"}, {"usage", "--by", "person", "--json"}, {"usage", "--by", "session", "--json"}, {"usage", "--by", "model"}, {"ls", "--projects", "--json"},
		{"search", "error", "--count"}, {"search", "error", "-l"}, {"search", "the", "--limit", "3", "--json"}, {"search", "err*", "--limit", "5"}, {"search", "nothingatall"},
		{"search", "the", "re:err", "--json", "--limit", "0"}, {"search", "error", "role:user", "--project", "w/1", "--json"}, {"search", "error", "--limit", "0", "--sort", "best", "--json"},
	}
	for range 40 {
		query := talkers[0].query()
		if strings.Contains(query, "re:") || strings.Contains(query, "branch:") || strings.ContainsAny(query, "\x00\n") {
			continue
		}
		commands = append(commands, []string{"search", query, "--json", "--limit", "10000"}, []string{"search", query, "--limit", "2"})
	}
	reader := newDesk(t, ana, "reader")
	var got []string
	for _, args := range commands {
		before := len(reader.mirrored())
		got = append(got, told(reader, args...))
		if after := reader.mirrored(); len(after) != before && !punctuation(args) {
			t.Errorf("pith %q mirrored %q", args, after)
		}
	}
	withoutFacts(t)
	mirror, differ := newDesk(t, ana, "mirror"), 0
	for i, args := range commands {
		if want := told(mirror, args...); got[i] != want && differ < 3 {
			differ++
			t.Errorf("pith %q from facts:\n%s\nwant, as from the mirror,\n%s", args, got[i], want)
		}
	}
	if len(mirror.mirrored()) != len(files) {
		t.Errorf("without facts %d sessions are mirrored; want %d", len(mirror.mirrored()), len(files))
	}
}

// punctuation reports whether a search has no word to ask for.
func punctuation(args []string) bool {
	return args[0] == "search" && !strings.ContainsFunc(args[1], func(r rune) bool { return r > 127 || r >= '0' && r <= '9' || r|32 >= 'a' && r|32 <= 'z' })
}

// spend adds a response with a cost.
func (r *talker) spend(path string) {
	r.t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	id := fmt.Sprintf("%08x", r.Uint32())
	r.ids[path] = append(r.ids[path], id)
	fmt.Fprintf(f, `{"type":"message","id":"%s","parentId":null,"timestamp":"2026-02-03T11:%02d:00.000Z","message":{"role":"assistant","provider":"p","model":"m%d","content":[{"type":"text","text":%s}],"usage":{"input":%d,"output":%d,"cacheRead":1,"cacheWrite":2,"totalTokens":%d,"cost":{"input":0.1,"output":0.2,"total":%d.5}}}}`+"\n",
		id, r.IntN(60), r.IntN(3), r.literal(), r.IntN(1000), r.IntN(1000), r.IntN(2000), r.IntN(9))
}

// Only what is opened is fetched, and what is opened are the bytes.
func TestOnlyOpenedSessionsAreFetched(t *testing.T) {
	ana, _ := newTeam(t)
	laptop, reader := newDesk(t, ana, "laptop"), newDesk(t, ana, "reader")
	laptop.begin(oneID, "/w", "the turnip is in the cellar")
	laptop.begin(strings.Replace(oneID, "0199", "0198", 1), "/w", "the beetroot is in the garden")
	laptop.do("push", "--all")
	reader.cwd = "/w"
	if out := reader.do("ls"); !strings.Contains(out, "turnip") || !strings.Contains(out, "beetroot") || len(reader.mirrored()) > 0 {
		t.Errorf("ls = %q, mirrored %q", out, reader.mirrored())
	}
	for _, args := range [][]string{{"show", oneID}, {"tree", oneID}, {"context", laptop.person("ana") + "/" + oneID}} {
		if out := reader.do(args...); !strings.Contains(out, "turnip") || len(reader.mirrored()) != 1 {
			t.Errorf("pith %q = %q, mirrored %q; want one", args, out, reader.mirrored())
		}
	}
	laptop.local("append", oneID, "now it is in the soup")
	laptop.do("push", "--all")
	if out := reader.do("show", oneID); !strings.Contains(out, "soup") {
		t.Errorf("show after another push = %q", out)
	}
	if out := reader.do("ls", "--json", "--full"); !strings.Contains(out, "beetroot is in the garden") {
		t.Errorf("ls --full = %q", out)
	}
}

// A revoked grant is gone from lists and searches at once.
func TestRevokedFacts(t *testing.T) {
	ana, bob := newTeam(t)
	laptop, tower := newDesk(t, ana, "laptop"), newDesk(t, bob, "tower")
	laptop.begin(oneID, "/w", "the turnip is in the cellar")
	laptop.do("push", "--all")
	for _, grant := range [][]string{{oneID}, {"--all"}} {
		laptop.do(append(append([]string{"team", "grant"}, grant...), "--to", "everybody")...)
		if code, out, _ := tower.run("search", "turnip", "--json"); code != 0 || !strings.Contains(out, oneID) || !strings.Contains(out, `"person":"ana`) {
			t.Errorf("with a grant of %v bob finds %d %q", grant, code, out)
		}
		laptop.do(append(append([]string{"team", "grant"}, grant...), "--to", "everybody", "--revoke")...)
		for _, args := range [][]string{{"search", "turnip"}, {"ls", "--all", "--json"}, {"usage", "--by", "session", "--json"}} {
			if _, out, _ := tower.run(args...); strings.Contains(out, "turnip") || strings.Contains(out, oneID) {
				t.Errorf("after the grant of %v was revoked, pith %q = %q", grant, args, out)
			}
		}
	}
}

// Redaction applies to the facts: neither a secret nor its words are in the database. With
// a key there are no facts.
func TestFactsHideWhatTheBytesHide(t *testing.T) {
	ana, _ := newTeam(t)
	laptop := newDesk(t, ana, "laptop")
	const secret = "ghp_Zq8Xw3Vn6Tb1Rk9Lp4Jm7Hc2Fd5Gs0Ya1Qe3"
	laptop.begin(oneID, "/w", "the turnip key is "+secret)
	laptop.do("push", "--all", "--redact", "all")
	dump := bytes.ToLower(pgtest.Dump(t))
	for _, part := range []string{strings.ToLower(secret), strings.ToLower(strings.TrimPrefix(secret, "ghp_"))} {
		if bytes.Contains(dump, []byte(part)) {
			t.Errorf("the database contains %s", part)
		}
	}
	if !bytes.Contains(dump, []byte("turnip")) {
		t.Error("the database does not contain the words of the session")
	}
	key := filepath.Join(laptop.home, "key")
	if err := os.WriteFile(key, []byte("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	laptop.env["PITH_STORE_KEY"] = key
	laptop.begin(strings.Replace(oneID, "0199", "0197", 1), "/w", "a sealed radish")
	laptop.do("push", "--all", "--replace")
	if bytes.Contains(pgtest.Dump(t), []byte("radish")) {
		t.Error("the database contains words of an encrypted session")
	}
	reader := newDesk(t, ana, "reader")
	reader.env["PITH_STORE_KEY"] = key
	if code, out, _ := reader.run("search", "radish"); code != 0 || !strings.Contains(out, "sealed radish") {
		t.Errorf("search with the key = %d %q", code, out)
	}
}

// Facts that lie, of any kind, hide nothing of others and change nothing that is opened.
func TestFactsThatLie(t *testing.T) {
	ana, bob := newTeam(t)
	_, eve := pgtest.Person(t, "eve")
	laptop, other := newDesk(t, ana, "laptop"), newDesk(t, bob, "tower")
	laptop.begin(oneID, "/w", "the turnip is in the cellar")
	laptop.do("push", "--all")
	laptop.do("team", "grant", "--all", "--to", "everybody")
	s, err := pgteam.Connect(t.Context(), eve, pgstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Give(t.Context(), pgteam.Grant{Grantee: pgteam.Everybody}); err != nil {
		t.Fatal(err)
	}
	id := func(n int) string { return fmt.Sprintf("0199eeee-0000-7000-8000-%012d", n) }
	future := time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)
	for n, change := range []func(*catalog.Info){
		func(i *catalog.Info) { i.ID = oneID },
		func(i *catalog.Info) { i.ID = "../../../etc/passwd" },
		func(i *catalog.Info) { i.Name, i.Cwd, i.Model = "\x1b[31mred\x00\u202e", "/w\x1b]0;x\x07", "\xff\xfe" },
		func(i *catalog.Info) {
			i.Spent = format.Spent{Input: -1 << 62, Cost: -1 << 62}
			i.MessageCount, i.Entries = -5, -5
		},
		func(i *catalog.Info) { i.Spent = format.Spent{Input: 1 << 62, Tokens: 1<<63 - 1, Cost: 1<<63 - 1} },
		func(i *catalog.Info) { i.Name = strings.Repeat("x", 1<<20) },
		func(i *catalog.Info) { i.Size = 1 << 60 },
		func(i *catalog.Info) { i.Status = "\x1b[2J" },
		func(i *catalog.Info) { i.Created, i.Modified = time.Unix(1<<60, 0), time.Unix(-1<<60, 0) },
		func(i *catalog.Info) {},
	} {
		header := fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/w"}`+"\n", id(n))
		content := header + strings.Repeat(`{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"a radish"}}`+"\n", 300)
		name := fmt.Sprintf("/%s/m/%s/1", s.Person(), id(n))
		l, err := s.Create(t.Context(), name, store.Bytes([]byte(content)))
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		info := catalog.Info{ID: id(n), Cwd: "/w", FirstMessage: "x", Status: catalog.StatusEmpty, Size: int64(len(content)), Version: 3, Created: future, Modified: future}
		change(&info)
		f := replica.NewFacts{To: int64(len(content)), Row: append(append([]byte{1, 1}, make([]byte, 32)...), info.Pack()...), Spent: []byte{1, 0, 255, 255, 255, 255, 255, 255, 255, 255, 127}}
		if len(f.Row) > 60000 {
			f.Row = f.Row[:60000]
		}
		for off := range min(len(content)-200, 3000) { // every byte of every session is a line with the word
			f.Lines = append(f.Lines, replica.LineWords{Offset: int64(off), Size: 1 + off%150, Words: "turnip cellar the is in"})
		}
		if err := s.AddFacts(t.Context(), name, f); err != nil {
			t.Fatal(err)
		}
	}
	readsAll(t, other, "with facts that lie")
	code, out, said := other.run("search", "turnip", "--json", "--limit", "0")
	if code != 0 || strings.Contains(out, "0199eeee") || !strings.Contains(out, oneID) || strings.Contains(out, "radish") {
		t.Errorf("search among lies = %d %q %q", code, out, said)
	}
	if !strings.Contains(said, "could not be searched") || !strings.Contains(said, "eve") {
		t.Errorf("search among lies notes %q; want who lies", said)
	}
	if out := other.do("show", s.Person()+"/"+id(9)); !strings.Contains(out, "a radish") || strings.Contains(out, "turnip") {
		t.Errorf("show of a session with false facts = %q", out)
	}
}
