package format

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Migrator converts the lines of one file to [Version], one line at a time
// and in file order. Call Header with the header, then Entry with every other
// line, or Skip for a line that is not an entry. It changes single members of a
// line and leaves the rest byte for byte.
//
// It adds (F91 to F96) missing ids and parents, because version 1 was a plain
// list. It replaces version 1's firstKeptEntryIndex by firstKeptEntryId, and
// version 2's role hookMessage by custom. An entry that has an id keeps it. All
// of this also applies to files of version 3, because pi gives the copy of an
// old session a new header and its old lines.
type Migrator struct {
	version int
	newID   func(line []byte, index int) string
	ids     []string // ids of the parsed lines so far; "" for lines without one
	last    string   // id of the last entry, the parent of the next one without a parent
	seen    map[string]bool
}

// NewMigrator starts the migration of the file with header h. newID returns the
// id for an entry that has none; index is the index of the parsed line, where
// the header is 0. A nil newID means [LineID], avoiding the ids of earlier
// lines. A caller that knows the whole file can also avoid those of later
// lines.
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

// Header returns the header line with the version set to [Version]: replaced in
// place, or added at the end. A line of this version or a newer one is returned
// unchanged. A byte order mark is removed, because pi does not open such a
// file.
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

// Skip counts a parsed line that the caller copies without calling Entry: other
// JSON, an object with neither a type nor an id, or a second header.
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

// Entry returns a line after the header in the current version. A line that
// needs no change is returned as the same slice. So is a line that is not an
// entry: other JSON, an object with neither a type nor an id, and a line that is not JSON,
// which does not count for firstKeptEntryIndex. A caller that rewrites the file
// copies all of them.
func (m *Migrator) Entry(line []byte) []byte {
	var spans [migrateKeyCount]jsonl.Span
	shape, _ := migrateKeys.Scan(line, spans[:])
	if shape == jsonl.Invalid {
		return line
	}
	t := Type(asWord(spans[migrateType].Of(line)))
	switch {
	case shape == jsonl.Other || t == "" && asString(spans[migrateID].Of(line)) == "": // not an entry
		m.Skip()
		return line
	case t == TypeTitle && asString(spans[migrateID].Of(line)) == "": // oh-my-pi's slot, not an entry of that type
		return line
	case t == TypeSession: // a copy of the header left by old forks
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

// placed adds a missing id and parent to the line and records the id. A line of
// version 2 or above that has an id but no parent is a root: pi_agent_rust
// writes roots this way.
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

// keptByID replaces the index of the first kept entry by its id. As in pi, an
// index that does not refer to an earlier entry is removed: then no entry is
// known to be kept.
func (m *Migrator) keptByID(line, rawIndex []byte) []byte {
	if i, ok := jsonl.Int(rawIndex); ok && i >= 0 && i < int64(len(m.ids)) && m.ids[i] != "" {
		line = jsonl.Set(line, "firstKeptEntryId", jsonl.AppendString(nil, m.ids[i]))
	}
	return jsonl.Delete(line, "firstKeptEntryIndex")
}

func isHookMessage(message []byte) bool {
	role, _ := jsonl.Lookup(message, "role")
	return Role(asWord(role)) == RoleHookMessage
}

// lineIDLength is the length of the ids that pi generates.
const lineIDLength = 8

// LineID returns an id for an entry that was written without one. It depends
// only on the session, the position and the line, so an old file shows the same
// ids on each open and keeps them when it is migrated. index is the index of
// the line in the parsed lines of the file; the header is 0. If taken reports
// that an id is in use, LineID tries the next eight digits of the hash and,
// after many hashes, returns a whole one. taken may be nil.
func LineID(sessionID string, index int, line []byte, taken func(id string) bool) string {
	h := sha256.New()
	h.Write([]byte(sessionID))
	var position [9]byte // the leading zero byte terminates the session id
	binary.BigEndian.PutUint64(position[1:], uint64(index))
	h.Write(position[:])
	h.Write(line)
	sum := h.Sum(nil)
	for range 64 {
		digits := hex.EncodeToString(sum)
		for ; len(digits) >= lineIDLength; digits = digits[lineIDLength:] {
			if id := digits[:lineIDLength]; taken == nil || !taken(id) {
				return id
			}
		}
		next := sha256.Sum256(sum)
		sum = next[:]
	}
	return hex.EncodeToString(sum)
}
