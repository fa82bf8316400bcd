package redact_test

import (
	"bytes"
	"encoding/json"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/redact"
)

// checkLine holds a result against what every result must keep.
func checkLine(t rapid.TB, in, out []byte, found []redact.Finding) {
	t.Helper()
	if (len(found) == 0) != bytes.Equal(in, out) {
		t.Errorf("Line(%q) = %q with %d findings", in, out, len(found))
	}
	if !json.Valid(in) {
		return
	}
	if !json.Valid(out) {
		t.Errorf("Line(%q) = %q, which is no JSON", in, out)
		return
	}
	if was, is := skeleton(in), skeleton(out); was != is {
		t.Errorf("Line(%q) = %q: more than strings changed", in, out)
	}
	for _, f := range found {
		if f.Path == "" && bytes.TrimSpace(in)[0] != '"' {
			t.Errorf("Line(%q): no place in %+v", in, f)
		}
	}
}

// skeleton returns JSON text without the content of its strings.
func skeleton(line []byte) string {
	var out []byte
	inString := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '"':
			inString = !inString
			out = append(out, '"')
		case !inString:
			out = append(out, line[i])
		case line[i] == '\\':
			i++
		}
	}
	return string(out)
}

// known are secrets with characters that escapes and encodings use.
var known = redact.Options{
	Secrets: []redact.Secret{{Name: "a", Value: `q"u\o/t%e`}, {Name: "b", Value: "correct horse"}, {Name: "c", Value: "\u00fcber-geheim"}},
	Names:   redact.Names{Home: "/home/alice", User: "alice", Emails: true, Words: []string{"Akme"}},
}

// TestProperties redacts lines that are put together from parts of secrets, escapes
// and JSON, and redacts the result again.
func TestProperties(t *testing.T) {
	parts := []string{`"`, `\`, `\n`, `\u0067`, `\u001b[31m`, `\\`, `\"`, `{`, `}`, `[`, `]`, `:`, `,`, ` `, `1`, `%67`, `&amp;`, `+`, `=`,
		githubPAT, githubPAT[:20], githubPAT[20:], awsKey, `password`, `token`, `"key":"`, `hunter2hunter2`, `correct horse`, `\"u\\o/t%e`, `q`, `Y29ycmVjdCBob3JzZQ==`,
		`-----BEGIN PRIVATE KEY-----`, `MIIEowIBAAKCAQEAx5Q9vKz8MIIEowIBAAKC`, `-----END`, `://u:pw12@h`, `a@b.org`, `/home/alice`, `akme`, `[redacted:x#1]`, `[redacted:`, `#1]`, `é`, "\xff", `\ud800`,
		`encrypted_content":"`, `Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmFyYmF6`}
	r := newRedactor(t, known)
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, part := range rapid.SliceOfN(rapid.SampledFrom(parts), 0, 30).Draw(t, "parts") {
			text += part
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{text, `{"a":"` + text + `"}`, `{"a":` + string(quoted) + `,"` + "n" + `":1.0}`} {
			holds(t, r, []byte(line))
		}
	})
}

// another has met no secrets yet.
var another = sync.OnceValue(func() *redact.Redactor {
	r, err := redact.New(known)
	if err != nil {
		panic(err)
	}
	return r
})

// holds checks all that must hold for any line.
func holds(t rapid.TB, r *redact.Redactor, line []byte) {
	t.Helper()
	before := bytes.Clone(line)
	out, found := r.Line(line)
	if !bytes.Equal(line, before) {
		t.Fatalf("Line changed its argument %q", before)
	}
	checkLine(t, line, out, found)
	if again, more := r.Line(out); len(more) > 0 {
		t.Fatalf("Line(%q) = %q, and again %q", line, out, again)
	}
	if again, more := another().Line(out); len(more) > 0 {
		t.Fatalf("Line(%q) = %q, and by another Redactor %q", line, out, again)
	}
}

func FuzzLine(f *testing.F) {
	seeds := 0
	for _, lines := range ordinary(f) {
		for _, line := range lines {
			if len(line) < 2000 {
				f.Add(line)
				seeds++
			}
		}
	}
	if seeds == 0 {
		f.Fatal("no seeds: a fuzz target without a corpus tests nothing")
	}
	for _, line := range places {
		f.Add([]byte(line))
		f.Add(bytes.Replace([]byte(line), []byte("%s"), []byte(githubPAT), 1))
	}
	r := newRedactor(f, known)
	f.Fuzz(func(t *testing.T, line []byte) { holds(t, r, line) })
}
