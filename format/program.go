package format

import (
	"os"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Program is a writer of the format. What a line means is nearly always the same
// for all of them; where it is not, a file means what its own program makes of it
// (F110).
type Program uint8

const (
	// Pi is pi itself, and every program that reads as pi does.
	Pi Program = iota
	// OhMyPi is oh-my-pi.
	OhMyPi
	// Atomic is Atomic.
	Atomic
	// OpenClaw is OpenClaw.
	OpenClaw
)

var programNames = [...]string{Pi: "pi", OhMyPi: "oh-my-pi", Atomic: "Atomic", OpenClaw: "OpenClaw"}

// String is the program's name as its makers write it.
func (p Program) String() string { return programNames[p] }

// HoldsSessions reports whether the program takes it that nobody else writes to a
// session that it has open: it rewrites the file from memory, or stops saving when
// the file is longer than it left it.
func (p Program) HoldsSessions() bool { return p == OhMyPi || p == Atomic }

// ProgramOfType is the program that alone writes entries of a type; ok is false for
// a type that pi writes or that nobody is known for.
func ProgramOfType(t Type) (p Program, ok bool) {
	switch t {
	case TypeTitle, TypeTitleChange, TypeModelUsage, TypeServiceTierChange, TypeResetBoundary, TypeModeChange,
		TypeSessionInit, TypeCredentialPin, TypeArchive, TypeTTSRInjection:
		return OhMyPi, true
	case TypeSessionSummary, TypeContextCompaction, TypeContextWindowChange:
		return Atomic, true
	case TypeLeaf, TypeReset:
		return OpenClaw, true
	}
	return Pi, false
}

// Program is the program whose own members a header has; ok is false for a header
// that says nothing about that.
func (h *Header) Program() (p Program, ok bool) {
	if h.Raw == nil {
		return Pi, false
	}
	for key := range jsonl.Members(h.Raw) {
		switch string(nameOf(key)) {
		case "title", "titleSource", "providerPromptCacheKey", "additionalDirectories", "previousSessionFiles":
			return OhMyPi, true
		case "internal", "workflow":
			return Atomic, true
		}
	}
	return Pi, false
}

// ProgramOfFolder is the program in whose folder a file lies: the nearest of the
// folders around it that is called as the program calls its own. ok is false when
// none is.
func ProgramOfFolder(path string) (p Program, ok bool) {
	// Long lists ask this for every file: the names are taken without copying.
	for end := folderEnd(path); end >= 0; {
		next := folderEnd(path[:end])
		switch name := path[next+1 : end]; {
		case name == ".pi":
			return Pi, true
		case name == ".omp":
			return OhMyPi, true
		case name == ".atomic":
			return Atomic, true
		case name == ".openclaw" || strings.HasPrefix(name, ".openclaw-"):
			return OpenClaw, true
		}
		end = next
	}
	return Pi, false
}

// folderEnd is where the last separator of a path is; -1 for none.
func folderEnd(path string) int {
	i := len(path) - 1
	for i >= 0 && !os.IsPathSeparator(path[i]) {
		i--
	}
	return i
}
