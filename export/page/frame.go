package page

import (
	"fmt"
	"strconv"
	"strings"
)

// A Frame is what stands around the conversation of a page.
type Frame struct {
	Title   string
	Cwd     string
	Notices []string // what a reader must know, a paragraph each
	Crumb   string   // HTML before the title in the bar at the top
	Bar     string   // HTML of more buttons in that bar
}

// Begin is the HTML from the beginning of the body to the first entry.
func (f Frame) Begin(d *Document) string {
	title := Escaped(f.Title)
	var s strings.Builder
	s.WriteString(`<a class="skip" href="#conversation">to the conversation</a>
<header class="top"><b>pith</b><span class="crumb">` + f.Crumb + title + `</span><span class="grow"></span><input id="search" type="search" class="search js-only" placeholder="Search all branches" aria-label="Search all branches">` + f.Bar + `<button type="button" class="js-only" id="unfold" aria-pressed="false">unfold</button><button type="button" class="js-only" id="theme" aria-label="light or dark">◐</button><button type="button" class="js-only" id="keys" aria-label="keys">?</button></header>
<main><aside aria-label="Tree of the session"><div class="tools"><button type="button" data-filter="all" aria-pressed="true">All</button><button type="button" data-filter="user" aria-pressed="false">You</button><button type="button" data-filter="talk" aria-pressed="false">No tools</button><button type="button" data-filter="labels" aria-pressed="false">Labels</button><span class="grow"></span><span id="count" role="status"></span></div><div id="rows" class="rows" role="tree" tabindex="0" aria-label="Entries"></div></aside>
<article><h1>` + title + `</h1>
`)
	s.WriteString(f.facts(d))
	for _, note := range f.Notices {
		s.WriteString(`<p class="notice">` + Escaped(note) + "</p>\n")
	}
	s.WriteString(Window(d.Facts.Window))
	s.WriteString(`<div id="conversation"`)
	if d.Left > 0 {
		s.WriteString(` data-part="1"`)
	}
	s.WriteString(">\n")
	return s.String()
}

// End closes what Begin opened.
const End = `</div></article></main>
<dialog id="help" aria-label="Keys"><p><kbd>/</kbd> search · <kbd>n</kbd> <kbd>N</kbd> next and previous hit</p><p><kbd>j</kbd> <kbd>k</kbd> next and previous message · <kbd>g</kbd> <kbd>G</kbd> first and last</p><p><kbd>t</kbd> the tree: arrows move, left and right fold</p><p><kbd>Esc</kbd> back · <kbd>?</kbd> this</p><button type="button">close</button></dialog>
`

// TitleOf is the name of a session, or how it begins.
func (d *Document) TitleOf(name, id string) string {
	if name != "" {
		return OneLine(name, 120)
	}
	for n := range d.Index.Kinds {
		if d.Index.Kinds[n] == 'u' && d.Index.Texts[n] != "" {
			return d.Index.Texts[n]
		}
	}
	return "session " + id
}

func (f Frame) facts(d *Document) string {
	var s strings.Builder
	s.WriteString(`<div class="facts">`)
	fact := func(bold, rest string) {
		if bold != "" {
			s.WriteString("<span><b>" + Escaped(bold) + "</b>" + Escaped(rest) + "</span>")
		}
	}
	fact(d.Facts.Model, "")
	fact(Dollars(d.Facts.Spent.Cost), "")
	if d.Facts.Spent.Tokens > 0 {
		fact(Count(d.Facts.Spent.Tokens, "token"), "")
	}
	if !d.Facts.First.IsZero() {
		fact(d.Facts.First.UTC().Format("2 Jan 2006, 15:04"), d.Facts.Last.UTC().Format(" to 2 Jan 2006, 15:04 UTC"))
	}
	fact(f.Cwd, "")
	fact(Count(int64(len(d.Wanted)), "step"), "")
	s.WriteString("</div>\n")
	return s.String()
}

// Window draws how large the context was at each answer; nothing when there are
// hardly any.
func Window(bars []Bar) string {
	if len(bars) < 2 {
		return ""
	}
	most := int64(1)
	for _, bar := range bars {
		most = max(most, bar.Tokens)
	}
	const columns = 400 // more answers than that share a bar, which shows the largest
	each := (len(bars) + columns - 1) / columns
	n := (len(bars) + each - 1) / each
	var s strings.Builder
	s.WriteString(`<figure class="window"><figcaption><span>What the model saw, answer by answer</span><span>at most ` + Count(most, "token") + `</span></figcaption><svg viewBox="0 0 1000 90" preserveAspectRatio="none" role="img" aria-label="size of the context over the conversation">`)
	for k := range n {
		group := bars[k*each : min(len(bars), (k+1)*each)]
		tokens, cut := int64(0), false
		for _, bar := range group {
			tokens = max(tokens, bar.Tokens)
			cut = cut || bar.Compacted
		}
		width := 1000 / float64(n)
		height := 80 * float64(tokens) / float64(most)
		at := float64(k) * width
		fmt.Fprintf(&s, `<rect class="bar" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, at, 86-height, min(max(width*.8, .6), 60), height)
		if cut {
			x := strconv.FormatFloat(at, 'f', 1, 64)
			s.WriteString(`<line class="cut" x1="` + x + `" x2="` + x + `" y1="4" y2="88"/>`)
		}
	}
	s.WriteString("</svg></figure>\n")
	return s.String()
}
