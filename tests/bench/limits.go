package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// A limit is a row of the table of limits: one kind of work, its peers or
// physical limits, and its goals. A section measures the figures, and the table
// refers to them by their labels, so labels are unique. A row without a figure
// in this run says so. Missing a goal never fails a run, since the machine may
// be busy.
type limit struct {
	work  string
	peers []string // programs, such as "pi", or labels of other figures; goals compare with the first
	goals []goal
}

// A goal bounds one figure. Exactly one of most, times and over is set.
type goal struct {
	figure string
	most   float64 // the figure is at most this, in its unit
	times  float64 // the peer needs at least this many times more
	over   float64 // the figure is at most this multiple of the peer's
	unit   func(float64) string
}

func within(figure string, d time.Duration) goal {
	return goal{figure: figure, most: d.Seconds(), unit: seconds}
}
func memory(figure string, mb float64) goal {
	return goal{figure: figure, most: mb * 1e6, unit: megabytes}
}
func share(figure string, percents float64) goal {
	return goal{figure: figure, most: percents, unit: percent}
}
func faster(figure string, times float64) goal     { return goal{figure: figure, times: times} }
func atMostOver(figure string, times float64) goal { return goal{figure: figure, over: times} }

// opening is the time of a process that opens the session and does no more.
const opening = "a process that opens PATH and ends"

// limits are the rows of the table, in its order.
var limits = []limit{
	{"`context PATH --json` of 100 MB, empty cache", []string{"pi", readingIt}, []goal{faster("pith context PATH --json", 45)}},
	{"the first `ls --all`, 1,000 sessions, 500 MB", []string{"pi"}, []goal{faster(firstList, 35)}},
	{"`ls --all --limit 30`, 100,000 sessions, nothing changed", []string{findOf(100_000)}, []goal{atMostOver(listAgainOf(100_000), 1.5), memory(listPeakOf(100_000), 64)}},
	{"the same, the first time", []string{findOf(100_000)}, []goal{within(firstListOf(100_000), 5*time.Second)}},
	{"a directory with 400 MB of NULs", nil, hostileGoals("400 MB of NULs")},
	{"a directory with a message of 300 MB", nil, hostileGoals("a message of 300 MB")},
	{"a directory with a sparse file of 20 GB", nil, hostileGoals("a sparse file of 20 GB")},
	{"`tree PATH` of 100 MB", []string{"pi"}, []goal{faster("pith tree PATH", 6)}},
	{"`show --last 20` of 100 MB", []string{opening}, []goal{atMostOver("pith show PATH --last 20", 1.1)}},
	{"`tree` of 1 million entries", nil, []goal{memory("pith tree, 1 million: peak memory, the first time", 120)}},
	{"`show` of 1 million entries", nil, []goal{memory("pith show, 1 million: peak memory, the first time", 120)}},
	{"`tree` of 5 million entries", nil, []goal{memory("pith tree, 5 million: peak memory, the first time", 250)}},
	{"`show` of 5 million entries", nil, []goal{memory("pith show, 5 million: peak memory, the first time", 250)}},
	{"`tree -i` of 1 million entries", nil, []goal{memory(interactivePeak, 150)}},
	{"`usage`, 500 MB, empty cache", []string{"ccusage"}, []goal{within(usageFirst, 300*time.Millisecond)}},
	{"`usage`, 500 MB, again", nil, []goal{within(usageAgain, 30*time.Millisecond)}},
	{"index of words, 1,000 sessions, 500 MB", nil, []goal{within(wordsIndex, 8*time.Second)}},
	{"search of 10 million entries, best first, 95 of 100", nil, []goal{within(fmt.Sprintf(bestOf, 10), 50*time.Millisecond)}},
	{"the first question to `pith mcp`, 10 million entries, 2.5 GB", nil, []goal{within(fmt.Sprintf(mcpFirst, 10), 100*time.Millisecond)}},
	{"`ls` of a team of 1,000 people", nil, []goal{within(teamList, 100*time.Millisecond)}},
	{"`search` of a team of 1,000 people, 95 of 100, nothing copied", nil, teamGoals()},
	{"`push` of one line, 1,000 sessions in the database", nil, []goal{within(teamPush, 50*time.Millisecond)}},
	{"`export` of a picture of 100 MB", nil, []goal{memory(hostilePeak("a picture of 100 MB"), 64)}},
	{"`go run ./cmd/pith`, empty caches", []string{emptyStd}, []goal{within(emptyBuild, 100*time.Second)}},
	{"the test command, empty caches (`go run ./tests` prints its time)", nil, []goal{within("go run ./tests", 10*time.Minute)}},
	{"start of the program", []string{helloWorld}, []goal{within("pith --version: the start of the program", 6*time.Millisecond)}},

	{"first screen of the app, 1,000 sessions", nil, []goal{within(firstScreen(1000), 50*time.Millisecond)}},
	{"first screen of the app, 100,000 sessions", nil, []goal{within(firstScreen(100_000), 100*time.Millisecond)}},
	{"a key in the list, 1,000 sessions, 95 of 100", nil, []goal{within(keysIn("list", 1000)+keys95, 33*time.Millisecond)}},
	{"a key in the tree, 95 of 100", nil, []goal{within(keysIn("tree", 1000)+keys95, 33*time.Millisecond)}},
	{"a key in the conversation, 95 of 100", nil, []goal{within(keysIn("conversation", 1000)+keys95, 33*time.Millisecond)}},
	{"a key in the list, 100,000 sessions, 95 of 100", nil, []goal{within(keysIn("list", 100_000)+keys95, 100*time.Millisecond)}},
	{"a search in the app settles, 1,000 sessions", nil, []goal{within(appSearch, 250*time.Millisecond)}},
	{"a search on a page, 1,000 sessions: first rows; all matches", nil, []goal{within(pageSearch, 250*time.Millisecond), within(pageMatches, 250*time.Millisecond)}},
	{"a session of 100 MB on a page", nil, []goal{within(largePage, 700*time.Millisecond)}},
}

// hostileGoals are those of any file.
func hostileGoals(what string) []goal {
	return []goal{memory(hostilePeak(what), 64), within(hostileTime(what), time.Second)}
}

// A result has the medians of one figure by program.
type result struct {
	unit    func(float64) string
	medians map[string]float64
}

// note records the median of a figure. If two sections have the same figure,
// the first counts.
func (b *bench) note(f figure, program string, amount float64) {
	if b.results == nil {
		b.results = map[string]result{}
	}
	r, known := b.results[f.what]
	if !known {
		r = result{f.unit, map[string]float64{}}
		b.results[f.what] = r
	}
	if _, known := r.medians[program]; !known {
		r.medians[program] = amount
	}
}

// peer returns the name and the amount of what a figure is compared with: the
// newest release of a program, or another figure of pith. The amount is zero if
// it was not measured.
func (b *bench) peer(name, figure string) (string, float64) {
	best := ""
	for program := range b.results[figure].medians {
		if strings.HasPrefix(program, name+" ") && program > best {
			best = program
		}
	}
	if best != "" {
		return best, b.results[figure].medians[best]
	}
	return name, b.results[name].medians["pith"]
}

// An outcome is a goal and what came of it.
type outcome struct {
	goal, result string
	share        float64 // of the goal that is used; more than 1 is a miss, 0 means not measured
}

func (b *bench) outcome(l limit, g goal) outcome {
	own := b.results[g.figure].medians["pith"]
	if g.most > 0 {
		if own == 0 {
			return outcome{goal: g.unit(g.most)}
		}
		return outcome{g.unit(g.most), g.unit(own), own / g.most}
	}
	_, peer := b.peer(l.peers[0], g.figure)
	o := outcome{goal: fmt.Sprintf("%gx less than %s", g.times, l.peers[0])}
	if g.over > 0 {
		o.goal = fmt.Sprintf("at most %gx that", g.over)
	}
	switch {
	case own == 0 || peer == 0:
		return o
	case g.over > 0:
		o.result, o.share = digits(own/peer)+"x", own/peer/g.over
	default:
		o.result, o.share = digits(peer/own)+"x less", g.times*own/peer
	}
	o.result += ": " + b.results[g.figure].unit(own)
	return o
}

// printLimits prints the table of limits.
func (b *bench) printLimits(w io.Writer) {
	fmt.Fprint(w, "\n### Limits: goals, and the results of this run\n\n| work | peer or limit | goal | result | reached |\n| --- | --- | --- | --- | --- |\n")
	for _, l := range limits {
		var peers, goals, results []string
		reached, missed := 0, 0
		for _, p := range l.peers {
			name, amount := b.peer(p, l.goals[0].figure)
			if amount > 0 {
				name += ": " + b.results[l.goals[0].figure].unit(amount)
			}
			peers = append(peers, name)
		}
		for _, g := range l.goals {
			o := b.outcome(l, g)
			goals = append(goals, o.goal)
			switch {
			case o.share == 0:
				results = append(results, "not measured")
			case o.share <= 1:
				reached++
				results = append(results, o.result)
			default:
				missed++
				results = append(results, o.result)
			}
		}
		verdict := "yes"
		switch {
		case missed > 0 && reached > 0:
			verdict = fmt.Sprintf("%d of %d", reached, len(l.goals))
		case missed > 0:
			verdict = "no"
		case reached < len(l.goals):
			verdict = ""
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", l.work, strings.Join(peers, "; "), strings.Join(goals, "; "), strings.Join(slices.Compact(results), "; "), verdict)
	}
}

// limitsChart draws the measured goals: how much of each is used, on a
// logarithmic scale with the goal in the middle.
func (b *bench) limitsChart() string {
	const left, half, each, octaves = 440, 190, 24, 4 // from a sixteenth of a goal to sixteen times it
	type bar struct {
		label string
		outcome
	}
	var bars []bar
	for _, l := range limits {
		for _, g := range l.goals {
			if o := b.outcome(l, g); o.share > 0 {
				bars = append(bars, bar{strings.ReplaceAll(l.work, "`", ""), o})
			}
		}
	}
	var s strings.Builder
	height := len(bars)*each + 50
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 990 %d" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="How much of each goal is used">`+"\n", height)
	s.WriteString("<style>rect.page{fill:#fff}text{fill:#24292f}line{stroke:#8b949e}.met{fill:#0f766e}.missed{fill:#c2410c}" +
		"@media (prefers-color-scheme:dark){rect.page{fill:#0d1117}text{fill:#e6edf3}.met{fill:#2dd4bf}.missed{fill:#fb923c}}</style>\n")
	fmt.Fprintf(&s, `<rect class="page" width="990" height="%d" rx="8"/>`+"\n", height)
	middle := left + half
	for i, mark := range []string{"1/16", "1/4", "goal", "4x", "16x"} {
		fmt.Fprintf(&s, `<text x="%d" y="20" text-anchor="middle">%s</text>`+"\n", left+i*half/2, mark)
	}
	fmt.Fprintf(&s, `<line x1="%d" y1="28" x2="%d" y2="%d"/>`+"\n", middle, middle, height-14)
	for i, r := range bars {
		y := 36 + i*each
		long := math.Max(-octaves, math.Min(octaves, math.Log2(r.share))) / octaves * half
		class, x := "met", float64(middle)+long
		if long > 0 {
			class, x = "missed", float64(middle)
		}
		fmt.Fprintf(&s, `<text x="%d" y="%d" text-anchor="end">%s</text><rect class="%s" x="%.0f" y="%d" width="%.0f" height="14" rx="2"/><text x="%d" y="%d">%s</text>`+"\n",
			left-10, y+12, r.label, class, x, y, math.Max(2, math.Abs(long)), left+2*half+10, y+12, r.result)
	}
	s.WriteString("</svg>\n")
	return s.String()
}
