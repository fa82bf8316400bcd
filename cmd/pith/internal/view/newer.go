package view

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
)

// NewerNote says that a session was written by a newer release of another agent
// than pith was tested with; "" if it was not. Releases that differ only in their
// third number do not count: they rarely change what is stored, and some agents
// have one every day.
func NewerNote(h *format.Header) string {
	if h == nil || h.Source == "" {
		return ""
	}
	p, _ := all.Find(h.Source)
	tested, ok := p.(sources.Receiver)
	version := jsonl.LookupString(h.Raw, "programVersion")
	if end := strings.IndexFunc(version, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); end >= 0 {
		version = version[:end] // it is text of a file, which may be anything
	}
	if !ok || len(version) > 40 || !sources.Newer(release(version), release(tested.KnownVersion())) {
		return ""
	}
	return fmt.Sprintf("written by a newer %s (%s); some entries may be missing", p.Title(), version)
}

// release returns the first two numbers of a version.
func release(version string) string {
	numbers := strings.SplitN(version, ".", 3)
	return strings.Join(numbers[:min(len(numbers), 2)], ".")
}
