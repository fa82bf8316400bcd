package mcpserver_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/mcpserver"
	"github.com/pith-sessions/pith/redact"
)

// secrets are the hidden values of a world, by their placeholders in its texts.
type secrets map[string]string

// Two sets of secrets. They have words in common with what can be seen, with each other
// and with the words of queries, and differ in length, in the first character and in
// how they sort.
var (
	secretsA = secrets{
		"TOKEN": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
		"OTHER": "ghp_" + "zzB2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
		"PASS":  "heron-quartz-81-lamp-umbra",
		"PEM":   pem("MIIEpAIBAAKCAQEA7", 12),
	}
	secretsB = secrets{
		"TOKEN": "ghp_" + "n9Z8y7X6w5V4u3T2s1R0q9P8o7N6m5L4k3J2",
		"OTHER": "ghp_" + "00B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
		"PASS":  "_osprey.basalt.27.door.gateway.zephyr",
		"PEM":   pem("MIICXQIBAAJBAKj34", 60),
	}
)

func pem(text string, lines int) string {
	line := strings.Repeat(text, 4)[:64] + "\n"
	return "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(line, lines) + "-----END RSA PRIVATE KEY-----\n"
}

// hidden makes a world whose texts hide secrets in every place that can be found. Worlds
// differ in their secrets alone.
func hidden(t testing.TB, s secrets) (*world, mcpserver.Options) {
	t.Helper()
	w := newWorld(t)
	var pairs []string
	for name, value := range s {
		pairs = append(pairs, "«"+name+"»", strings.ReplaceAll(value, "\n", `\n`))
	}
	fill := strings.NewReplacer(pairs...).Replace
	add := func(n int, cwd string, entries ...string) {
		for i := range entries {
			entries[i] = fill(entries[i])
		}
		w.session(id(n), fill(cwd), "", chain(entries...)...)
	}
	const app = "/srv/app"
	add(1, app, user("deploy the gateway"), answer("the deploy key «TOKEN» opens the gateway, use it"), user("thanks"), answer("and the backup key «OTHER» too"))
	add(2, app, user("use key «TOKEN» for staging"), answer("done"))
	add(3, "/srv/«TOKEN»/app", user("list the lamps"), answer("three lamps in the quartz room"))
	add(4, "/srv/«OTHER»/app", user("list the doors"), answer("three doors of basalt"))
	add(5, app, user("the password is «PASS»"), toolCall("bash", `{"command":"login «PASS»","password":"«PASS»"}`), result("bash", "welcome «PASS», xx«PASS»yy"), answer("logged in"))
	add(6, app, user("read it"), toolCall("read", `{"path":"/srv/app/«TOKEN»/main.go"}`), result("read", "package main // «TOKEN»"), toolCall("edit", `{"path":"/srv/app/main.go"}`), result("edit", "ok"), answer("edited main.go"))
	add(7, app, user("call it"), toolCall("«TOKEN»", `{"query":"gateway"}`), result("«TOKEN»", "found"), answer("called"))
	add(8, app, user("sign the release"), answer("with «PEM» and then the gateway"), answer("signed with the gateway"),
		`{"type":"session_info","id":"ID","parentId":PARENT,"timestamp":"TIME","name":"release «TOKEN»"}`,
		`{"type":"label","id":"ID","parentId":PARENT,"timestamp":"TIME","targetId":"e1","label":"signed «OTHER»"}`)
	add(9, app, user("«PEM» is the key of the lamp"+strings.Repeat(" and of the door", 400)), answer("noted"))
	add(10, app, user("«PASS»"), answer("«TOKEN»"), `{"type":"session_info","id":"ID","parentId":PARENT,"timestamp":"TIME","name":"«PASS»"}`)
	// Words of the secrets that can be seen too: how rare they are must not depend on
	// where they are hidden.
	words := strings.Fields("heron quartz 81 lamp osprey basalt 27 door gateway ghp a1b2 n9z8 key deploy")
	for n := range 70 {
		at := words[n%len(words)]
		add(20+n, app, user(fmt.Sprintf("about the %s of customer %d", at, n)), answer(fmt.Sprintf("the %s and the %s: %s", at, words[(n*5+3)%len(words)], strings.Repeat("text ", n%7))))
	}
	// Two words, each seen once and hidden often in one of the worlds.
	for n := range 24 {
		add(100+n, app, user(fmt.Sprintf("login %d with «PASS»", n)), answer("done"))
	}
	add(130, app, user("first"), answer("the zephyr path"))
	add(131, app, user("second"), answer("the umbra path"))
	o := w.options()
	o.App.Secrets = redact.Sources{Environ: []string{"DB_PASSWORD=" + s["PASS"]}}
	return w, o
}

// redactedFiles are the sessions of a world as they may be shown.
func redactedFiles(t testing.TB, w *world, s secrets) string {
	t.Helper()
	r, err := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "DB_PASSWORD", Value: s["PASS"]}}})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	paths, err := filepath.Glob(filepath.Join(w.dir, "*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			out, _ := r.Line([]byte(line))
			all.Write(out)
		}
	}
	return all.String()
}

// questions returns calls that try to distinguish two sets of secrets.
func questions(r *rand.Rand, n int) (out []question) {
	var pieces []string
	for _, s := range []secrets{secretsA, secretsB} {
		for _, name := range []string{"TOKEN", "OTHER", "PASS", "PEM"} {
			value := s[name]
			pieces = append(pieces, value, value[:len(value)/2], value[4:12], value[:5], value[len(value)-6:])
			pieces = append(pieces, regexp.MustCompile(`[A-Za-z0-9]+`).FindAllString(value, 8)...)
		}
	}
	pieces = append(pieces, "redacted", "github", "pat", "0", "#0]", "[redacted:", "db", "password", "key", "gateway", "deploy", "lamp", "the", "main.go", "app", "srv", "signed", "release", "hunter", "xx", "yy")
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	piece := func() string { return pick(pieces...) }
	cut := func() string { p := piece(); return p[:1+r.IntN(len(p))] }
	class := func() string {
		return pick("[a-m]", "[n-z]", "[0-9]", "[A-Z]", ".", `\w`, `\S+`, ".*", `\b`, "$", "^", "(?s).{1,80}")
	}
	term := func() string {
		switch r.IntN(9) {
		case 0:
			return cut() + "*"
		case 1:
			return `"` + cut() + " " + cut() + `"`
		case 2:
			return `"` + cut() + `"`
		case 3:
			return `re:"` + pick("", "key ", "is ", "release ") + regexp.QuoteMeta(cut()) + class() + `"`
		case 4:
			return `re:"` + pick("key ", "is ", "") + "(" + pick(`\[redacted`, "$", "gateway", `\]`) + "|" + regexp.QuoteMeta(cut()) + class() + `)"`
		case 5:
			return pick("file:", "project:", "tool:") + `"` + cut() + `"`
		case 6:
			return pick("role:user", "role:assistant", "role:tool", "role:name", "role:label", "since:2026-01-05", "until:2026-01-20", "branch:active")
		}
		return piece()
	}
	for _, query := range []string{"umbra zephyr", "zephyr umbra", "umbra zephyr path", "umbra* zephyr*", "zephyr", "umbr*"} {
		out = append(out, question{"search", with{"query": query}})
	}
	for session := range 10 {
		for _, tool := range []string{"read", "outline", "tree", "context"} {
			for _, budget := range []int{200, 500, 4000} {
				out = append(out, question{tool, with{"session": id(1 + session), "budget": budget}}, question{tool, with{"session": id(1+session) + "/e0", "budget": budget}})
			}
		}
	}
	for range n {
		q := question{"search", with{}}
		var terms []string
		for range 1 + r.IntN(3) {
			terms = append(terms, term())
		}
		q.arguments["query"] = strings.Join(terms, " ")
		switch r.IntN(10) {
		case 0:
			q = question{"sessions", with{"query": cut()}}
		case 1:
			q = question{"files", with{"path": pick("", "/srv/", "/srv/app/", "app/") + cut() + pick("", "/main.go", "/app/main.go")}}
		case 2:
			q = question{pick("read", "outline"), with{"session": pick("", "release ", id(8)+"/signed ", id(8)+"/") + piece()}}
		case 3:
			q = question{"read", with{"session": id(8), "entry": pick("signed ", "", "e1..signed ") + piece()}}
		case 4:
			q.arguments["session"] = id(1 + r.IntN(10))
		case 5:
			q.arguments["limit"], q.arguments["next"] = 1+r.IntN(3), fmt.Sprint(r.IntN(6))
		case 6:
			q.arguments["budget"] = 200 + r.IntN(400)
		}
		out = append(out, q)
	}
	return out
}

type question struct {
	tool      string
	arguments with
}

// M13: no question distinguishes two stores that differ only in their secrets.
func TestSearchTellsNothingOfSecrets(t *testing.T) {
	const seed = 7
	rounds := 200
	if testing.Short() {
		rounds = 50
	}
	for name, with := range map[string]func(mcpserver.Options) mcpserver.Options{
		"scanned": func(o mcpserver.Options) mcpserver.Options { return o },
		"indexed": func(o mcpserver.Options) mcpserver.Options { return indexed(t, o) },
	} {
		t.Run(name, func(t *testing.T) {
			wa, oa := hidden(t, secretsA)
			wb, ob := hidden(t, secretsB)
			if redactedFiles(t, wa, secretsA) != redactedFiles(t, wb, secretsB) {
				t.Fatal("the stores differ in what can be seen")
			}
			a, b := connect(t, with(oa)), connect(t, with(ob))
			shown := 0
			for _, q := range questions(rand.New(rand.NewPCG(seed, 2)), rounds) {
				inA, failedA := a.call(q.tool, q.arguments)
				inB, failedB := b.call(q.tool, q.arguments)
				if inA == inB && failedA == failedB {
					continue
				}
				if shown++; shown <= 3 {
					t.Errorf("%s %v tells the secrets apart:\n%s\n--- or ---\n%s", q.tool, q.arguments, inA, inB)
				}
			}
			if shown > 0 {
				t.Errorf("%d of %d questions tell the secrets apart", shown, rounds)
			}
		})
	}
}

// M13: a caller that asks for longer and longer prefixes of a token, and
// continues with those answered differently, learns none of its characters.
func TestTokenCannotBeSpelledOut(t *testing.T) {
	token := secretsA["TOKEN"]
	_, o := hidden(t, secretsA)
	c := connect(t, o)
	asked := 0
	ask := func(query string) string {
		asked++
		return c.ask("search", with{"query": query})
	}
	for name, form := range map[string]string{
		"class":    `re:"key %s[%s]"`,
		"either":   `re:"key (\[redacted|%s[%s])"`,
		"or end":   `re:"key (%s[%s]|$)"`,
		"no words": `re:"%s[%s]"`,
	} {
		t.Run(name, func(t *testing.T) {
			learned := "ghp_"
			nothing := ask(fmt.Sprintf(form, learned, "!")) // no token holds it
			for len(learned) < len(token) {
				left := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				if ask(fmt.Sprintf(form, learned, left)) == nothing {
					break
				}
				for len(left) > 1 {
					if half := left[:len(left)/2]; ask(fmt.Sprintf(form, learned, half)) != nothing {
						left = half
					} else {
						left = left[len(left)/2:]
					}
				}
				learned += left
			}
			if learned != "ghp_" {
				t.Errorf("%d questions spelled out %s of the token %s", asked, learned, token)
			}
		})
	}
	for _, guess := range []string{token, token[:12] + "*", `"key ` + token + `"`, "re:" + token} {
		wrong := strings.Replace(guess, "a1B2", "b1B2", 1)
		if right, other := ask(guess), ask(wrong); right != other {
			t.Errorf("the answer to %s is\n%s\nand the answer to %s is\n%s", guess, right, wrong, other)
		}
	}
}
