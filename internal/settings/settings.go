// Package settings reads the user's settings: pi's settings that concern
// sessions, and pith's own.
//
// Files are read in this order, and a later one overrides an earlier one,
// member by member:
//
//  1. Atomic's, of the user and of the project, for users of Atomic without pi:
//     each is used only if pi has no such file, and its session directory is
//     ignored;
//  2. pi's for the user, settings.json in pi's directory;
//  3. pi's for the project, .pi/settings.json in the working directory;
//  4. pith's own, pith/settings.json in the user's configuration directory.
//
// The package writes nothing, prints nothing and starts nothing. It knows the
// members listed with [Settings] and ignores all others.
//
// # Invariants
//
//	S1  Reading never fails. A problem with a file is a [Warning], and the rest of
//	    the files is used.
//	S2  A project cannot make pith run a program: members that name one are read
//	    only from pith's own file.
package settings

import "github.com/pith-sessions/pith/internal/prices"

// Settings are the combined settings of the files, with pi's defaults for those
// that are not set. The comment after each field is the name of its member in
// the files.
type Settings struct {
	// SessionDir is the directory of sessions, unexpanded, or "" if it is not
	// set.
	SessionDir string // sessionDir
	// DefaultProvider and DefaultModel are the model of new conversations, or
	// "" if they are not set.
	DefaultProvider string // defaultProvider
	DefaultModel    string // defaultModel
	// DefaultThinkingLevel is one of off, minimal, low, medium, high, xhigh and
	// max, or "" if it is not set.
	DefaultThinkingLevel string // defaultThinkingLevel
	BranchSummary        BranchSummary
	Retry                Retry
	// TreeFilter is the initial filter of a tree: default, no-tools, user-only,
	// labeled-only or all.
	TreeFilter string // treeFilterMode
	// DoubleEscape is the view that pressing Esc twice opens: tree, fork, or
	// none.
	DoubleEscape string // doubleEscapeAction
	// Summarizer selects how summaries are written: model, extract, or cmd: and
	// a command, or "" if it is not set. A command is read only from pith's own
	// file.
	Summarizer string // summarizer
	// Handover is the command that opens a session in another agent, or "" if
	// it is not set. It is read only from pith's own file.
	Handover string // handover
	// Store is the team database, or a directory to sync with, or "" if it is
	// not set. It is read only from pith's own file, since a project could
	// otherwise choose who gets the sessions.
	Store string // store
	// Prices are the user's own prices by provider/id. See package prices.
	Prices map[string]prices.Price // prices
	// Warnings are the problems of the files, in the order in which they were
	// read.
	Warnings []Warning

	compaction Compaction
	overrides  map[string]override
}

// Compaction configures when a conversation is compacted and how much of it is
// kept.
type Compaction struct {
	Enabled          bool  // compaction.enabled
	ReserveTokens    int64 // compaction.reserveTokens
	KeepRecentTokens int64 // compaction.keepRecentTokens
}

// An override contains the values of one model; nil means the general value.
type override struct{ reserve, keep *int64 }

// BranchSummary configures summaries of abandoned branches.
type BranchSummary struct {
	ReserveTokens int64 // branchSummary.reserveTokens
	// SkipPrompt means not to ask whether a summary is wanted, and to make
	// none.
	SkipPrompt bool // branchSummary.skipPrompt
}

// Retry configures retries of failed requests to models.
type Retry struct {
	Enabled    bool  // retry.enabled
	MaxRetries int64 // retry.maxRetries
	// BaseDelayMs is the delay before the first retry. It doubles with each
	// retry, up to MaxDelayMs.
	BaseDelayMs int64 // retry.baseDelayMs
	MaxDelayMs  int64 // retry.maxAgentDelayMs
	// MaxRetryAfterMs is the longest delay that a provider may request.
	MaxRetryAfterMs int64 // retry.provider.maxRetryDelayMs
	// TimeoutMs limits one request; 0 means the client's own limit.
	TimeoutMs int64 // retry.provider.timeoutMs
}

// Defaults returns pi's settings without any file.
func Defaults() *Settings {
	return &Settings{
		compaction:    Compaction{Enabled: true, ReserveTokens: 16384, KeepRecentTokens: 20000},
		BranchSummary: BranchSummary{ReserveTokens: 16384},
		Retry:         Retry{Enabled: true, MaxRetries: 3, BaseDelayMs: 2000, MaxDelayMs: 60000, MaxRetryAfterMs: 60000},
		TreeFilter:    treeFilters[0], DoubleEscape: doubleEscapes[0],
	}
}

// Compaction returns the compaction settings for a model. A number that
// compaction.modelOverrides has for exactly "provider/modelID" overrides the
// general one.
func (s *Settings) Compaction(provider, modelID string) Compaction {
	c := s.compaction
	o := s.overrides[provider+"/"+modelID]
	if o.reserve != nil {
		c.ReserveTokens = *o.reserve
	}
	if o.keep != nil {
		c.KeepRecentTokens = *o.keep
	}
	return c
}

// Read reads the files.
func Read(w Where) *Settings {
	s := Defaults()
	for _, f := range w.files() {
		doc, warning := load(f)
		if warning != nil {
			s.Warnings = append(s.Warnings, *warning)
		}
		if doc == nil {
			continue
		}
		dir := s.SessionDir
		doc.apply(s)
		if f.owner == atomic {
			s.SessionDir = dir
		}
		if f.owner == piProject && s.SessionDir != dir && !w.near(s.SessionDir) {
			s.Warnings = append(s.Warnings, Warning{File: f.path, Text: "sessionDir: a project can use only a directory inside it or your home directory; ignoring this value"})
			s.SessionDir = dir
		}
	}
	return s
}
