package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/internal/amount"
)

// A Frame is the part of a page around the conversation.
type Frame struct {
	Title   string
	Project string
	Notices []Notice
	Short   string // a note for readers without scripts
	Limit   int64  // token limit of the model; 0 if unknown
	Home    string // the address of the list of sessions; "" if there is none
	Chips   string // HTML after the title in the top bar
	Tools   string // HTML at the end of the toolbar
	Compare string // the address of the comparison of branches; "" if there is none
}

// A Notice is an important note for readers.
type Notice struct {
	Text    string
	Command string // what to run, or ""
	Bad     bool
}

// Begin returns the HTML from the start of the body to the first turn.
func (f Frame) Begin(d *Document) string {
	title := Escaped(f.Title)
	var s strings.Builder
	s.WriteString(`<a class="skip" href="#main">Skip to the conversation</a>` + Icons + `<header class="top">`)
	if f.Home == "" {
		s.WriteString(`<span class="brand wide">` + Brand + `</span><div class="crumb"><span class="cut" dir="auto">` + title + `</span></div>`)
	} else {
		s.WriteString(`<a class="btn icon ghost narrow" href="` + f.Home + `" aria-label="Sessions">` + Icon("back", "") + `</a><a class="brand wide" href="` + f.Home + `">` + Brand + `</a><div class="crumb"><a class="wide" href="` + f.Home + `">Sessions</a><span class="wide">/</span><span class="cut" dir="auto">` + title + `</span></div>`)
	}
	s.WriteString(f.Chips + `<span class="grow"></span><div class="find wide">` + Icon("search", "") + `<input id="search" type="search" aria-label="Search in this session, all branches" placeholder="Search in all branches" size="26" autocomplete="off" spellcheck="false"><span class="hint"><span id="count" role="status"></span><kbd>/</kbd></span></div><button class="btn icon ghost narrow" type="button" id="open-find" aria-label="Search in this session">` + Icon("search", "") + `</button>` + Buttons + `</header>
<div class="split"><aside class="side" aria-label="Tree"><div class="sheet">Tree<span class="grow"></span><button class="btn icon ghost" type="button" data-tree="" aria-label="Close the tree">` + Icon("x", "") + `</button></div>`)
	s.WriteString(`<div class="bar"><div class="seg" role="group" aria-label="Show in the tree"><button type="button" data-show="all" aria-pressed="true">All</button><button type="button" data-show="prompts" aria-pressed="false">Prompts</button><button type="button" data-show="edits" aria-pressed="false">Edits</button><button type="button" data-show="failed" aria-pressed="false">Failed <span class="num"></span></button></div><span class="grow"></span><span class="faint num" id="rows"></span></div><div class="tree" id="tree" role="tree" tabindex="0" aria-label="Turns and calls"></div><div class="legend"><span>` + Icon("branch", "") + `</span><span id="branches">` + Count(int64(d.Facts.Branches), "branch") + `</span><span class="grow"></span><span><kbd>b</kbd> next branch point</span></div></aside>
<main id="main"><article>`)
	s.WriteString(f.Head(d))
	s.WriteString(f.toolbar(d))
	for _, note := range f.Notices {
		class, icon := "notice", "read"
		if note.Bad {
			class, icon = "notice bad", "fail"
		}
		s.WriteString(`<p class="` + class + `">` + Icon(icon, "") + `<span>` + Escaped(note.Text))
		if note.Command != "" {
			s.WriteString(` <code>` + Escaped(note.Command) + `</code> says what is wrong.`)
		}
		s.WriteString("</span></p>\n")
	}
	s.WriteString("<noscript><p class=\"notice\"><span>Times are in UTC. " + Escaped(f.Short) + "</span></p>" + d.contents() + "</noscript>\n")
	s.WriteString(`<section id="context" aria-label="Context" data-limit="` + strconv.FormatInt(f.Limit, 10) + `" hidden></section><div id="conversation"`)
	if !d.whole() {
		s.WriteString(` data-part="1"`)
	}
	s.WriteString(">\n")
	return s.String()
}

// contents returns the prompts of the path as a box of links, for readers without scripts,
// who have no tree.
func (d *Document) contents() string {
	if len(d.Facts.Prompts) < 2 {
		return ""
	}
	s := `<details class="common" open><summary>` + Icon("tree", "") + Count(int64(len(d.Facts.Prompts)), "prompt") + `</summary><ol dir="auto">`
	for _, p := range d.Facts.Prompts {
		s += `<li><a href="#` + p.Anchor + `">` + Escaped(p.Text) + `</a></li>`
	}
	return s + `</ol></details>`
}

// toolbar returns the row of controls above the conversation.
func (f Frame) toolbar(d *Document) string {
	s := `<div class="acts"><div class="seg" role="group" aria-label="View"><button type="button" data-view="conversation" aria-pressed="true">Conversation</button><button type="button" data-view="context" aria-pressed="false">Context</button></div>`
	if f.Compare != "" && d.Facts.Branches > 1 {
		s += `<a class="btn" href="` + Escaped(f.Compare) + `" title="Compare branches">` + Icon("branch", "") + fmt.Sprintf(`<span>%d<span class="lbl"> branches</span></span></a>`, d.Facts.Branches)
	}
	return s + `<button class="btn" id="fold" type="button" aria-label="Expand all" aria-pressed="false">` + Icon("fold", "") + `<span class="lbl">Expand all</span></button><span class="grow"></span>` + f.Tools + "</div>\n"
}

// Head returns the summary of a session: what was asked, what came of it, and
// the facts.
func (f Frame) Head(d *Document) string {
	x := &d.Facts
	var s strings.Builder
	s.WriteString(`<header class="head" id="head"><h1 dir="auto">` + Escaped(f.Title) + `</h1>`)
	outcome := unmarked(x.Outcome)
	if !x.Failed {
		outcome, _, _ = strings.Cut(strings.TrimSpace(outcome), "\n")
		outcome = Sentence(outcome)
	}
	if x.Request != "" || outcome != "" {
		s.WriteString(`<p class="outcome">`)
		if x.Request != "" {
			s.WriteString(Icon("ask", "faint") + `<span dir="auto"><span class="vh">Asked: </span>` + Escaped(OneLine(x.Request, 240)) + `</span>`)
		}
		if outcome != "" {
			icon := Icon("okc", "ok")
			if x.Failed {
				icon = Icon("fail", "bad")
			}
			s.WriteString(icon + `<span dir="auto"><span class="vh">Outcome: </span>` + Escaped(OneLine(outcome, 300)) + `</span>`)
		}
		s.WriteString(`</p>`)
	}
	s.WriteString(`<div class="facts"><span>` + d.Agent.Mark("sm", true) + `<b>` + Escaped(d.Agent.Name) + `</b></span>`)
	for _, fact := range f.facts(d) {
		s.WriteString(`<span>` + fact + `</span>`)
	}
	s.WriteString(`</div>` + Strip(x.Window, f.Limit) + "</header>\n")
	return s.String()
}

// facts returns facts about a session as HTML.
func (f Frame) facts(d *Document) (out []string) {
	x := &d.Facts
	if f.Project != "" {
		out = append(out, Escaped(f.Project))
	}
	if !x.First.IsZero() {
		out = append(out, Time(x.First, "2 Jan 2006, 15:04"))
	}
	if x.Work >= time.Minute {
		out = append(out, Duration(x.Work.Round(time.Minute))+" of work")
	} else if x.Work > 0 {
		out = append(out, Duration(x.Work)+" of work")
	}
	if len(x.Files) > 0 {
		added, removed := 0, 0
		for _, c := range x.Files {
			added, removed = added+c.Added, removed+c.Removed
		}
		out = append(out, `<b>`+Count(int64(len(x.Files)), "file")+`</b> `+PlusMinus(added, removed))
	}
	if x.Spent.IsZero() && x.Spent.Unpriced == 0 {
		return out
	}
	for i, fact := range costFacts(x.Spent) {
		if i == 0 && (x.Spent.Cost > 0 || x.Spent.Unpriced > 0) {
			fact = `<b>` + fact + `</b>`
		} else if in := x.Spent.Input + x.Spent.CacheRead + x.Spent.CacheWrite; in > 0 && x.Spent.CacheRead > 0 {
			fact += fmt.Sprintf(", %d%% cached", 100*x.Spent.CacheRead/in)
		}
		out = append(out, fact)
	}
	return out
}

// End closes the elements that Begin opened.
func (d *Document) End() string {
	here := `<p class="end" id="end"><span class="chip here">current</span></p>`
	if d.Excerpt {
		here = ""
	}
	return `</div>` + here + end
}

var end = `</article></main></div>
<nav class="thumb" aria-label="Move in the session"><button class="btn" type="button" data-tree="">` + Icon("tree", "") + `Tree</button><button class="btn" type="button" data-go="-1">` + Icon("up", "") + `Previous</button><button class="btn" type="button" data-go="1">` + Icon("down", "") + `Next</button><button class="btn" type="button" data-go="end">` + Icon("end", "") + `Current</button></nav>
` + Help("/", "search all branches", "n N", "next, previous match", "j k ↓ ↑", "next, previous row", "Enter", "open the row", "g G", "first, last", "] [", "next, previous prompt", "t", "focus the tree", "← →", "fold, unfold a branch", "e", "expand or fold all", "b", "next branch point", "x", "context here", "c", "copy a command", "s u", "sessions, usage", "d", "light or dark", "Esc", "close, clear, back", "?", "these keys")

// TitleOf returns the name of a session, or its first user message.
func (d *Document) TitleOf(name, id string) string {
	switch {
	case name != "":
		return OneLine(name, 120)
	case d.Facts.Request != "":
		return OneLine(d.Facts.Request, 120)
	}
	return "session " + id
}

// Strip draws the size of the context at each response. It returns "" for fewer
// than two responses.
func Strip(bars []Bar, limit int64) string {
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
	top, peak := most, tokens(most)
	if limit > 0 {
		if peak += " of " + tokens(limit); limit <= 4*most { // otherwise there would be mostly empty space
			top = max(top, limit)
		}
	}
	const columns = 72 // more responses than that share a bar, which shows the largest
	each := (len(bars) + columns - 1) / columns
	n := (len(bars) + each - 1) / each
	var s strings.Builder
	s.WriteString(`<figure class="strip"><figcaption><span>Context by response, peak ` + peak + `</span>`)
	if cuts > 0 {
		s.WriteString(`<span><span class="warn" aria-hidden="true">|</span> ` + amount.Count(int64(cuts), "compaction") + `</span>`)
	}
	s.WriteString(`</figcaption><svg viewBox="0 0 1000 36" preserveAspectRatio="none" role="group" aria-label="Context size by response"><path d="M0 35.5h1000"/>`)
	slot := 1000 / float64(n)
	for k := range n {
		largest, cut, failed := Bar{Tokens: -1}, false, false
		for _, bar := range bars[k*each : min(len(bars), (k+1)*each)] {
			cut, failed = cut || bar.Compacted, failed || bar.Failed
			if bar.Tokens > largest.Tokens {
				largest = bar
			}
		}
		x, high := float64(k)*slot, 34*float64(largest.Tokens)/float64(top)
		if cut {
			fmt.Fprintf(&s, `<path class="comp" d="M%.1f 0v36"/>`, x)
		}
		class, name := "", fmt.Sprintf("Response %d: %s tokens", k*each+1, tokens(largest.Tokens))
		if failed {
			class, name = ` class="bad"`, name+", a call failed"
		}
		fmt.Fprintf(&s, `<a href="#%s"%s><title>%s</title><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/></a>`, largest.Anchor, class, name, x, 36-high, max(slot-min(2, slot/4), .4), high)
	}
	s.WriteString("</svg></figure>\n")
	return s.String()
}
