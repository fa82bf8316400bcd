package journal_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// A State has what the lines say, whatever their ids, parents, times and kinds
// are, read at once or in parts. It does not change when another one follows.
func TestEntriesOfAllForms(t *testing.T) {
	const n = 9000 // several chunks
	random := rand.New(rand.NewPCG(1, 2))
	ids := []string{}
	lines := []string{header}
	type expected struct {
		id, parent string
		time       int64
		line       int
		role       format.Role
	}
	var want []expected
	for i := range n {
		id := fmt.Sprintf("%08x", random.Uint32())
		switch random.IntN(8) {
		case 0:
			id = strings.ToUpper(id)
		case 1:
			id += "-1234-7890"
		case 2:
			id = strings.Repeat(id, 20)
		case 3:
			id = id[:7]
		case 4:
			id = "zzzz" + id[:4]
		}
		e := expected{id: id, role: format.RoleUser, time: random.Int64N(1 << 42)}
		switch {
		case i == 0:
		case random.IntN(10) == 0:
			e.parent = ids[random.IntN(len(ids))]
		case random.IntN(20) == 0:
			e.parent = id
		case random.IntN(20) == 0:
			e.parent = "missing" + id
		default:
			e.parent = ids[i-1]
		}
		if random.IntN(4) == 0 {
			e.time = -e.time
		}
		if random.IntN(3) == 0 {
			e.role = format.RoleToolResult
		}
		at := time.UnixMilli(e.time).UTC().Format("2006-01-02T15:04:05.000Z")
		if random.IntN(30) == 0 {
			lines = append(lines, "", "no entry")
		}
		lines = append(lines, fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":%q,"message":{"role":%q,"content":"x"}}`, id, e.parent, at, e.role))
		e.line = len(lines)
		ids, want = append(ids, id), append(want, e)
	}
	text := strings.Join(lines, "\n") + "\n"
	check := func(what string, table *journal.State) {
		t.Helper()
		if table.Len() != n {
			t.Fatalf("%s: %d entries, want %d", what, table.Len(), n)
		}
		for i, w := range want {
			e := table.At(i)
			got := expected{e.ID, e.Parent, e.Time, int(e.Line), e.Role.Name()}
			line := text[e.Offset : e.Offset+int64(e.Len)]
			message := struct{ Role format.Role }{}
			if err := json.Unmarshal(e.Message([]byte(line)), &message); err != nil {
				t.Fatalf("%s: entry %d has the message %q", what, i, e.Message([]byte(line)))
			}
			if got != w || e.Kind != journal.KindMessage || message.Role != w.role {
				t.Fatalf("%s: entry %d = %+v; want %+v", what, i, got, w)
			}
			if above := table.Above(i); above != journal.None && table.ID(above) != w.parent {
				t.Fatalf("%s: entry %d is under %s, want %s", what, i, table.ID(above), w.parent)
			}
		}
	}
	check("at once", scan(t, text))

	parts := &journal.State{}
	for size := 0; size < len(text); {
		size = min(len(text), size+1+random.IntN(100_000))
		next, err := parts.Extend(strings.NewReader(text), int64(size))
		if err != nil {
			t.Fatal(err)
		}
		before, have := parts, parts.Len()
		defer func() {
			if before.Len() != have || have > 0 && before.Find(ids[have-1]) < 0 {
				t.Errorf("a State has %d entries, and %d when it was made", before.Len(), have)
			}
		}()
		parts = next
	}
	check("in parts", parts)
}

// A record that is not an entry is not the parent of the next one, even if that
// names it.
func TestParentIsNoEntry(t *testing.T) {
	text := header + "\n" + entry("a", "", "x") + "\n" + strings.Replace(header, `"id":"`, `"id":"again-`, 1) + "\n" +
		entry("b", "a", "y") + "\n" + `{"type":"session","id":"h"}` + "\n" + entry("c", "h", "y") + "\n"
	table := scan(t, text)
	if ids(table) != "a b c" || table.Above(1) != 0 || table.Above(2) != journal.None || table.At(2).Parent != "h" {
		t.Errorf("entries %s; b is under %d, c under %d with the parent %q", ids(table), table.Above(1), table.Above(2), table.At(2).Parent)
	}
}
