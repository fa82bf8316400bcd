package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

// Values that have the form of secrets are put together here, so that no scanner
// takes this file for a leak.
var (
	githubPAT = "ghp_" + "1A2b3C4d5E6f7G8h9I0jK1l2M3n4O5p6Q7r8"
	otherPAT  = "ghp_" + "Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2Rr1Qq0Pp9Oo8"
	awsKey    = "AKIA" + "Q3EGRTXZ5NVWLC7M"
)

func TestLine(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"a token":               {`{"text":"use ` + githubPAT + ` now"}`, `{"text":"use [redacted:github-pat#1] now"}`},
		"numbers":               {`{"a":"` + githubPAT + `","b":"` + otherPAT + `","c":"` + githubPAT + `"}`, `{"a":"[redacted:github-pat#1]","b":"[redacted:github-pat#2]","c":"[redacted:github-pat#1]"}`},
		"other bytes stay":      {` { "n" : 1.50e+2 , "é" : "` + awsKey + ` \u00e9\/" } `, ` { "n" : 1.50e+2 , "é" : "[redacted:aws-access-token#1] \u00e9\/" } `},
		"an escape inside":      {`{"a":"\u0067hp_` + githubPAT[4:] + `"}`, `{"a":"[redacted:github-pat#1]"}`},
		"the name of a member":  {`{"` + githubPAT + `":1}`, `{"[redacted:github-pat#1]":1}`},
		"by the member's name":  {`{"env":{"DB_PASSWORD":"hunter2hunter2"}}`, `{"env":{"DB_PASSWORD":"[redacted:password#1]"}}`},
		"JSON in a string":      {`{"a":"{\"password\":\"hunter2hunter2\"}"}`, `{"a":"{\"password\":\"[redacted:password#1]\"}"}`},
		"a URL":                 {`{"a":"postgres://app:s3cr3tpw@db/x"}`, `{"a":"postgres://app:[redacted:url-password#1]@db/x"}`},
		"supabase":              {`{"a":"sb_secret_` + `N7UND0UgjKTVK1Uodkm0Hg_xSvEMPvz"}`, `{"a":"[redacted:supabase-key#1]"}`},
		"a header":              {`{"a":"Authorization: Basic dXNlcjpwYXNzd29yZDEyMw=="}`, `{"a":"Authorization: Basic [redacted:authorization-header#1]"}`},
		"a cookie":              {`{"a":"Cookie: a=b; sid=Zx81kd92LsPq0aMv7Tg3"}`, `{"a":"Cookie: a=b; sid=[redacted:cookie#1]"}`},
		"a name before a block": {`[{"type":"text","text":"token="},{"type":"text","text":"Zx81kd92LsPq0aMv7Tg3"}]`, `[{"type":"text","text":"token="},{"type":"text","text":"[suspect#1]"}]`},
		"a torn line":           {`{"a":"use ` + githubPAT, `{"a":"use [redacted:github-pat#1]`},
		"no JSON":               {`TOKEN ` + githubPAT + "\n", "TOKEN [redacted:github-pat#1]\n"},
		"a key over lines":      {`{"a":"-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx5Q9vKz8mJ2n\nx5Q9vKz8mJ2nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----\n"}`, `{"a":"-----BEGIN RSA PRIVATE KEY-----\n[redacted:private-key#1]\n-----END RSA PRIVATE KEY-----\n"}`},
		"a key as a list":       {`["-----BEGIN PRIVATE KEY-----","MIIEowIBAAKCAQEAx5Q9vKz8mJ2n","-----END PRIVATE KEY-----"]`, `["-----BEGIN PRIVATE KEY-----","[redacted:private-key#1]","-----END PRIVATE KEY-----"]`},
		"a key without its end": {`{"a":"-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAx5Q9vKz8mJ2nx5Q9vKz8mJ2n"}`, `{"a":"-----BEGIN PRIVATE KEY-----\n[redacted:private-key#1]"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, found := newRedactor(t, redact.Options{}).Line([]byte(tt.in))
			if string(out) != tt.want {
				t.Errorf("Line(%s)\n got %s\nwant %s", tt.in, out, tt.want)
			}
			checkLine(t, []byte(tt.in), out, found)
		})
	}
}

// TestNoSecrets is pitfall E9, and words that other redactors ate.
func TestNoSecrets(t *testing.T) {
	r := newRedactor(t, redact.Options{})
	for name, line := range map[string]string{
		"a hash of git":        `{"a":"commit key: 3f786850e387550fdab836ed7e6dc881de23001b"}`,
		"a hash beside secret": `{"secret_sha":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}`,
		"a short hash":         `{"a":"key=3f786850e387"}`,
		"a UUID":               `{"token_id":"token: 01a1e12a-eea8-7050-a031-60f35b86e621"}`,
		"ids":                  `{"id":"0a1b2c3d","key":"toolu_012yuiPP1VAfh196GXaAmT8D","token":"call_9aZ8bY7cX6dW5eV4fU3g"}`,
		"counts":               `{"usage":{"totalTokens":1234567890123,"cacheReadTokens":998877665544}}`,
		"code":                 `{"a":"const apiKey = process.env.OPENAI_API_KEY2 ?? getKeyFor(model2);"}`,
		"types":                `{"a":"password: Uint8Array, token: testP256PrivateKey"}`,
		"variables":            `{"a":"PASSWORD=$DB_PASSWORD1 curl -u $USER:$PASS1 https://${USER}:${PASS}@host"}`,
		"a date":               `{"a":"key = session-2026-11-16T05-39-00"}`,
		"words":                `{"a":"the author has access to the monkey keyboard: press any key, authentication tokens expire"}`,
		"a lock file":          `{"a":"\"integrity\": \"sha512-9QYcXuC0Xlg4PpFVXBzGzXTQbA1uGQ8dXb1W8X0nE4Vd0uQf8F7QnJ5p3jJ8hB2Z1k4v8vF0wQ==\""}`,
	} {
		t.Run(name, func(t *testing.T) {
			if out, found := r.Line([]byte(line)); len(found) > 0 {
				t.Errorf("Line(%s) = %s", line, out)
			}
		})
	}
}

// TestOpaque is pitfall E8.
func TestOpaque(t *testing.T) {
	// A chance makes "AKIA…" and a keyword in an encrypted text now and then.
	blob := strings.Repeat("Zm9v+YmFy/", 30) + "/" + awsKey + "/key=" + strings.Repeat("Qk1w9xZ+3T/", 20)
	for _, name := range []string{"encrypted_content", "thinkingSignature", "signature", "thoughtSignature"} {
		whole := `{"` + name + `":"` + strings.ReplaceAll(blob, "key=", "") + `","n":1}`
		nested, _ := json.Marshal(map[string]string{"thinkingSignature": whole})
		for _, line := range []string{whole, string(nested)} {
			if out, found := newRedactor(t, redact.Options{}).Line([]byte(line)); len(found) > 0 {
				t.Errorf("%s: Line(%s) = %s; want it whole", name, line, out)
			}
			known := redact.Options{Secrets: []redact.Secret{{Name: "mine", Value: awsKey}}}
			out, _ := newRedactor(t, known).Line([]byte(line))
			if !bytes.Contains(out, []byte(`"[redacted:mine#1]`)) && !bytes.Contains(out, []byte(`\"[redacted:mine#1]\"`)) || bytes.Contains(out, []byte("Zm9v")) {
				t.Errorf("%s: Line(%s) = %s; want it gone whole", name, line, out)
			}
		}
	}
	image := `{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 40) + "/" + awsKey + "/" + strings.Repeat("Zm9v", 40) + `"}`
	if out, found := newRedactor(t, redact.Options{}).Line([]byte(image)); len(found) > 0 {
		t.Errorf("an image became %s", out)
	}
}

func TestNames(t *testing.T) {
	o := redact.Options{Names: redact.Names{Home: "/home/alice", User: "alice", Host: "thinkpad", Emails: true, Words: []string{"Projekt Zürich", "akme"}}}
	tests := map[string]struct{ in, want string }{
		"home":      {`{"cwd":"/home/alice/src"}`, `{"cwd":"[redacted:home#1]/src"}`},
		"folder":    {`{"a":"sessions/--home-alice-src--/x"}`, `{"a":"sessions/-[redacted:home#1]-src--/x"}`},
		"windows":   {`{"a":"D:\\home\\alice\\src"}`, `{"a":"D:[redacted:home#1]\\src"}`},
		"user":      {`{"a":"Alice, malice"}`, `{"a":"[redacted:user#1], malice"}`},
		"host":      {`{"a":"alice@thinkpad:~$"}`, `{"a":"[redacted:user#1]@[redacted:host#1]:~$"}`},
		"email":     {`{"a":"<a.b+c@mail.example.org>, git@github.com:x, x@1.2.3"}`, `{"a":"<[redacted:email#1]>, git@github.com:x, x@1.2.3"}`},
		"words":     {`{"a":"PROJEKT ZÜRICH and AKME, akmeist"}`, `{"a":"[redacted:word#1] and [redacted:word#2], akmeist"}`},
		"by choice": {`{"a":"bob"}`, `{"a":"bob"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := []byte(tt.in)
			out, found := newRedactor(t, o).Line(in)
			if string(out) != tt.want {
				t.Errorf("Line(%s)\n got %s\nwant %s", tt.in, out, tt.want)
			}
			checkLine(t, in, out, found)
		})
	}
}

func TestText(t *testing.T) {
	r := newRedactor(t, redact.Options{})
	out, found := r.Text("rotate " + githubPAT + ".md")
	if want := "rotate [redacted:github-pat#1].md"; out != want || len(found) != 1 {
		t.Errorf("Text = %q, %+v; want %q", out, found, want)
	}
	if same, _ := r.Text("nothing here"); same != "nothing here" {
		t.Errorf("Text = %q", same)
	}
	// The same secret has the same number everywhere.
	if line, _ := r.Line([]byte(`{"a":"` + githubPAT + `"}`)); string(line) != `{"a":"[redacted:github-pat#1]"}` {
		t.Errorf("Line = %s", line)
	}
}

func TestFindings(t *testing.T) {
	r := newRedactor(t, redact.Options{Secrets: []redact.Secret{{Name: "OPENAI_API_KEY", Value: "not-random-at-all"}}})
	_, found := r.Line([]byte(`{"a/b":[0,{"x":"not-random-at-all"}],"` + githubPAT + `":"bm90LXJhbmRvbS1hdC1hbGw="}`))
	if len(found) != 3 {
		t.Fatalf("found %+v; want three", found)
	}
	want := []redact.Finding{
		{Rule: "openai-api-key", Kind: redact.Known, Number: 1, Path: "/a~1b/1/x"},
		{Rule: "github-pat", Kind: redact.ByRule, Number: 1, Path: "/[redacted:github-pat#1]"},
		{Rule: "openai-api-key", Kind: redact.Known, Number: 1, Path: "/[redacted:github-pat#1]"},
	}
	for i := range want {
		if found[i] != want[i] {
			t.Errorf("finding %d\n got %+v\nwant %+v", i, found[i], want[i])
		}
	}
	counts := redact.Tally(found)
	if len(counts) != 2 || counts[0] != (redact.Count{Rule: "openai-api-key", Kind: redact.Known, Secrets: 1, Places: 2}) {
		t.Errorf("Tally = %+v", counts)
	}
}

// TestShared redacts with one Redactor from several goroutines; the race detector
// is what can fail it, and numbers that differ.
func TestShared(t *testing.T) {
	r := newRedactor(t, redact.Options{})
	line := []byte(`{"a":"` + githubPAT + `","b":"` + awsKey + `"}`)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 50 {
				out, _ := r.Line(line)
				if want := []byte(`{"a":"[redacted:github-pat#1]","b":"[redacted:aws-access-token#1]"}`); !bytes.Equal(out, want) {
					t.Errorf("Line = %s; want %s", out, want)
					return
				}
			}
		})
	}
	wait.Wait()
}

// A private key goes wherever its last line ends, and where it has no lines.
func TestPrivateKeys(t *testing.T) {
	r, random := newRedactor(t, redact.Options{}), rand.New(rand.NewPCG(1, 2))
	body := make([]byte, 2349+70)
	for i := range body {
		body[i] = byte(random.Uint32())
	}
	for size := 2349; size < len(body); size++ { // of the keys themselves: 2349 is one of RSA with 4096 bits
		for _, width := range []int{64, 70, 76, 1 << 20} {
			var key strings.Builder
			key.WriteString("-----BEGIN RSA PRIVATE KEY-----")
			digits := base64.StdEncoding.EncodeToString(body[:size])
			secret := digits[:min(len(digits), 60)]
			for len(digits) > 0 {
				n := min(width, len(digits))
				if width < len(body) {
					key.WriteString("\n")
				}
				key.WriteString(digits[:n])
				digits = digits[n:]
			}
			if width < len(body) {
				key.WriteString("\n")
			}
			key.WriteString("-----END RSA PRIVATE KEY-----\n")
			if out, _ := r.Text("cat key\n" + key.String()); strings.Contains(out, secret) {
				t.Fatalf("a key of %d bytes in lines of %d is told", size, width)
			}
			line, err := json.Marshal(map[string]string{"text": key.String()})
			if err != nil {
				t.Fatal(err)
			}
			if out, _ := r.Line(line); strings.Contains(string(out), secret) {
				t.Fatalf("a key of %d bytes in lines of %d is told in JSON", size, width)
			}
		}
	}
}

// Keys on lines of their own are keys, however many there are.
func TestKeysOnLines(t *testing.T) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	random := rand.New(rand.NewPCG(3, 4))
	some := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[random.IntN(len(letters))]
		}
		return string(b)
	}
	for name, key := range map[string]func() string{
		"sk-ant":     func() string { return "sk-" + "ant-api03-" + some(93) + "AA" },
		"github_pat": func() string { return "github" + "_pat_" + some(22) + "_" + some(59) },
	} {
		for _, end := range []string{"\n", "\r\n"} {
			for n := range 20 {
				var keys []string
				for range n {
					keys = append(keys, key())
				}
				out, _ := newRedactor(t, redact.Options{}).Text("$ cat keys" + end + strings.Join(keys, end) + end)
				for _, key := range keys {
					if strings.Contains(out, key[20:]) {
						t.Fatalf("%d keys %s on lines that end with %q: %s is told", n, name, end, key)
					}
				}
			}
		}
	}
}

// A long path is not data, although slashes and letters are base64 digits: a
// key after it is redacted.
func TestKeyBehindALongPath(t *testing.T) {
	const rest = "16C7e42F292c6912E7710c838347Ae178B4a"
	path := strings.Repeat("/home/user/projects/inner", 25) + "/ghp" + "_" + rest
	if out, _ := newRedactor(t, redact.Options{}).Text(path); strings.Contains(out, rest) {
		t.Errorf("Text tells the key: %s", out)
	}
}
