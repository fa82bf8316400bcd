package doctor

import (
	"fmt"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/tree"
)

// A diagnosis looks for faults. A fault and its cure are found together, so that
// a finding never promises what a repair does not do.
type diagnosis struct {
	*reading
	report *Report
	cure   cure

	parents  []int32 // as the file has them
	before   *forest // of these
	after    *forest // of those that the repair makes
	headLine int     // the physical line of the header
	bodies   bodies
	fresh    map[string]bool   // ids that the repair gives
	lost     map[string]string // parents of records that cannot be read, by their ids
	waiting  waiting
}

// waiting is what can be mended only when every entry is where it belongs: a
// parent that is found again may bring a result back to its call.
type waiting struct {
	kept    []reference  // compactions that keep nothing they could name
	edits   []reference  // edits of what is not before them
	results map[int]bool // that no provider takes where they stand; true if their call has another one
	calls   []openCall
}

// A cure is what a repair changes.
type cure struct {
	blocked bool // nothing may be changed: the file is too new, or is no session

	ids     map[int]string   // new ids of entries
	parents []int32          // of all entries, after the repair
	edits   map[int][]member // of entries
	texts   map[int]badText  // characters of entries to replace
	added   map[int][]result // results that are put behind entries
	header  []member
	gaps    map[int][]byte // what takes the place of the bytes before a record
	migrate bool
	leaf    int // the entry to record as the newest place, or None
	private bool
}

// A member is one that a repair sets in a line, or takes away if raw is nil.
type member struct {
	name string
	raw  []byte
}

func text(name, value string) member { return member{name, jsonl.AppendString(nil, value)} }

// diagnose looks at everything.
func (r *reading) diagnose() (*diagnosis, error) {
	d := &diagnosis{reading: r, report: &Report{File: r.file, Size: r.size}}
	d.cure.leaf = tree.None
	if r.verdict != "" {
		d.cure.blocked = true
		d.whole(r.verdict, r.reason)
		return d, nil
	}
	t := r.was.table
	d.report.Entries, d.report.Version = len(t.Entries), t.Header.Version
	if d.cure.blocked = t.Header.Version > format.Version; !d.cure.blocked {
		d.checkMode() // what is left alone keeps its mode too
	}
	d.parents = r.now.parents()
	d.before = newForest(d.parents)
	d.checkHeader()
	if err := d.checkLines(); err != nil {
		return nil, err
	}
	if err := d.readBodies(); err != nil {
		return nil, err
	}
	d.checkIDs()
	d.checkParents()
	d.repoint()
	d.checkReferences()
	d.checkNames()
	if err := d.checkPairs(); err != nil {
		return nil, err
	}
	d.checkTimes()
	d.checkLeaf()
	if !d.cure.changesLines() {
		if err := d.mendWaiting(); err != nil {
			return nil, err
		}
	}
	if d.cure.blocked {
		d.cure = cure{blocked: true, leaf: tree.None}
	}
	d.report.sort()
	return d, nil
}

// add notes a finding. It reports whether the kind is wanted and may be cured.
func (d *diagnosis) add(f Finding) bool {
	if !d.opt.wants(f.Code) {
		return false
	}
	k := kinds[f.Code]
	f.File, f.Severity, f.Means, f.Fix = d.file, k.severity, k.means, k.fix
	if d.cure.blocked && f.Code != OpenToOthers {
		f.Fix = ""
	}
	d.report.Findings = append(d.report.Findings, f)
	return !d.cure.blocked
}

// fix says what a repair does about the finding that was added last.
func (d *diagnosis) fix(format string, args ...any) {
	d.report.Findings[len(d.report.Findings)-1].Fix = fmt.Sprintf(format, args...)
}

// explain says what the finding that was added last means, where that is not what
// its kind means.
func (d *diagnosis) explain(means string) {
	d.report.Findings[len(d.report.Findings)-1].Means = means
}

// whole notes a finding about the file as a whole.
func (d *diagnosis) whole(c Code, what string) bool { return d.add(Finding{Code: c, What: what}) }

// at notes a finding about a byte of the session as it was scanned.
func (d *diagnosis) at(c Code, line int, offset int64, what string) bool {
	line, offset = d.place(line, offset)
	return d.add(Finding{Code: c, Line: line, Offset: offset, What: what})
}

// entry notes a finding about an entry.
func (d *diagnosis) entry(c Code, i int, what string, args ...any) bool {
	e := &d.was.table.Entries[i]
	line, offset := d.place(int(e.Line), e.Offset)
	return d.add(Finding{Code: c, Line: line, Offset: offset, EntryID: d.id(i), What: fmt.Sprintf(what, args...)})
}

// id is the id under which an entry is shown.
func (d *diagnosis) id(i int) string { return d.now.table.ID(i) }

// idAfter is the id that an entry has after the repair.
func (d *diagnosis) idAfter(i int) string {
	if id, ok := d.cure.ids[i]; ok {
		return id
	}
	return d.id(i)
}

func (d *diagnosis) entries() []envelope.Entry { return d.now.table.Entries }

// set makes the repair set a member of an entry.
func (d *diagnosis) set(i int, m member) {
	if d.cure.edits == nil {
		d.cure.edits = make(map[int][]member)
	}
	d.cure.edits[i] = append(d.cure.edits[i], m)
}

// changesLines reports whether the repair writes the file anew.
func (c *cure) changesLines() bool {
	return len(c.edits) > 0 || len(c.texts) > 0 || len(c.added) > 0 || len(c.header) > 0 || len(c.gaps) > 0 || c.migrate || c.leaf != tree.None
}

// mendWaiting mends what had to wait for the rest. A file that needs both is
// repaired in two steps.
func (d *diagnosis) mendWaiting() error {
	for _, ref := range d.waiting.edits {
		d.set(ref.entry, text("targetId", d.id(ref.entry)))
	}
	for i, again := range d.waiting.results {
		if err := d.retell(i, again); err != nil {
			return err
		}
	}
	d.closeCalls()
	return d.keepAsPi()
}
