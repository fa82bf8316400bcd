package export

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/page"
)

// A TurnsError means that Options.Turns does not select turns of the path.
type TurnsError struct {
	Turns string // as requested
	Last  int    // number of the last turn; 0 if there are none
}

func (e *TurnsError) Error() string {
	if e.Last == 0 {
		return fmt.Sprintf("turns %q: no turns on this path", e.Turns)
	}
	return fmt.Sprintf("turns %q: want numbers from 1 to %d", e.Turns, e.Last)
}

// chooseTurns restricts the plan to the messages of the requested turns. It
// leaves out everything else in them, because summaries, names and labels
// describe other turns.
func (p *Plan) chooseTurns(s *pith.Session) error {
	r, err := inspect.Open(s, inspect.Scope{Leaf: p.Leaf})
	if err != nil {
		return err
	}
	if n := r.Len(); n > 0 {
		p.lastTurn = r.Number(n - 1)
	}
	numbers, ok := parseTurns(p.Turns, p.lastTurn)
	if !ok {
		return &TurnsError{p.Turns, p.lastTurn}
	}
	p.turns, p.path = numbers, []int{}
	var indexes []int
	for _, n := range numbers {
		i, err := r.Index(n)
		if err != nil {
			return err
		}
		indexes = append(indexes, i)
	}
	for line, err := range r.Lines(indexes...) {
		if err != nil {
			return err
		}
		if isTalk(line.Envelope) {
			p.path = append(p.path, line.Pos)
		}
	}
	p.wanted = slices.Sorted(slices.Values(p.path))
	return nil
}

// isTalk reports whether an entry is a message of a turn itself, and not about
// other turns.
func isTalk(e pith.Envelope) bool {
	if e.Type == format.TypeCustomMessage {
		return true
	}
	switch e.Role {
	case format.RoleUser, format.RoleAssistant, format.RoleToolResult, format.RoleBashExecution, format.RoleCustom, format.RoleHookMessage,
		format.RolePythonExecution, format.RoleFileMention:
		return e.Type == format.TypeMessage
	}
	return false
}

// parseTurns returns the numbers of turns such as 3-5 or 2,4-6, ascending and
// without duplicates. 4- means turn 4 and all later ones, -3 at most the last
// three. last is the number of the last turn. ok is false for anything else, and
// for turns that do not exist.
func parseTurns(text string, last int) (numbers []int, ok bool) {
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		var first, final int
		switch {
		case !isRange:
			first = turnNumber(from)
			final = first
		case from == "" && turnNumber(to) > 0:
			first, final = max(1, last-turnNumber(to)+1), last
		case to == "":
			first, final = turnNumber(from), last
		default:
			first, final = turnNumber(from), turnNumber(to)
		}
		if first < 1 || final > last || first > final {
			return nil, false
		}
		for n := first; n <= final; n++ {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), true
}

// turnNumber returns the number that text has in digits, or 0.
func turnNumber(text string) int {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

// turnsNote describes the selected turns: "Turns 2 and 4–6 of 9".
func (p *Plan) turnsNote() string {
	var parts []string
	for i := 0; i < len(p.turns); {
		k := i
		for k+1 < len(p.turns) && p.turns[k+1] == p.turns[k]+1 {
			k++
		}
		part := strconv.Itoa(p.turns[i])
		if k > i {
			part += "–" + strconv.Itoa(p.turns[k])
		}
		parts = append(parts, part)
		i = k + 1
	}
	word := "Turn "
	if len(p.turns) > 1 {
		word = "Turns "
	}
	if n := len(parts); n > 1 {
		parts = append(parts[:n-2], parts[n-2]+" and "+parts[n-1])
	}
	return word + strings.Join(parts, ", ") + " of " + strconv.Itoa(p.lastTurn)
}

// promptTitle returns the start of the first selected user message, redacted.
// The name of the session may describe turns that are left out.
func (p *Plan) promptTitle(ctx context.Context) (string, error) {
	for e, err := range page.Entries(ctx, p.reader().LinesAt(p.path), p.line) {
		if err != nil {
			return "", err
		}
		var lines page.Lines
		if kind, text := lines.Of(e); kind == 'u' {
			return text, nil
		}
	}
	return "", nil
}
