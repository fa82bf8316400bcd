package format

import "github.com/pith-sessions/pith/internal/jsonl"

// A Migrator brings the lines of one file to [Version], one line at a time and in
// file order. Call Header with the header, then Entry with every other line, or Skip
// for one that is no entry. It changes single members of a line and leaves the rest
// of it byte for byte.
//
// What it adds (F91 to F96): ids and parents where they are missing, because
// version 1 was a plain list; firstKeptEntryId in the place of version 1's
// firstKeptEntryIndex; the role custom in the place of version 2's hookMessage. An
// entry that has an id keeps it. All of this is done for files of version 3 too: pi
// gives the copy of an old session a new header and its old lines.
type Migrator struct {
	version int
	newID   func(line []byte, index int) string
	ids     []string // of the parsed lines so far; empty for those that have none
	last    string   // id of the last entry, the parent of the next one without
	seen    map[string]bool
}

// NewMigrator starts the migration of the file with header h. newID makes the id
// for an entry that has none; index counts the parsed lines, the header being 0. A
// nil newID stands for [LineID], which then avoids the ids of the lines before; a
// caller that knows the whole file can avoid those of the lines after as well.
func NewMigrator(h *Header, newID func(line []byte, index int) string) *Migrator {
	m := &Migrator{version: h.Version, newID: newID}
	if newID == nil {
		m.seen = map[string]bool{}
		m.newID = func(line []byte, index int) string {
			return LineID(h.ID, index, line, func(id string) bool { return m.seen[id] })
		}
	}
	return m
}

// Header returns the header line with the version set to [Version]: replaced where
// it stands, or added at the end. A line that has this version or a newer one comes
// back as it is. A byte order mark before the line goes, because pi does not open
// such a file.
func (m *Migrator) Header(line []byte) []byte {
	m.Skip()
	return m.setVersion(trimMark(line))
}

func (m *Migrator) setVersion(line []byte) []byte {
	if m.version >= Version {
		return line
	}
	return jsonl.Set(line, "version", []byte{'0' + Version})
}

// Skip counts a parsed line that the caller carries over without calling Entry:
// other JSON, an object without a type, a second header.
func (m *Migrator) Skip() { m.ids = append(m.ids, "") }

const (
	migrateType = iota
	migrateID
	migrateParentID
	migrateIndex
	migrateMessage
	migrateKeyCount
)

var migrateKeys = jsonl.NewKeys("type", "id", "parentId", "firstKeptEntryIndex", "message")

// Entry returns a line that comes after the header as the current version has it.
// A line that needs no change comes back as the same slice. So does what is no
// entry: other JSON, an object without a type, and a line that is not JSON, which
// moreover does not count for firstKeptEntryIndex. Whoever rewrites the file carries
// all of them over.
func (m *Migrator) Entry(line []byte) []byte {
	var spans [migrateKeyCount]jsonl.Span
	shape, _ := migrateKeys.Scan(line, spans[:])
	if shape == jsonl.Invalid {
		return line
	}
	t := Type(asWord(spans[migrateType].Of(line)))
	switch {
	case shape == jsonl.Other || t == "": // no entry
		m.Skip()
		return line
	case isTitleSlot(t, spans[migrateID].Of(line)):
		return line
	case t == TypeSession: // a copy of the header that old forks left behind
		m.Skip()
		return m.setVersion(line)
	}
	out := m.placed(line, spans[migrateID].Of(line), spans[migrateParentID].Of(line))
	if t == TypeCompaction && jsonl.KindOf(spans[migrateIndex].Of(line)) == '0' {
		out = m.keptByID(out, spans[migrateIndex].Of(line))
	}
	if t == TypeMessage && isHookMessage(spans[migrateMessage].Of(line)) {
		out, _ = jsonl.SetIn(out, []byte(`"`+RoleCustom+`"`), "message", "role")
	}
	return out
}

// placed gives the line an id and a parent where it lacks them and records the id.
// A line of version 2 or above that has an id but no parent is a root:
// pi_agent_rust writes roots so.
func (m *Migrator) placed(line, rawID, rawParent []byte) []byte {
	out, id := line, asString(rawID)
	chain := m.version < 2
	if id == "" {
		id, chain = m.newID(line, len(m.ids)), true
		out = jsonl.Set(out, "id", jsonl.AppendString(nil, id))
	}
	if chain && jsonl.KindOf(rawParent) != '"' && !jsonl.IsNull(rawParent) {
		parent := []byte("null")
		if m.last != "" {
			parent = jsonl.AppendString(nil, m.last)
		}
		out = jsonl.Set(out, "parentId", parent)
	}
	m.ids = append(m.ids, id)
	m.last = id
	if m.seen != nil {
		m.seen[id] = true
	}
	return out
}

// keptByID replaces the index of the first kept entry by its id. An index that
// points at no earlier entry goes, as in pi: then no entry is known to be kept.
func (m *Migrator) keptByID(line, rawIndex []byte) []byte {
	if i, ok := jsonl.Int(rawIndex); ok && i >= 0 && i < int64(len(m.ids)) && m.ids[i] != "" {
		line = jsonl.Set(line, "firstKeptEntryId", jsonl.AppendString(nil, m.ids[i]))
	}
	return jsonl.Delete(line, "firstKeptEntryIndex")
}

func isHookMessage(message []byte) bool {
	if jsonl.KindOf(message) != '{' {
		return false
	}
	role, _ := jsonl.Lookup(message, "role")
	return Role(asWord(role)) == RoleHookMessage
}

// isTitleSlot tells oh-my-pi's slot, which stands outside the tree and the count of
// lines, from an entry of that type.
func isTitleSlot(t Type, rawID []byte) bool { return t == TypeTitle && asString(rawID) == "" }
