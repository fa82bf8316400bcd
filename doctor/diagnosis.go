package doctor

import (
	"fmt"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A diagnosis finds faults. A fault and its cure are determined together, so
// that a finding never promises more than a repair does.
type diagnosis struct {
	*reading
	report    *Report
	changeSet changeSet

	parents  []int32 // parents as in the file
	before   *forest // forest of these
	after    *forest // forest of the repaired parents
	headLine int     // physical line of the header
	bodies   bodies
	fresh    map[string]bool   // ids assigned by the repair
	lost     map[string]string // parents of unreadable records, by id
	waiting  waiting
}

// waiting holds faults that can be repaired only when every entry is in place:
// a restored parent may reconnect a result with its call.
type waiting struct {
	kept    []reference  // compactions without a known first kept entry
	results map[int]bool // misplaced results; true if their call has another one
}

type changeSet struct {
	blocked bool // nothing may be changed: the file is too new or not a session

	ids     map[int]string   // new ids of entries
	parents []int32          // parents of all entries after the repair
	edits   map[int][]member // changed members of entries
	header  []member
	gaps    map[int][]byte // replacement for the bytes before a record
	migrate bool
	private bool
}

// A member is a member that a repair sets in a line, or deletes if raw is nil.
type member struct {
	name string
	raw  []byte
}

func text(name, value string) member { return member{name, jsonl.AppendString(nil, value)} }

func (r *reading) diagnose() (*diagnosis, error) {
	d := &diagnosis{reading: r, report: &Report{File: r.file, Size: r.size}, fresh: map[string]bool{}}
	d.changeSet = changeSet{ids: map[int]string{}, edits: map[int][]member{}}
	if r.verdict != "" {
		d.changeSet.blocked = true
		d.whole(r.verdict, r.reason)
		return d, nil
	}
	t := r.was.state
	d.report.Entries, d.report.Version = t.Len(), t.Header.Version
	if d.changeSet.blocked = t.Header.Version > format.Version; !d.changeSet.blocked {
		d.checkMode() // a file that is left alone also keeps its mode
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
	if err := d.checkPairs(); err != nil {
		return nil, err
	}
	d.checkTimes()
	d.checkLeaf()
	if !d.changeSet.changesLines() {
		if err := d.repairWaiting(); err != nil {
			return nil, err
		}
	}
	if d.changeSet.blocked {
		d.changeSet = changeSet{blocked: true}
	}
	d.report.sort()
	return d, nil
}

// add adds a finding. It reports whether the kind is wanted and may be
// repaired.
func (d *diagnosis) add(f Finding) bool {
	if !d.opt.wants(f.Code) {
		return false
	}
	k := kinds[f.Code]
	f.File, f.Severity, f.Means, f.Fix = d.file, k.severity, k.means, k.fix
	if d.changeSet.blocked && f.Code != OpenToOthers {
		f.Fix = ""
	}
	d.report.Findings = append(d.report.Findings, f)
	return !d.changeSet.blocked
}

// fix sets the effect of a repair for the last finding.
func (d *diagnosis) fix(format string, args ...any) {
	d.report.Findings[len(d.report.Findings)-1].Fix = fmt.Sprintf(format, args...)
}

// explain overrides the explanation of the last finding.
func (d *diagnosis) explain(means string) {
	d.report.Findings[len(d.report.Findings)-1].Means = means
}

func (d *diagnosis) whole(c Code, what string) bool { return d.add(Finding{Code: c, What: what}) }

// at adds a finding at an offset of the scanned session.
func (d *diagnosis) at(c Code, line int, offset int64, what string) bool {
	line, offset = d.place(line, offset)
	return d.add(Finding{Code: c, Line: line, Offset: offset, What: what})
}

func (d *diagnosis) entry(c Code, i int, what string, args ...any) bool {
	e := d.was.state.At(i)
	line, offset := d.place(int(e.Line), e.Offset)
	return d.add(Finding{Code: c, Line: line, Offset: offset, EntryID: d.id(i), What: fmt.Sprintf(what, args...)})
}

// id returns the id under which an entry is shown.
func (d *diagnosis) id(i int) string { return d.now.state.ID(i) }

// idAfter returns the id of an entry after the repair.
func (d *diagnosis) idAfter(i int) string {
	if id, ok := d.changeSet.ids[i]; ok {
		return id
	}
	return d.id(i)
}

// set makes the repair set a member of an entry.
func (d *diagnosis) set(i int, m member) { d.changeSet.edits[i] = append(d.changeSet.edits[i], m) }

// changesLines reports whether the repair rewrites the file.
func (c *changeSet) changesLines() bool {
	return len(c.edits) > 0 || len(c.header) > 0 || len(c.gaps) > 0 || c.migrate
}

// repairWaiting repairs the waiting faults. A file that needs both is repaired in
// two steps.
func (d *diagnosis) repairWaiting() error {
	for i, again := range d.waiting.results {
		if err := d.retell(i, again); err != nil {
			return err
		}
	}
	return d.keepAsPi()
}
