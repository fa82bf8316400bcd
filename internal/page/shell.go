package page

import (
	_ "embed"
	"strings"
	"unicode/utf8"
)

// Font is the font of the pages that a server sends: Inter, variable, in a Latin
// subset, under the SIL Open Font License in inter-OFL.txt. Exported pages go
// without it, because they load nothing.
//
//go:embed inter.woff2
var Font []byte

// FontLicense is the license of Font.
//
//go:embed inter-OFL.txt
var FontLicense string

// Face is the rule by which a style sheet refers to Font.
const Face = `@font-face{font-family:"Inter";src:url("inter.woff2") format("woff2");font-weight:100 900;font-display:swap;unicode-range:U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215}
`

// Icons is the HTML of all symbols that Icon refers to.
//
//go:embed icons.svg
var Icons string

// Icon returns the HTML of an icon. More classes are separated by spaces.
func Icon(name, classes string) string {
	return `<svg class="` + strings.TrimSpace("i "+classes) + `" aria-hidden="true"><use href="#i-` + name + `"/></svg>`
}

// An Agent is a program whose sessions are shown: its mark is a letter in its
// color.
type Agent struct{ Root, Class, Letter, Name string }

var agents = []Agent{
	{"pi", "a-pi", "π", "pi"}, {"claude", "a-claude", "C", "Claude Code"}, {"codex", "a-codex", "X", "Codex"},
	{"gemini", "a-gemini", "G", "Gemini"}, {"opencode", "a-opencode", "O", "OpenCode"}, {"copilot", "a-other", "P", "Copilot"},
	{"kimi", "a-other", "K", "Kimi"}, {"qwen", "a-other", "Q", "Qwen"}, {"openclaw", "a-other", "W", "OpenClaw"},
	{"atomic", "a-other", "A", "Atomic"}, {"oh-my-pi", "a-other", "M", "oh-my-pi"}, {"team", "a-other", "T", "team"},
}

// AgentOf returns the agent of the sessions under a root of a catalog. Sessions
// in a directory of the user's choice are those of pi.
func AgentOf(root string) Agent {
	if root == "" || root == "custom" {
		root = "pi"
	}
	for _, a := range agents {
		if a.Root == root {
			return a
		}
	}
	name := OneLine(root, 20)
	_, size := utf8.DecodeRuneInString(name)
	return Agent{root, "a-other", strings.ToUpper(name[:size]), name}
}

// Mark returns the HTML of the mark of an agent. Its name is for readers of
// screens too, unless it is next to the mark.
func (a Agent) Mark(classes string, named bool) string {
	s := `<span class="` + strings.TrimSpace("agent "+a.Class+" "+classes) + `" title="` + Escaped(a.Name) + `"><span aria-hidden="true">` + Escaped(a.Letter) + `</span>`
	if !named {
		s += `<span class="vh">` + Escaped(a.Name) + `</span>`
	}
	return s + `</span>`
}

// Brand is the name of the program with its sign.
const Brand = `<svg viewBox="0 0 18 18" aria-hidden="true"><circle cx="9" cy="9" r="7.5" fill="none" stroke="var(--accent)" stroke-width="2"/><path d="M9 4.5v9M9 9.5c0-2.5 3.5-1.5 3.5-4" fill="none" stroke="var(--accent)" stroke-width="2" stroke-linecap="round"/></svg>pith`

// Buttons are the buttons at the end of the top bar.
var Buttons = `<button class="btn icon ghost" id="theme" type="button" aria-label="Light or dark">` + Icon("moon", "") + `</button><button class="btn icon ghost wide" id="keys" type="button" aria-label="Keys">` + Icon("key", "") + `</button>`

// Help returns the dialog with the keys of a page. A name of keys is followed by
// what they do.
func Help(keys ...string) string {
	var s strings.Builder
	s.WriteString(`<dialog id="help" aria-labelledby="help-title"><h2 id="help-title">Keys</h2><dl>`)
	for i := 0; i+1 < len(keys); i += 2 {
		s.WriteString(`<div><dt>`)
		for key := range strings.FieldsSeq(keys[i]) {
			s.WriteString(`<kbd>` + Escaped(key) + `</kbd> `)
		}
		s.WriteString(`</dt><dd>` + Escaped(keys[i+1]) + `</dd></div>`)
	}
	s.WriteString(`</dl><button class="btn" type="button">Close</button></dialog>` + "\n")
	return s.String()
}
