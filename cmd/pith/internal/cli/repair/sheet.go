package repair

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/doctor"
)

var severityTones = [...]tone.Tone{doctor.Note: tone.Dim, doctor.Warning: tone.Warning, doctor.Error: tone.Error}

func (w *checkup) print(t *ops.Checked) {
	w.Out.Printf("%s\n", w.Colors.Bold(termsafe.Line(w.ShortPath(t.Before.File))))
	w.printFindings(w.shown(t.Before))
	switch {
	case t.Err != nil:
		w.Out.Printf("  %s %s\n", w.Colors.Paint(tone.Error, "not repaired:"), termsafe.Line(t.Err.Error()))
	case t.Out != nil && w.flags.dryRun:
		w.printHunks(t.Out.Hunks)
		w.Out.Printf("  would be repaired; %s would remain\n", humanize.Count(len(w.shown(t.After)), "finding"))
	case t.Out != nil && t.Out.Backup != "":
		w.Out.Printf("  repaired, %s; backup: %s\n", remaining(len(w.shown(t.After))), termsafe.Line(w.ShortPath(t.Out.Backup)))
	case t.Out != nil:
		w.Out.Printf("  repaired, %s\n", remaining(len(w.shown(t.After))))
	}
	w.Out.Print("\n")
}

// mostFilesAlike is the number of files up to which a note is printed for each.
const mostFilesAlike = 3

// printWaiting prints the findings of several files, those with errors first. A
// note that many files share is printed once.
func (w *checkup) printWaiting() {
	files, repaired := map[doctor.Code]int{}, map[doctor.Code]int{}
	notes := map[doctor.Code]doctor.Finding{}
	for _, t := range w.waiting {
		seen := map[doctor.Code]bool{}
		for _, f := range w.shown(t.Before) {
			if f.Severity == doctor.Note && !seen[f.Code] {
				seen[f.Code], notes[f.Code] = true, f
				files[f.Code]++
				if t.Out != nil {
					repaired[f.Code]++
				}
			}
		}
	}
	common := func(f doctor.Finding) bool { return f.Severity == doctor.Note && files[f.Code] > mostFilesAlike }
	slices.SortStableFunc(w.waiting, func(a, b *ops.Checked) int { return cmp.Compare(worst(b), worst(a)) })
	for _, t := range w.waiting {
		report := *t.Before
		report.Findings = slices.DeleteFunc(slices.Clone(report.Findings), common)
		if rest := *t; len(w.shown(&report)) > 0 {
			rest.Before = &report
			w.print(&rest)
		}
	}
	for _, code := range ops.FindingCodes() {
		f := notes[code]
		if files[code] <= mostFilesAlike {
			continue
		}
		w.Out.Printf("%s\n", w.Colors.Bold(humanize.Count(files[code], "file")+" with the same finding"))
		w.say(w.severity(doctor.Note), fmt.Sprintf("%s (%s)", termsafe.Line(f.Means), code))
		w.say(noSeverity, fmt.Sprintf("fix: %s; --json lists them", cmp.Or(termsafe.Line(f.Fix), "none")))
		if n := repaired[code]; n > 0 && w.flags.dryRun {
			w.Out.Printf("  %s would be repaired\n", humanize.Number(int64(n)))
		} else if n > 0 {
			w.Out.Printf("  %s repaired\n", humanize.Number(int64(n)))
		}
		w.Out.Print("\n")
	}
}

func worst(t *ops.Checked) doctor.Severity {
	most := doctor.Note
	for _, f := range t.Before.Findings {
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

// printFindings prints findings in file order. It prints a text that several in
// a row share once, and limits the findings of one kind.
func (w *checkup) printFindings(list []doctor.Finding) {
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
		w.say(noSeverity, "fix: "+cmp.Or(termsafe.Line(f.Fix), "none"))
	}
	for _, code := range ops.FindingCodes() {
		if more := count[code] - mostAlike; more > 0 {
			w.Out.Printf("  %s more of %s; --json lists them\n", humanize.Number(int64(more)), code)
		}
	}
}

func (w *checkup) printFinding(f doctor.Finding) {
	where := ""
	if f.Line > 0 {
		where = fmt.Sprintf("line %d, byte %d: ", f.Line, f.Offset)
	}
	if f.EntryID != "" {
		where += "entry " + termsafe.Fit(f.EntryID, idCells) + ": "
	}
	w.say(w.severity(f.Severity), fmt.Sprintf("%s%s (%s)", where, termsafe.Line(f.What), f.Code))
}

// noSeverity is the indent of the continuation lines of a finding.
const noSeverity = "          "

// severity returns the prefix of a finding, which is as wide as noSeverity.
func (w *checkup) severity(s doctor.Severity) string {
	return "  " + w.Colors.Paint(severityTones[s], fmt.Sprintf("%-7s", s)) + " "
}

// say prints a text after its margin, wrapped between words on a terminal.
func (w *checkup) say(margin, text string) {
	lines := []string{text}
	if room := w.Width() - len(noSeverity); room >= layout.LeastTitle {
		lines = layout.Wrap(text, room, 0)
	}
	w.Out.Print(margin + strings.Join(lines, "\n"+noSeverity) + "\n")
}

// Limits of the printed parts of IDs and changed lines.
const (
	idCells   = 40
	lineCells = 100
	lead      = 30 // cells of a line before the difference
	headCells = 45 // cells of an entry's head, before its text
	mostHunks = 200
	mostAlike = 20
)

// printHunks prints the lines that change, cut to where they differ.
func (w *checkup) printHunks(hunks []doctor.Hunk) {
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

// counterpart returns the line that another one became, or was: of the lines
// nearby, the one that shares most with it at both ends. It returns nil for a
// line that was added or removed.
func counterpart(line []byte, lines [][]byte, n int) []byte {
	const around = 4
	var best []byte
	most := len(line) / 2
	for _, other := range lines[min(len(lines), max(0, n-around)):min(len(lines), n+around+1)] {
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

// common returns the length of the common prefix of two lines.
func common(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// excerpt returns the part of a line that differs from another, safe for a
// terminal. For a line that differs from its start, it returns the head of the
// entry and its text.
func excerpt(line, from []byte) string {
	at := common(line, from)
	if at == len(line) && at > 0 && !bytes.HasSuffix(line, []byte{'\n'}) {
		at-- // the difference is the missing end
	}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	start := max(0, min(at, len(line))-lead)
	if start < lead/2 {
		start = 0 // too little to omit
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

// visible returns the beginning of a line, with invalid UTF-8 made visible.
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

func (w *checkup) printSum() {
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

// preview returns the command that shows what a repair would change.
func (w *checkup) preview() string {
	words := w.flags.given.Arguments(append([]string{"doctor"}, w.args...)...)
	for _, code := range w.flags.only {
		words = append(words, "--only", code)
	}
	return w.Hint(append(words, "--fix", "--dry-run")...)
}
