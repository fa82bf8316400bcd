package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

// canary is a text with a secret in it.
type canary struct {
	rule, text string
	start, end int // of the secret
}

func (c canary) secret() string { return c.text[c.start:c.end] }

// places are lines with a placeholder %s for a text as JSON.
var places = map[string]string{
	"text":      `{"type":"message","id":"0a1b2c3d","parentId":null,"timestamp":"2026-11-16T00:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"look: %s here"}]}}`,
	"argument":  `{"type":"message","id":"0a1b2c3d","parentId":"11111111","message":{"role":"assistant","content":[{"type":"toolCall","id":"toolu_1","name":"bash","arguments":{"command":"run %s now"}}]}}`,
	"label":     `{"type":"label","id":"0a1b2c3d","parentId":"11111111","targetId":"22222222","label":"at %s"}`,
	"name":      `{"type":"session_info","id":"0a1b2c3d","parentId":"11111111","name":"%s fixed"}`,
	"cwd":       `{"type":"session","version":3,"id":"01a1e12a-eea8-7050-a031-60f35b86e621","cwd":"/srv/my work/ %s "}`,
	"key":       `{"type":"custom","id":"0a1b2c3d","parentId":"11111111","customType":"x","data":{"of %s ":{"n":1}}}`,
	"unknown":   `{"type":"from_the_future","id":"0a1b2c3d","parentId":"11111111","a":[[{"b":["%s"]}]]}`,
	"malformed": `{"type":"message","id":"0a1b2c3d","message":{"role":"toolResult","content":[{"type":"text","text":"got %s and th`,
}

// encodings encode a canary as the content of a JSON string, and return the
// text that must not be left of it.
var encodings = map[string]func(canary) (written, forbidden string){
	"plain": func(c canary) (string, string) { return escaped(c.text), escaped(c.secret()) },
	"unicode": func(c canary) (string, string) {
		return unicoded(c.text), unicoded(c.secret())
	},
	"ansi": func(c canary) (string, string) {
		middle := (c.start + c.end) / 2
		split := func(from, to int) string {
			return escaped(c.text[from:middle]) + `\u001b[1;31m` + escaped(c.text[middle:to])
		}
		return split(0, len(c.text)), split(c.start, c.end)
	},
	"nested": func(c canary) (string, string) {
		twice := func(s string) string { return escaped(escaped(s)) }
		return escaped(`{"args":"` + escaped(`{"env":"`+escaped(c.text)+`"}`) + `"}`), escaped(twice(c.secret()))
	},
	"base64": func(c canary) (string, string) {
		s := base64.StdEncoding.EncodeToString([]byte(c.text))
		return s, s
	},
	"Markdown": func(c canary) (string, string) {
		marked := strings.NewReplacer("_", `\_`, "-", `\-`, ".", `\.`, "+", `\+`, "=", `\=`, "~", `\~`)
		return escaped(marked.Replace(c.text)), escaped(marked.Replace(c.secret()))
	},
	"url": func(c canary) (string, string) {
		component := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
		return component(c.text), component(c.secret())
	},
}

func escaped(s string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSpace(out.String())[1 : out.Len()-2]
}

func unicoded(s string) string {
	var out strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&out, `\u%04X`, c)
	}
	return out.String()
}

// TestCanaries puts a generated secret of every rule into every place in every
// encoding (pitfalls E6, E7 and E12).
func TestCanaries(t *testing.T) {
	r := newRedactor(t, redact.Options{})
	random := rand.New(rand.NewPCG(1, 2))
	const each = 1
	tried, missed := 0, map[string]int{}
	for _, rule := range redact.Builtin() {
		for range each {
			c, ok := generate(rule, random)
			if !ok {
				t.Errorf("rule %s: no canary could be made", rule.ID)
				break
			}
			for place, line := range places {
				for encoding, encode := range encodings {
					tried++
					written, forbidden := encode(c)
					in := []byte(strings.Replace(line, "%s", written, 1))
					out, found := r.Line(in)
					if bytes.Contains(out, []byte(forbidden)) {
						missed[rule.ID+" "+encoding]++
						if missed[rule.ID+" "+encoding] == 1 {
							t.Logf("missed %s in %s, %s: %q", rule.ID, place, encoding, c.text)
						}
						continue
					}
					checkLine(t, in, out, found)
				}
			}
		}
	}
	sum := 0
	for _, n := range missed {
		sum += n
	}
	rate := 100 * float64(tried-sum) / float64(tried)
	t.Logf("%d canaries, %d missed, %.2f %% found", tried, sum, rate)
	if rate < 99.5 {
		t.Errorf("%.2f %% of the canaries were found; want 99.5", rate)
	}
}

// TestKnownSecrets wants every known value found everywhere.
func TestKnownSecrets(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	values := []string{"hunter2!", "correct horse battery staple", `quote"back\slash/&<>%+`, "пароль-секрет", "line one of it\nline two of it", "000000000000"}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+/=.:~!#"
	for n := 8; n < 80; n += 5 {
		value := make([]byte, n)
		for i := range value {
			value[i] = letters[random.IntN(len(letters))]
		}
		values = append(values, string(value))
	}
	var secrets []redact.Secret
	for i, value := range values {
		secrets = append(secrets, redact.Secret{Name: fmt.Sprintf("SECRET_%d", i), Value: value})
	}
	r := newRedactor(t, redact.Options{Secrets: secrets})
	for i, value := range values {
		for _, around := range [][2]string{{"", ""}, {"x", "y"}, {"ab=", "&c"}, {"user:", "@host"}} {
			c := canary{"", around[0] + value + around[1], len(around[0]), len(around[0]) + len(value)}
			for place, line := range places {
				for encoding, encode := range encodings {
					if encoding == "unicode" && i == 3 {
						continue // unicoded writes bytes
					}
					written, forbidden := encode(c)
					in := []byte(strings.Replace(line, "%s", written, 1))
					out, found := r.Line(in)
					if bytes.Contains(out, []byte(forbidden)) || len(found) == 0 {
						t.Errorf("%q in %s, %s: Line(%s) = %s", c.text, place, encoding, in, out)
						continue
					}
					checkLine(t, in, out, found)
				}
			}
		}
	}
}

// generate makes a text that the rule describes, by the rule's own words: it is
// independent of how the package matches.
func generate(rule redact.Rule, random *rand.Rand) (canary, bool) {
	if rule.ID == "private-key" { // whose expression allows anything between the lines
		rule.Regex = `-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----\n((?:[A-Za-z0-9+/]{64}\n){4,8}[A-Za-z0-9+/]{22}==)\n-----END PRIVATE KEY-----`
	}
	re := regexp.MustCompile(rule.Regex)
	tree, err := syntax.Parse(rule.Regex, syntax.Perl)
	if err != nil {
		return canary{}, false
	}
	for range 400 {
		var out strings.Builder
		write(&out, tree, random)
		text := out.String()
		groups := re.FindStringSubmatchIndex(text)
		if groups == nil || !slices.ContainsFunc(rule.Keywords, func(w string) bool {
			return strings.Contains(strings.ToLower(text), strings.ToLower(w))
		}) {
			continue
		}
		group := rule.SecretGroup
		for i := 1; group == 0 && i < len(groups)/2; i++ {
			if groups[2*i] >= 0 && groups[2*i] < groups[2*i+1] {
				group = i
			}
		}
		c := canary{rule.ID, text, groups[2*group], groups[2*group+1]}
		if bits(c.secret()) > rule.Entropy && !slices.ContainsFunc(rule.Allowlists, func(a redact.Allowlist) bool { return excepts(a, c) }) {
			return c, true
		}
	}
	return canary{}, false
}

func excepts(a redact.Allowlist, c canary) bool {
	target := c.secret()
	if a.RegexTarget != "" {
		target = c.text
	}
	for _, expr := range a.Regexes {
		if regexp.MustCompile(expr).MatchString(target) {
			return true
		}
	}
	return slices.ContainsFunc(a.StopWords, func(w string) bool {
		return strings.Contains(strings.ToLower(c.secret()), strings.ToLower(w))
	})
}

func bits(s string) float64 {
	counts := map[rune]int{}
	for _, c := range s {
		counts[c]++
	}
	sum := 0.0
	for _, n := range counts {
		p := float64(n) / float64(len(s))
		sum -= p * math.Log2(p)
	}
	return sum
}

// write writes a text that an expression matches. Where it has a choice it takes
// what people write: printable ASCII, and few repeats beyond those demanded.
func write(out *strings.Builder, re *syntax.Regexp, random *rand.Rand) {
	times := func(low, high int) {
		for range low + random.IntN(high-low+1) {
			write(out, re.Sub[0], random)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		out.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		var chars []rune
		for c := rune(' '); c < 0x7f; c++ {
			for i := 0; i < len(re.Rune); i += 2 {
				if re.Rune[i] <= c && c <= re.Rune[i+1] {
					chars = append(chars, c)
				}
			}
		}
		if len(chars) == 0 {
			chars = re.Rune[:1]
		}
		out.WriteRune(chars[random.IntN(len(chars))])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		out.WriteByte("abc...."[random.IntN(7)])
	case syntax.OpStar:
		times(0, 3)
	case syntax.OpPlus:
		times(1, 8)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		high := re.Max
		if high < 0 || high > re.Min+20 {
			high = re.Min + 20
		}
		times(re.Min, high)
	case syntax.OpAlternate:
		write(out, re.Sub[random.IntN(len(re.Sub))], random)
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			write(out, sub, random)
		}
	}
}
