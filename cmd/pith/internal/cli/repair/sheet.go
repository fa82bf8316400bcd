package repair

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/doctor"
)

var severityTones = [...]tone.Tone{doctor.Note: tone.Dim, doctor.Warning: tone.Warning, doctor.Error: tone.Error}

// print tells of one file: its findings, and what became of them.
func (w *ward) print(t *treated) {
	w.Out.Printf("%s\n", w.Colors.Bold(termsafe.Line(w.Homely(t.before.File))))
	w.printFindings(w.shown(t.before))
	switch {
	case t.err != nil:
		w.Out.Printf("  %s %s\n", w.Colors.Paint(tone.Error, "not repaired:"), termsafe.Line(t.err.Error()))
	case t.out != nil && w.flags.dryRun:
		w.printHunks(t.out.Hunks)
		w.Out.Printf("  would be repaired; %s would remain\n", humanize.Count(len(w.shown(t.after)), "finding"))
	case t.out != nil && t.out.Backup != "":
		w.Out.Printf("  repaired, %s; the former file is %s\n", remaining(len(w.shown(t.after))), termsafe.Line(w.Homely(t.out.Backup)))
	case t.out != nil:
		w.Out.Printf("  repaired, %s\n", remaining(len(w.shown(t.after))))
	}
	w.Out.Print("\n")
}

// mostFilesAlike is how many files a note is told of one by one.
const mostFilesAlike = 3

// printWaiting tells of several files: those with errors first. A note that many
// files have is one line, and is not told of each.
func (w *ward) printWaiting() {
	files, repaired := map[doctor.Code]int{}, map[doctor.Code]int{}
	notes := map[doctor.Code]doctor.Finding{}
	for _, t := range w.waiting {
		seen := map[doctor.Code]bool{}
		for _, f := range w.shown(t.before) {
			if f.Severity == doctor.Note && !seen[f.Code] {
				seen[f.Code], notes[f.Code] = true, f
				files[f.Code]++
				if t.out != nil {
					repaired[f.Code]++
				}
			}
		}
	}
	common := func(f doctor.Finding) bool { return f.Severity == doctor.Note && files[f.Code] > mostFilesAlike }
	slices.SortStableFunc(w.waiting, func(a, b *treated) int { return cmp.Compare(worst(b), worst(a)) })
	for _, t := range w.waiting {
		report := *t.before
		report.Findings = slices.DeleteFunc(slices.Clone(report.Findings), common)
		if rest := *t; len(w.shown(&report)) > 0 {
			rest.before = &report
			w.print(&rest)
		}
	}
	for _, code := range doctor.Codes() {
		f := notes[code]
		if files[code] <= mostFilesAlike {
			continue
		}
		w.Out.Printf("%s\n", w.Colors.Bold(humanize.Count(files[code], "file")+" alike"))
		w.say(w.severity(doctor.Note), fmt.Sprintf("%s (%s)", termsafe.Line(f.Means), code))
		w.say(noSeverity, fmt.Sprintf("fix: %s; --json lists them", cmp.Or(termsafe.Line(f.Fix), "nothing to do")))
		if n := repaired[code]; n > 0 && w.flags.dryRun {
			w.Out.Printf("  %s would be repaired\n", humanize.Number(int64(n)))
		} else if n > 0 {
			w.Out.Printf("  %s repaired\n", humanize.Number(int64(n)))
		}
		w.Out.Print("\n")
	}
}

// worst is how bad the worst finding about a file is.
func worst(t *treated) doctor.Severity {
	most := doctor.Note
	for _, f := range t.before.Findings {
		most = max(most, f.Severity)
	}
	return most
}

func remaining(n int) string {
	if n == 1 {
		return "1 finding remains"
	}
	return humanize.Count(n, "finding") + " remain"
}

// printFindings prints findings in file order. What is the same for several in a
// row is said once, and of one kind only so many are listed.
func (w *ward) printFindings(list []doctor.Finding) {
	count := map[doctor.Code]int{}
	for i, f := range list {
		if count[f.Code]++; count[f.Code] > mostAlike {
			continue
		}
		w.printFinding(f)
		if i+1 < len(list) && list[i+1].Code == f.Code && list[i+1].Fix == f.Fix && count[f.Code] < mostAlike {
			continue
		}
		w.say(noSeverity, termsafe.Line(f.Means))
		w.say(noSeverity, "fix: "+cmp.Or(termsafe.Line(f.Fix), "nothing to do"))
	}
	for _, code := range doctor.Codes() {
		if more := count[code] - mostAlike; more > 0 {
			w.Out.Printf("  %s more of %s; --json lists them\n", humanize.Number(int64(more)), code)
		}
	}
}

func (w *ward) printFinding(f doctor.Finding) {
	where := ""
	if f.Line > 0 {
		where = fmt.Sprintf("line %d, byte %d: ", f.Line, f.Offset)
	}
	if f.EntryID != "" {
		where += "entry " + termsafe.Fit(f.EntryID, idCells) + ": "
	}
	w.say(w.severity(f.Severity), fmt.Sprintf("%s%s (%s)", where, termsafe.Line(f.What), f.Code))
}

// noSeverity stands before what goes on about a finding.
const noSeverity = "          "

// severity is what stands before a finding; it is as wide as noSeverity.
func (w *ward) severity(s doctor.Severity) string {
	return "  " + w.Colors.Paint(severityTones[s], fmt.Sprintf("%-7s", s)) + " "
}

// say prints a text behind its margin. A terminal gets it broken between words.
func (w *ward) say(margin, text string) {
	lines := []string{text}
	if room := w.Width() - len(noSeverity); room >= layout.LeastTitle {
		lines = layout.Wrap(text, room, 0)
	}
	w.Out.Print(margin + strings.Join(lines, "\n"+noSeverity) + "\n")
}

// How much of an id, and of a changed line, is shown.
const (
	idCells   = 40
	lineCells = 100
	lead      = 30 // cells of a line before what differs
	headCells = 45 // cells of where an entry stands, before what it says
	mostHunks = 200
	mostAlike = 20
)

// printHunks shows which lines change, cut to where they differ.
func (w *ward) printHunks(hunks []doctor.Hunk) {
	for i, h := range hunks {
		if i == mostHunks {
			w.Out.Printf("  @@ %s more\n", humanize.Count(len(hunks)-i, "place"))
			return
		}
		w.Out.Printf("  %s\n", w.Colors.Paint(tone.Note, fmt.Sprintf("@@ line %d @@", h.OldLine)))
		for n, line := range h.Old {
			w.Out.Printf("  %s\n", w.Colors.Paint(tone.Error, "- "+excerpt(line, counterpart(line, h.New, n))))
		}
		for n, line := range h.New {
			w.Out.Printf("  %s\n", w.Colors.Paint(tone.Assistant, "+ "+excerpt(line, counterpart(line, h.Old, n))))
		}
	}
}

// counterpart is the line that another one became, or was: of those about the same
// place the one that has most in common with it at both ends. It is nil for a line
// that was added or left out.
func counterpart(line []byte, among [][]byte, n int) []byte {
	const around = 4
	var best []byte
	most := len(line) / 2
	for _, other := range among[min(len(among), max(0, n-around)):min(len(among), n+around+1)] {
		head := common(line, other)
		tail := 0
		for tail < min(len(line), len(other))-head && line[len(line)-1-tail] == other[len(other)-1-tail] {
			tail++
		}
		if head+tail > most {
			best, most = other, head+tail
		}
	}
	return best
}

// common is how many bytes two lines begin with that are the same.
func common(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// excerpt is the part of a line in which it differs from another, harmless for a
// terminal. Of one that differs from its beginning on it is where the entry stands
// and what it says.
func excerpt(line, from []byte) string {
	at := common(line, from)
	if at == len(line) && at > 0 && !bytes.HasSuffix(line, []byte{'\n'}) {
		at-- // its end is what is missing
	}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	start := max(0, min(at, len(line))-lead)
	if start < lead/2 {
		start = 0 // too little to leave out
	}
	for start > 0 && start < len(line) && line[start]&0xC0 == 0x80 { // inside a character
		start--
	}
	if start > 0 {
		return "…" + termsafe.Fit(visible(line[start:]), lineCells)
	}
	for _, name := range []string{`"message":`, `"customType":`} {
		if at = bytes.Index(line, []byte(name)); at >= 0 {
			break
		}
	}
	if at < headCells || len(line) < lineCells {
		return termsafe.Fit(visible(line), lineCells)
	}
	return termsafe.Fit(visible(line[:at]), headCells) + termsafe.Fit(visible(line[at:]), lineCells-headCells)
}

// visible is the beginning of a line, in which bytes that are no characters can be
// seen.
func visible(line []byte) string {
	line = line[:min(len(line), 16*lineCells)]
	if utf8.Valid(line) {
		return string(line)
	}
	var b strings.Builder
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, line[0])
		} else {
			b.Write(line[:size])
		}
		line = line[size:]
	}
	return b.String()
}

// printSum prints what was found in all files.
func (w *ward) printSum() {
	text := fmt.Sprintf("%s checked: %s, %s, %s", humanize.Count(w.checked, "file"),
		humanize.Count(w.left[doctor.Error], "error"), humanize.Count(w.left[doctor.Warning], "warning"), humanize.Count(w.left[doctor.Note], "note"))
	switch {
	case w.flags.dryRun:
		text += fmt.Sprintf(" would remain; %s would change", humanize.Count(w.changed, "file"))
	case w.flags.fix:
		text += fmt.Sprintf(" remain; %s repaired", humanize.Count(w.changed, "file"))
	case w.fixable > 0:
		text += fmt.Sprintf("; %d can be repaired with --fix", w.fixable)
	}
	w.Out.Print(text + "\n")
	if w.fixable > 0 && !w.flags.repairs() {
		w.Out.Print(w.Colors.Dim(termsafe.Line("next: "+w.preview())) + "\n")
	}
}

// preview is the command that shows what a repair would change.
func (w *ward) preview() string {
	words := append([]string{"doctor"}, w.args...)
	words = append(words, w.flags.Arguments()...)
	for _, code := range w.flags.only {
		words = append(words, "--only", code)
	}
	return w.Hint(append(words, "--fix", "--dry-run")...)
}
