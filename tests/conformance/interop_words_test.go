package conformance_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// fragments are pieces of JSON string literals, each as JSON.stringify writes
// it. They are written by hand, so that no encoder checks itself.
var fragments = []string{
	`why is the build slow?`, `go on`, `x`, `{\"not\":\"json\"}`, `\"quoted\" and \\back\\slashed`,
	`a\tb\nc\r\nd\b\f`, `\u0000\u0001\u001b[31mred\u001b[0m\u001f` + "\x7f", "one\u2028two\u2029three\u0085four",
	`half \ud83d `, `\udc33 other half`, "🌳👩‍👩‍👧 whole", "日本語の枝と葉", "עברית עם nikud נִקּוּד", "e\u0301 \ufeff \ufffd \u00a0 \u200b",
	`<script>alert('&amp;')</script>`, `C:\\Users\\dev\\x.go`, `\"type\":\"message\",\"id\":\"aaaa0001\"`,
	`\n{\"type\":\"session\"}\n`, `10.0 1e21 -0`, "\U0010ffff\ue000\ufffe", `\\u0041 \\n`, `   `,
}

// words writes content. All of it is in the form in which JSON.stringify
// would write it again, so that what pi prints can be compared byte for byte.
type words struct {
	random *rand.Rand
	brief  bool // leaves out the long texts
}

func (w words) chance(in int) bool { return w.random.IntN(in) == 0 }

// text is a JSON string literal. One in a hundred is long.
func (w words) text() string {
	if w.chance(100) && !w.brief {
		return `"` + strings.Repeat(w.fragment()+" ", 1000+w.random.IntN(3000)) + `"`
	}
	var b strings.Builder
	for range 1 + w.random.IntN(4) {
		// The space keeps two halves of a surrogate pair apart.
		b.WriteString(w.fragment() + " ")
	}
	return `"` + b.String() + `"`
}

func (w words) fragment() string { return fragments[w.random.IntN(len(fragments))] }

// word is a short JSON string literal.
func (w words) word() string { return `"` + w.fragment() + `"` }

func (w words) image() string {
	data := make([]byte, 60+w.random.IntN(3000))
	for i := range data {
		data[i] = byte(w.random.Uint32())
	}
	return fmt.Sprintf(`{"type":"image","data":"%s","mimeType":"image/png"}`, base64.StdEncoding.EncodeToString(data))
}

func (w words) textBlock() string { return `{"type":"text","text":` + w.text() + `}` }

// spoken is content of a user or an extension: a string, or blocks.
func (w words) spoken() string {
	switch w.random.IntN(6) {
	case 0:
		return w.text()
	case 1:
		return `[` + w.textBlock() + `,` + w.image() + `]`
	case 2:
		return `[` + w.textBlock() + `,` + w.textBlock() + `]`
	}
	return `[` + w.textBlock() + `]`
}

func (w words) usage() string {
	in, out := w.random.IntN(100_000), w.random.IntN(4000)
	return fmt.Sprintf(`{"input":%d,"output":%d,"cacheRead":0,"cacheWrite":%d,"totalTokens":%d,`+
		`"cost":{"input":0.052975499999999995,"output":1e-7,"cacheRead":0,"cacheWrite":0.00382125,"total":0.05679684999999999}}`, in, out, out*2, in+out*3)
}

// details is any JSON.
func (w words) details() string {
	choices := []string{
		`null`, `true`, `0`, `1.5`, `1e+21`, `-1e-7`, `[]`, `{}`, w.text(),
		`{"readFiles":["a.go","日本.md"],"modifiedFiles":[],"note":` + w.text() + `}`,
		`[[[{"deep":[null,{"k":` + w.word() + `}]}]],12345678901234567000]`,
	}
	return choices[w.random.IntN(len(choices))]
}
