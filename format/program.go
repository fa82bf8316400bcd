package format

import (
	"os"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Program is a program that writes the format. A line nearly always means the
// same to all of them; where it does not, the interpretation of the program
// that owns the file applies (F110).
type Program uint8

const (
	// Pi is pi, or any program that reads files as pi does.
	Pi Program = iota
	// OhMyPi is oh-my-pi.
	OhMyPi
	// Atomic is Atomic.
	Atomic
	// OpenClaw is OpenClaw.
	OpenClaw
)

var programNames = [...]string{Pi: "pi", OhMyPi: "oh-my-pi", Atomic: "Atomic", OpenClaw: "OpenClaw"}

// String returns the program's name as its authors write it.
func (p Program) String() string { return programNames[p] }

// HoldsSessions reports whether the program assumes that no other program
// writes to a session that it has open: it rewrites the file from memory, or
// stops saving if the file is longer than it left it.
func (p Program) HoldsSessions() bool { return p == OhMyPi || p == Atomic }

// ProgramOfType returns the only program that writes entries of a type. ok is
// false for a type that pi writes or whose writer is unknown.
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

// Program returns the program that writes the members found in the header. ok
// is false if the header does not identify one.
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

// ProgramOfFolder returns the program that owns the directory of a file: the
// nearest enclosing directory with the name that a program uses for its own. ok
// is false if there is none.
func ProgramOfFolder(path string) (p Program, ok bool) {
	// Long lists call this for every file, so the names are not copied.
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

// folderEnd returns the index of the last separator of a path, or -1.
func folderEnd(path string) int {
	i := len(path) - 1
	for i >= 0 && !os.IsPathSeparator(path[i]) {
		i--
	}
	return i
}
