package inspect

import (
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/prices"
)

// A Turn is a user message and everything up to the next one.
type Turn struct {
	Number  int          `json:"number"`
	EntryID Text         `json:"entryId"` // first entry
	Time    Moment       `json:"time"`    // time of its first entry
	Entries int          `json:"entries"`
	Items   []Item       `json:"items"`
	Spent   format.Spent `json:"spent,omitzero"`
}

// A Detail determines how much of a turn is shown. The zero Detail shows
// everything.
type Detail struct {
	// MaxContent is the maximum length of a text in characters; 0 means no
	// limit.
	MaxContent int
	// MaxSpeech is the same for user messages, responses and summaries; 0 means
	// MaxContent.
	MaxSpeech int
	// Roles are the roles to show; none means all.
	Roles []string
	// Brief omits extension state and accounting, which only programs read.
	Brief bool
}

// Turn reads the turn at an index.
func (r *Reading) Turn(i int, d Detail) (*Turn, error) {
	from, to := r.span(i)
	first := r.at(from)
	x := &Turn{
		Number: r.Number(i), EntryID: Text(first.ID), Time: Moment{first.Time}, Entries: to - from, Items: []Item{},
	}
	b := builder{x: x, detail: d, label: r.view.Label, calls: map[string]int{}}
	k := from
	for line, err := range r.Lines(i) {
		if err != nil {
			return nil, err
		}
		if parent, ok := r.jumps[k]; ok && k > 0 {
			b.add(Item{Kind: Jump, Target: Text(parent)}, &line.Envelope)
		}
		b.line(&line)
		k++
	}
	x.Items = b.wanted()
	return x, nil
}

// A builder converts entries to the items of a turn, in order.
type builder struct {
	x      *Turn
	detail Detail
	label  func(id string) string
	calls  map[string]int // id of a call without a result to its item
}

// wanted returns the items of the requested roles.
func (b *builder) wanted() []Item {
	if len(b.detail.Roles) == 0 {
		return b.x.Items
	}
	return slices.DeleteFunc(b.x.Items, func(it Item) bool { return !slices.Contains(b.detail.Roles, it.Role()) })
}

func (b *builder) add(it Item, e *pith.Envelope) int {
	it.EntryID, it.Time = Text(e.ID), Moment{e.Time}
	if e.ID != "" && it.Kind != Jump {
		it.Label = Text(b.label(e.ID))
	}
	b.x.Items = append(b.x.Items, it)
	return len(b.x.Items) - 1
}

// say adds an item with a text, which is truncated if it is long.
func (b *builder) say(it Item, text string, e *pith.Envelope) {
	most := b.detail.MaxContent
	if b.detail.MaxSpeech > 0 {
		switch it.Kind {
		case User, Response, Custom, Compaction, BranchSummary:
			most = b.detail.MaxSpeech
		}
	}
	it.Text, it.LeftOut = cut(text, most)
	b.add(it, e)
}

// spend adds the usage of an entry, to its first item if it has one.
func (b *builder) spend(entry format.Entry, first int) {
	s := spentOn(prices.Entry(entry))
	if s == nil {
		return
	}
	b.x.Spent = b.x.Spent.Plus(s.Spent)
	if first < len(b.x.Items) {
		b.x.Items[first].Spent = s
	}
}

// line adds the items of an entry. It does not retain the bytes.
func (b *builder) line(line *pith.Line) {
	e := &line.Envelope
	entry, err := format.DecodeEntry(line.Raw)
	if err != nil {
		b.add(Item{Kind: Other, Name: "damaged line"}, e)
		return
	}
	b.entry(entry, e)
}

// Items returns the items of a single entry: a result has no call.
func Items(entry format.Entry) []Item {
	b := builder{x: &Turn{}, label: func(string) string { return "" }, calls: map[string]int{}}
	head := entry.Head()
	at, _ := head.Time()
	b.entry(entry, &pith.Envelope{ID: head.ID, Time: at})
	return b.x.Items
}

// entry adds the items of a decoded entry.
func (b *builder) entry(entry format.Entry, e *pith.Envelope) {
	first := len(b.x.Items)
	switch entry := entry.(type) {
	case *format.MessageEntry:
		b.message(entry.Message, e)
		if entry.Message.Role() == format.RoleToolResult {
			return // it belongs to its call, and so does its usage
		}
	case *format.CustomMessage:
		b.content(Item{Kind: Custom, Name: Text(entry.CustomType), Hidden: !entry.Display}, entry.Content, e)
	case *format.Compaction:
		b.say(Item{Kind: Compaction, Target: Text(entry.FirstKeptEntryID), TokensBefore: entry.TokensBefore}, entry.Summary, e)
	case *format.BranchSummary:
		b.say(Item{Kind: BranchSummary, Target: Text(entry.LeftAt())}, entry.Summary, e)
	case *format.ContextEdit:
		it := Item{Kind: ContextEdit, Target: Text(entry.TargetID), Hidden: entry.Replacement == nil}
		if entry.Replacement == nil {
			b.add(it, e)
		} else {
			b.content(it, *entry.Replacement, e)
		}
	default:
		b.bookkeeping(entry, e)
	}
	b.spend(entry, first)
}

// bookkeeping adds entries that describe the session.
func (b *builder) bookkeeping(entry format.Entry, e *pith.Envelope) {
	switch entry := entry.(type) {
	case *format.ModelChange:
		b.add(Item{Kind: ModelChange, Name: Text(format.ModelName(entry.Provider, entry.ModelID))}, e)
	case *format.ThinkingLevelChange:
		b.add(Item{Kind: ThinkingLevel, Name: Text(entry.Level)}, e)
	case *format.SessionInfo:
		b.add(Item{Kind: Name, Name: Text(format.TrimName(entry.Name))}, e)
	case *format.Label:
		b.add(Item{Kind: Label, Name: Text(entry.Label), Target: Text(entry.TargetID)}, e)
	case *format.Custom:
		if text := format.DisplayText(format.TypeCustom, entry.Raw); text != "" {
			b.say(Item{Kind: State, Name: Text(entry.CustomType), Hidden: true}, text, e)
		} else if !b.detail.Brief {
			b.say(Item{Kind: State, Name: Text(entry.CustomType), Hidden: true}, string(entry.Data), e)
		}
	case *format.UsageEntry:
		if !b.detail.Brief {
			b.say(Item{Kind: Spending, Name: Text(format.ModelName(entry.Provider, entry.Model))}, entry.Note, e)
		}
	default:
		head := entry.Head()
		if text := format.DisplayText(head.Type, head.Raw); text != "" {
			b.say(Item{Kind: Other, Name: Text(head.Type)}, text, e)
			return
		}
		b.add(Item{Kind: Other, Name: Text(head.Type)}, e)
	}
}
