package page

import (
	"fmt"
	"github.com/pith-sessions/pith/internal/amount"
	"math"
	"strconv"
	"strings"
)

// A Frame is the part of a page around the conversation.
type Frame struct {
	Title   string
	Cwd     string
	Notices []string // important notes for readers, a paragraph each
	Short   string   // a note for readers without scripts
	Limit   int64    // token limit of the model; 0 if unknown
	Crumb   string   // HTML before the title in the top bar
	Bar     string   // HTML of more buttons in that bar
	Below   string   // HTML below the facts
}

// Begin returns the HTML from the start of the body to the first entry.
func (f Frame) Begin(d *Document) string {
	title := Escaped(f.Title)
	var s strings.Builder
	s.WriteString(`<a class="skip" href="#conversation">skip to the conversation</a>
<header class="top"><b>pith</b><span class="crumb">` + f.Crumb + `<span class="title">` + title + `</span></span><span class="grow"></span><input id="search" type="search" class="search js-only" placeholder="Search all branches" aria-label="Search all branches">` + f.Bar + `<button type="button" class="js-only" id="unfold" aria-pressed="false">unfold all</button><button type="button" class="js-only" id="theme" aria-label="Light or dark">◐</button><button type="button" class="js-only" id="keys" aria-label="Keys">?</button></header>
<main><aside aria-label="Session tree"><div class="tools"><button type="button" data-filter="all" aria-pressed="true">All</button><button type="button" data-filter="user" aria-pressed="false">You</button><button type="button" data-filter="talk" aria-pressed="false">No tools</button><button type="button" data-filter="labels" aria-pressed="false">Labels</button><span class="grow"></span><span id="count" role="status"></span></div><div id="rows" class="rows" role="tree" tabindex="0" aria-label="Entries"></div></aside>
<article><h1>` + title + `</h1>
`)
	s.WriteString(f.facts(d))
	s.WriteString("<noscript><p class=\"notice\">Times are in UTC.</p></noscript>\n")
	s.WriteString(f.Below)
	for _, note := range f.Notices {
		s.WriteString(`<p class="notice">` + Escaped(note) + "</p>\n")
	}
	if f.Short != "" {
		s.WriteString(`<noscript><p class="notice">` + Escaped(f.Short) + "</p></noscript>\n")
	}
	s.WriteString(Window(d.Facts.Window, f.Limit))
	s.WriteString(`<div id="conversation"`)
	if !d.whole() {
		s.WriteString(` data-part="1"`)
	}
	s.WriteString(">\n")
	return s.String()
}

// whole reports whether the page contains all of the path before its script
// runs.
func (d *Document) whole() bool { return d.NoScript && d.cut == 0 && d.Left == 0 }

// Short returns a note about the parts of a document that can be read only with
// scripts, or "".
func (d *Document) Short() string {
	var left []string
	if d.Brief {
		left = append(left, "tool output")
	}
	if d.Left > 0 {
		left = append(left, Count(int64(d.Left), "earlier entry"))
	}
	if len(left) == 0 {
		return ""
	}
	return "This is a long session. Without scripts this page omits " + strings.Join(left, " and ") + "."
}

// End closes the elements that Begin opened.
const End = `</div></article></main>
<dialog id="help" aria-label="Keys"><p><kbd>/</kbd> search all branches · <kbd>n</kbd> <kbd>N</kbd> next and previous match</p><p><kbd>j</kbd> <kbd>k</kbd> next and previous message · <kbd>}</kbd> <kbd>{</kbd> next and previous user message · <kbd>g</kbd> <kbd>G</kbd> first and last entry</p><p><kbd>t</kbd> tree: arrows move, left and right fold · <kbd>b</kbd> next branch · <kbd>c</kbd> next compaction</p><p><kbd>m</kbd> context of the model · <kbd>y</kbd> copy · <kbd>f</kbd> unfold all · <kbd>d</kbd> light or dark</p><p><kbd>Esc</kbd> close or go back · <kbd>?</kbd> keys</p><button type="button">close</button></dialog>
`

// TitleOf returns the name of a session, or its first user message.
func (d *Document) TitleOf(name, id string) string {
	switch {
	case name != "":
		return OneLine(name, 120)
	case d.prompt != "":
		return d.prompt
	}
	return "session " + id
}

func (f Frame) facts(d *Document) string {
	var s strings.Builder
	s.WriteString(`<div class="facts">`)
	fact := func(bold, rest string) {
		switch {
		case bold != "":
			s.WriteString("<span><b>" + Escaped(bold) + "</b>" + Escaped(rest) + "</span>")
		case rest != "":
			s.WriteString("<span>" + Escaped(rest) + "</span>")
		}
	}
	fact(d.Facts.Model, "")
	fact(amount.Cost(d.Facts.Spent), "")
	if d.Facts.Spent.Tokens > 0 {
		fact(Count(d.Facts.Spent.Tokens, "token"), "")
	}
	if !d.Facts.First.IsZero() {
		s.WriteString("<span>" + Time(d.Facts.First) + " to " + Time(d.Facts.Last) + "</span>")
	}
	fact("", f.Cwd)
	fact(Count(int64(len(d.Wanted)), "entry"), "")
	s.WriteString("</div>\n")
	return s.String()
}

// Window draws the size of the context at each response, with the limit of the
// model if it is known. It returns "" for fewer than two responses.
func Window(bars []Bar, limit int64) string {
	if len(bars) < 2 {
		return ""
	}
	most, cuts := int64(1), 0
	for _, bar := range bars {
		most = max(most, bar.Tokens)
		if bar.Compacted {
			cuts++
		}
	}
	top := roundUp(most)
	summary := "at most " + Count(most, "token")
	if limit > 0 {
		summary += fmt.Sprintf(" of %s, %d %%", short(limit), (100*most+limit/2)/limit)
		if limit <= 4*most { // otherwise there would be mostly empty space
			top = max(top, limit)
		}
	}
	if cuts > 0 {
		summary += `, <span class="key"></span>` + Count(int64(cuts), "compaction")
	}
	const columns = 400 // more responses than that share a bar, which shows the largest
	each := (len(bars) + columns - 1) / columns
	n := (len(bars) + each - 1) / each
	var s strings.Builder
	fmt.Fprintf(&s, `<figure class="window"><figcaption><span>Context size by response</span><span>%s</span></figcaption><div class="axis" aria-hidden="true"><span>%s</span><span>%s</span><span>0</span></div><svg viewBox="0 0 1000 90" preserveAspectRatio="none" role="img" aria-label="Context size over %s, at most %s, %s"><path class="grid" d="M0 1H1000M0 45H1000M0 89H1000"/>`,
		summary, short(top), short(top/2), Count(int64(len(bars)), "response"), Count(most, "token"), Count(int64(cuts), "compaction"))
	height := func(tokens int64) float64 { return 88 * float64(tokens) / float64(top) }
	if limit > 0 && limit <= top {
		fmt.Fprintf(&s, `<path class="limit" d="M0 %.1fH1000"/>`, 89-height(limit))
	}
	slot := 1000 / float64(n)
	wide := min(max(slot*.8, .6), 60)
	for k := range n {
		largest, cut := Bar{Tokens: -1}, false
		for _, bar := range bars[k*each : min(len(bars), (k+1)*each)] {
			if cut = cut || bar.Compacted; bar.Tokens > largest.Tokens {
				largest = bar
			}
		}
		at := float64(k) * slot
		fmt.Fprintf(&s, `<rect class="bar" data-at="%d" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`,
			largest.At, at+(slot-wide)/2, 89-height(largest.Tokens), wide, height(largest.Tokens), Count(largest.Tokens, "token"))
		if cut {
			fmt.Fprintf(&s, `<path class="cut" d="M%.1f 1V89"/>`, at)
		}
	}
	s.WriteString("</svg></figure>\n")
	return s.String()
}

// roundUp returns a round number for the end of an axis.
func roundUp(n int64) int64 {
	unit := int64(1)
	for unit < math.MaxInt64/100 && unit*10 <= n {
		unit *= 10
	}
	for _, times := range []int64{1, 2, 4, 6, 8} {
		if unit*times >= n {
			return unit * times
		}
	}
	return 10 * unit
}

// short formats a number of tokens for an axis.
func short(n int64) string {
	switch {
	case n >= 1e6:
		return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) + "M"
	case n >= 1000:
		return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64) + "k"
	}
	return strconv.FormatInt(n, 10)
}
