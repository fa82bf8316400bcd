package envelope_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
)

// A table has what the lines say, whatever their ids, parents, times and kinds
// are: read at once, read in parts, saved and recalled. A copy of a table does
// not change when the table grows.
func TestRowsOfAllForms(t *testing.T) {
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
	check := func(what string, table *envelope.Table) {
		t.Helper()
		if table.Len() != n {
			t.Fatalf("%s: %d entries, want %d", what, table.Len(), n)
		}
		for i, w := range want {
			e := table.At(i)
			kind, role := table.Kind(i)
			got := expected{table.ID(i), table.Parent(i), e.Time, int(e.Line), role.Name()}
			line := text[e.Offset : e.Offset+int64(e.Len)]
			message := struct{ Role format.Role }{}
			if err := json.Unmarshal(e.Message([]byte(line)), &message); err != nil {
				t.Fatalf("%s: entry %d has the message %q", what, i, e.Message([]byte(line)))
			}
			follows := i > 0 && w.parent == want[i-1].id && w.parent != w.id
			if id, parent := table.IDs(i); id != w.id || parent != w.parent {
				t.Fatalf("%s: IDs(%d) = %q, %q; want %q, %q", what, i, id, parent, w.id, w.parent)
			}
			if got != w || kind != envelope.KindMessage || message.Role != w.role || string(table.AppendID(nil, i)) != w.id || table.Follows(i) != follows {
				t.Fatalf("%s: entry %d = %+v, follows %v; want %+v, %v", what, i, got, table.Follows(i), w, follows)
			}
		}
	}
	check("at once", scan(t, text))

	var parts envelope.Table
	for size := 0; size < len(text); {
		size = min(len(text), size+1+random.IntN(100_000))
		if err := parts.Extend(strings.NewReader(text), int64(size)); err != nil {
			t.Fatal(err)
		}
		before := parts
		have := parts.Len()
		defer func() {
			if before.Len() != have {
				t.Errorf("a copy of a table has %d entries, and %d when it was made", before.Len(), have)
			}
		}()
	}
	check("in parts", &parts)
}

// A record that is not an entry is not the parent of the next one, even if that
// names it.
func TestParentIsNoEntry(t *testing.T) {
	text := header + "\n" + entry("a", "", "x") + "\n" + strings.Replace(header, `"id":"`, `"id":"again-`, 1) + "\n" +
		entry("b", "a", "y") + "\n" + `{"type":"session","id":"h"}` + "\n" + entry("c", "h", "y") + "\n"
	table := scan(t, text)
	if ids(table) != "a b c" || !table.Follows(1) || table.Follows(2) || table.Parent(2) != "h" {
		t.Errorf("entries %s; b follows %v, c follows %v with the parent %q", ids(table), table.Follows(1), table.Follows(2), table.Parent(2))
	}
}
