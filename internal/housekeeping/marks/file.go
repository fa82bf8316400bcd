package marks

import (
	"encoding/json"
	"fmt"
	"slices"
)

// A file is the marks file with all its members, known or not.
type file struct {
	members  map[string]json.RawMessage
	sessions map[string]map[string]json.RawMessage
}

func newFile() *file {
	return &file{
		members:  map[string]json.RawMessage{"version": json.RawMessage(fmt.Sprint(version))},
		sessions: map[string]map[string]json.RawMessage{},
	}
}

func parse(text []byte) (*file, error) {
	f := &file{sessions: map[string]map[string]json.RawMessage{}}
	if err := json.Unmarshal(text, &f.members); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	var v int
	if err := json.Unmarshal(f.members["version"], &v); err != nil || v < 1 {
		return nil, fmt.Errorf("%w: it has no version", ErrDamaged)
	}
	if v > version {
		return nil, ErrTooNew
	}
	if raw, ok := f.members["sessions"]; ok {
		if err := json.Unmarshal(raw, &f.sessions); err != nil || f.sessions == nil {
			return nil, fmt.Errorf("%w: its sessions are not an object", ErrDamaged)
		}
	}
	return f, nil
}

// marks returns the marks of all sessions that have any.
func (f *file) marks() (map[string]Marks, error) {
	out := make(map[string]Marks, len(f.sessions))
	for id, members := range f.sessions {
		var m Marks
		for name, to := range map[string]any{"pinned": &m.Pinned, "archived": &m.Archived, "tags": &m.Tags, "path": &m.Path} {
			raw, ok := members[name]
			if !ok {
				continue
			}
			if err := json.Unmarshal(raw, to); err != nil {
				return nil, fmt.Errorf("%w: session %q: %v", ErrDamaged, id, err)
			}
		}
		slices.Sort(m.Tags)
		m.Tags = slices.Compact(m.Tags)
		if !m.IsZero() {
			out[id] = m
		}
	}
	return out, nil
}

// set replaces the marks of a session. Members that are not marks stay.
func (f *file) set(id string, m *Marks) error {
	members := f.sessions[id]
	if members == nil {
		members = map[string]json.RawMessage{}
	}
	for _, p := range []struct {
		name   string
		value  any
		wanted bool
	}{
		{"pinned", true, m.Pinned}, {"archived", true, m.Archived}, {"tags", m.Tags, len(m.Tags) > 0},
		{"path", m.Path, m.Path != "" && !m.IsZero()},
	} {
		delete(members, p.name)
		if p.wanted {
			raw, err := json.Marshal(p.value)
			if err != nil {
				return err
			}
			members[p.name] = raw
		}
	}
	f.sessions[id] = members
	if len(members) == 0 {
		delete(f.sessions, id)
	}
	raw, err := json.Marshal(f.sessions)
	f.members["sessions"] = raw
	return err
}
