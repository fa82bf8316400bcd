// Package blocks arranges and draws the parts of a session, as on the pages: a prompt,
// the model once for each turn, texts, and one row for each call with its result.
// Bookkeeping has no block.
//
// Text of a session is escaped before anything else is done with it; Markdown is
// rendered from escaped text.
package blocks

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
)

// A Kind is the kind of a block.
type Kind uint8

// The kinds of blocks.
const (
	Prompt   Kind = iota
	Model         // the model of a turn, with its time and cost
	Text          // a response
	Thinking      // one line
	Run           // the head of several calls
	Call          // a call with its result
	Summary       // of a compaction or a branch
	Failure       // a response that failed
	Shell         // a command of the user
	Custom        // an extension message
	Remark        // one line about the session
	Branches      // other branches continue here
)

// A Block is a part of a turn.
type Block struct {
	Kind   Kind
	Item   *inspect.Item
	Turn   *inspect.Turn   // of Model
	Calls  []*inspect.Item // of Run
	InRun  bool            // of Call: below the head of a run
	Branch *Fork           // of Branches
}

// A Fork is an entry at which a session has several branches.
type Fork struct {
	At   string // the entry
	Ways []Way  // the one on the shown path first
}

// A Way is a branch.
type Way struct {
	First, End string // its first and last entry
	Text       string // its first prompt
	Label      string // the first label in it
	Entries    int
	Spent      format.Spent
	Shown      bool // it is on the shown path
	Current    bool // it leads to the leaf
}

// Forks are the forks of a path, by entry.
type Forks map[string]*Fork

// Of returns the blocks of a turn.
func Of(x *inspect.Turn, forks Forks) []Block {
	b := builder{turn: x, forks: forks}
	for i := range x.Items {
		b.add(&x.Items[i])
	}
	b.endRun()
	b.fork()
	return b.out
}

type builder struct {
	turn    *inspect.Turn
	forks   Forks
	out     []Block
	run     []*inspect.Item
	model   bool     // the model was named
	entries []string // of the last items, whose forks are not shown yet
}

func (b *builder) add(it *inspect.Item) {
	if n := len(b.entries); n > 0 && b.entries[n-1] != string(it.EntryID) && (it.Kind != inspect.ToolUse || len(b.run) == 0) {
		b.endRun()
		b.fork()
	}
	kind := Remark
	switch it.Kind {
	case inspect.User:
		kind = Prompt
	case inspect.Response, inspect.Thinking, inspect.ToolUse, inspect.Failure:
		if !b.model && it.Model != "" {
			b.model = true
			b.put(Block{Kind: Model, Item: it, Turn: b.turn})
		}
		kind = map[inspect.Kind]Kind{inspect.Response: Text, inspect.Thinking: Thinking, inspect.Failure: Failure, inspect.ToolUse: Call}[it.Kind]
	case inspect.Compaction, inspect.BranchSummary:
		kind = Summary
	case inspect.Shell:
		kind = Shell
	case inspect.Custom:
		if it.Hidden {
			b.seen(it)
			return
		}
		kind = Custom
	case inspect.System, inspect.Other:
	default: // bookkeeping
		b.seen(it)
		return
	}
	b.seen(it)
	if kind == Call {
		b.run = append(b.run, it)
		return
	}
	if kind == Text && it.Text == "" && it.Image == nil {
		return
	}
	b.put(Block{Kind: kind, Item: it})
}

func (b *builder) seen(it *inspect.Item) {
	b.entries = append(b.entries, string(it.EntryID))
	if it.Tool != nil && it.Tool.Result != nil {
		b.entries = append(b.entries, string(it.Tool.Result.EntryID), string(it.EntryID))
	}
}

func (b *builder) put(block Block) {
	b.endRun()
	b.out = append(b.out, block)
}

func (b *builder) endRun() {
	run := b.run
	b.run = nil
	if len(run) > 1 {
		b.out = append(b.out, Block{Kind: Run, Item: run[0], Calls: run})
	}
	for _, it := range run {
		b.out = append(b.out, Block{Kind: Call, Item: it, InRun: len(run) > 1})
	}
}

// fork shows the branches at the last entries.
func (b *builder) fork() {
	for _, id := range b.entries {
		if f := b.forks[id]; f != nil && !b.shown(f) {
			b.out = append(b.out, Block{Kind: Branches, Item: &inspect.Item{EntryID: inspect.Text(id)}, Branch: f})
		}
	}
	b.entries = b.entries[:0]
}

func (b *builder) shown(f *Fork) bool {
	for i := range b.out {
		if b.out[i].Branch == f {
			return true
		}
	}
	return false
}

// Holds reports whether a block shows an entry.
func (b *Block) Holds(id string) bool {
	it := b.Item
	return it != nil && (string(it.EntryID) == id || it.Tool != nil && it.Tool.Result != nil && string(it.Tool.Result.EntryID) == id)
}

// Entry returns the last entry that a block shows.
func (b *Block) Entry() string {
	if b.Item == nil {
		return ""
	}
	if it := b.Item; it.Tool != nil && it.Tool.Result != nil && it.Tool.Result.EntryID != "" {
		return string(it.Tool.Result.EntryID)
	}
	return string(b.Item.EntryID)
}

// Failed reports whether a block is a call or a response that failed.
func (b *Block) Failed() bool {
	return b.Kind == Failure || b.Item != nil && b.Item.Tool != nil && b.Item.Tool.Result != nil && b.Item.Tool.Result.IsError
}

// Copied returns the text that copying a block gives.
func (b *Block) Copied() string {
	it := b.Item
	switch {
	case it == nil:
		return ""
	case it.Tool != nil && it.Tool.Result != nil:
		return string(it.Tool.Result.Text)
	case it.Bash != nil:
		return string(it.Bash.Command)
	}
	return string(it.Text)
}
