package recall

import (
	"context"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/catalog"
)

// Families records which sessions of a list were made from one another. It is
// safe for concurrent use.
type Families struct {
	origin map[string]*catalog.Info // by the path of a session, the first of its line
}

// list lists the sessions to search, once for a whole answer, including
// internal ones, which belong to families.
func (o *Options) list(ctx context.Context) (err error) {
	if o.Search.Sessions != nil {
		return nil
	}
	list := o.Search.Catalog
	list.Text, list.Progress, list.IncludeInternal = false, nil, true
	seq := catalog.ListAll(ctx, list)
	if o.Search.Cwd != "" {
		seq = catalog.List(ctx, o.Search.Cwd, list)
	}
	o.Search.Sessions, err = catalog.Sorted(seq)
	return err
}

// families returns the families of the searched sessions.
func (o *Options) families() *Families {
	if o.Families == nil {
		o.Families = FamiliesOf(o.Search.Sessions)
	}
	return o.Families
}

// FamiliesOf finds the families in a list of sessions.
func FamiliesOf(infos []catalog.Info) *Families {
	parents := map[int]int{} // by child
	byPath := catalog.Children(infos)
	for i := range infos {
		for _, c := range byPath[infos[i].Path] {
			parents[c] = i
		}
	}
	out := map[string]*catalog.Info{}
	for child := range parents {
		first, seen := child, map[int]bool{} // parents can form a cycle
		for !seen[first] {
			seen[first] = true
			parent, ok := parents[first]
			if !ok {
				break
			}
			first = parent
		}
		if first != child {
			out[infos[child].Path] = &infos[first]
		}
	}
	return &Families{out}
}

// first returns the path of the session from which a session was ultimately
// made.
func (f *Families) first(path string) string {
	if info := f.origin[path]; info != nil {
		return info.Path
	}
	return path
}

// A fingerprint is equal for copies of a turn.
type fingerprint struct{ of, role, text string }

// fingerprintsOf returns three fingerprints, each of which is sufficient: the
// same words within one family; the same words in the same entry, for a copy
// that lost its parent; and the words from the first match on, because the text
// of a subagent is part of a result in its parent.
func fingerprintsOf(m *Memory, family string) []fingerprint {
	text := strings.TrimSpace(m.Hit.Snippet.Text)
	out := []fingerprint{{family, m.Hit.Role, text}, {m.Hit.EntryID + m.Hit.Time.String(), m.Hit.Role, text}}
	if marks := m.Hit.Snippet.Marks; len(marks) > 0 && (m.Hit.Role == "tool" || m.Hit.Role == "assistant") {
		value := m.Hit.Snippet.Text[marks[0].Start:]
		out = append(out, fingerprint{family, "subagent", value[:min(len(value), sameWords)]})
	}
	return out
}

// sameWords is the number of bytes of a subagent's text that are compared with
// the result in its parent, which may be worded differently.
const sameWords = 48

// withoutCopies keeps, of turns with the same content, that of the session
// created first.
func withoutCopies(list []Memory, f *Families) []Memory {
	kept := map[fingerprint]int{}
	out := list[:0:0]
	for _, m := range list {
		keys := fingerprintsOf(&m, f.first(m.Session.Path))
		k := -1
		for _, key := range keys {
			if at, ok := kept[key]; ok && (key.role != "subagent" || out[at].Hit.Role != m.Hit.Role && out[at].Session.Path != m.Session.Path) {
				k = at
				break
			}
		}
		if k < 0 {
			for _, key := range keys {
				kept[key] = len(out)
			}
			out = append(out, m)
			continue
		}
		was := &out[k]
		score := max(was.Score, m.Score)
		if m.Session.Created.Before(was.Session.Created) {
			m.Copies, was.Copies = append(was.Copies, was.Session.ID), nil
			*was, m = m, *was
		} else {
			was.Copies = append(was.Copies, m.Session.ID)
		}
		was.Score = score
	}
	for i := range out {
		slices.Sort(out[i].Copies)
		out[i].Copies = slices.DeleteFunc(slices.Compact(out[i].Copies), func(id string) bool { return id == out[i].Session.ID })
	}
	return out
}

// onePerSession keeps the best turn of each session.
func onePerSession(list []Memory) []Memory {
	at := map[string]int{}
	out := list[:0:0]
	for _, m := range list {
		if k, ok := at[m.Session.Path]; ok {
			out[k].More++
			continue
		}
		at[m.Session.Path] = len(out)
		out = append(out, m)
	}
	return out
}
