package compact

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
)

// A piece is the part of a conversation that fits in one prompt.
type piece struct {
	text     string
	messages iter.Seq2[pith.ContextMessage, error]
}

// pieces splits a conversation, between messages if possible. It returns at
// least one piece, which may be empty.
func (a asking) pieces(messages iter.Seq2[pith.ContextMessage, error]) ([]piece, error) {
	if a.max <= 0 {
		text, err := Serialize(messages)
		return []piece{{text, messages}}, err
	}
	f := filling{asking: a, messages: messages}
	for m, err := range messages {
		if err != nil {
			return nil, err
		}
		f.add(m)
	}
	f.flush()
	if len(f.out) == 0 {
		f.out = []piece{{"", messages}}
	}
	return f.out, nil
}

// A filling builds pieces message by message.
type filling struct {
	asking
	messages iter.Seq2[pith.ContextMessage, error]
	out      []piece

	text   []byte // text of the current piece
	weight int64  // weight of that text
	first  int    // index of its first message
	next   int    // index of the next message
}

func (f *filling) add(m pith.ContextMessage) {
	text := appendMessage(nil, m)
	weight := f.estimator.text(text)
	if f.weight > 0 && f.weight+int64(len(partGap))+weight > 4*f.max {
		f.flush()
	}
	f.next++
	switch {
	case len(text) == 0:
		return
	case weight > 4*f.max:
		for _, slice := range f.slices(string(text)) {
			f.out = append(f.out, piece{slice, section(f.messages, f.first, f.next)})
		}
		f.first = f.next
		return
	case len(f.text) > 0:
		f.text = append(f.text, partGap...)
		f.weight += int64(len(partGap))
	}
	f.text = append(f.text, text...)
	f.weight += weight
}

func (f *filling) flush() {
	if len(f.text) > 0 {
		f.out = append(f.out, piece{string(f.text), section(f.messages, f.first, f.next)})
	}
	f.text, f.weight, f.first = nil, 0, f.next
}

// slices splits the text of one message that is too long for a prompt, at line
// ends if possible.
func (a asking) slices(text string) []string {
	var out []string
	for text != "" {
		end := a.fitting(text)
		if line := strings.LastIndexByte(text[:end], '\n'); end < len(text) && line > 0 {
			end = line + 1
		}
		out = append(out, text[:end])
		text = text[end:]
	}
	return out
}

// fitting returns how many bytes of text fit in a prompt, but at least one
// character.
func (a asking) fitting(text string) int {
	left := 4 * a.max
	for i, r := range text {
		left -= a.estimator.text(utf8.AppendRune(nil, r))
		if left < 0 && i > 0 {
			return i
		}
	}
	return len(text)
}

// section yields the messages with indices from (inclusive) to (exclusive).
func section(messages iter.Seq2[pith.ContextMessage, error], from, to int) iter.Seq2[pith.ContextMessage, error] {
	return func(yield func(pith.ContextMessage, error) bool) {
		n := 0
		for m, err := range messages {
			if err == nil && n < from {
				n++
				continue
			}
			if err == nil && n >= to || !yield(m, err) || err != nil {
				return
			}
			n++
		}
	}
}
