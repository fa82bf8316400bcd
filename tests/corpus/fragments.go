package corpus

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// A fragment is a piece of text, already escaped for a JSON string, so that
// filling a body only copies bytes.
type fragment []byte

// A pool holds the fragments of one kind, shortest first.
type pool struct {
	fragments []fragment
	upTo      []int // upTo[n] is the number of fragments of at most n bytes
}

// A kind is the kind of text in a body.
type kind int

const (
	askText    kind = iota // user messages
	proseText              // responses
	codeText               // files and edits
	outputText             // output of commands
)

// pools returns the pools, which are made once and are the same for every seed.
var pools = sync.OnceValue(func() [4]pool {
	r := &random{state: 0x70697468}
	prose := append(expand(r, sentences, 900, " "), expand(r, foreign, 40, " ")...)
	return [4]pool{
		askText:    newPool(append(expand(r, asks, 900, " "), expand(r, foreign, 20, " ")...)),
		proseText:  newPool(append(prose, expand(r, sentences, 100, "\n\n")...)),
		codeText:   newPool(append(expand(r, codeBlocks, 900, ""), expand(r, lines(codeBlocks), 900, "\n")...)),
		outputText: newPool(append(expand(r, outputBlocks, 1500, ""), expand(r, foreign, 20, "\n")...)),
	}
})

// lines returns the lines of all blocks that are longer than a brace.
func lines(blocks []string) []string {
	var out []string
	for line := range strings.Lines(strings.Join(blocks, "\n")) {
		if line = strings.TrimRight(line, "\n"); len(line) > 3 {
			out = append(out, line)
		}
	}
	return out
}

// expand fills templates until there are n fragments, each ending in end.
func expand(r *random, templates []string, n int, end string) []fragment {
	out := make([]fragment, 0, n)
	for i := range n {
		out = append(out, appendEscaped(nil, fillSlots(r, templates[i%len(templates)])+end))
	}
	return out
}

// fillSlots replaces every {slot} by a word of its list. Braces without a list
// stay.
func fillSlots(r *random, template string) string {
	var out strings.Builder
	for {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			out.WriteString(template)
			return out.String()
		}
		out.WriteString(template[:open])
		template = template[open:]
		end := strings.IndexByte(template, '}')
		if words := slots[template[1:max(1, end)]]; words != nil {
			out.WriteString(pick(r, words))
			template = template[end+1:]
			continue
		}
		out.WriteByte('{')
		template = template[1:]
	}
}

func newPool(fragments []fragment) pool {
	slices.SortStableFunc(fragments, func(a, b fragment) int { return cmp.Compare(len(a), len(b)) })
	longest := len(fragments[len(fragments)-1])
	p := pool{fragments: fragments, upTo: make([]int, longest+1)}
	n := 0
	for size := range p.upTo {
		for n < len(fragments) && len(fragments[n]) <= size {
			n++
		}
		p.upTo[size] = n
	}
	return p
}

// closeFit is the number of the longest fitting fragments from which the last
// piece of a body is chosen.
const closeFit = 24

// fill appends about size bytes of text, at most that many.
func (p *pool) fill(b []byte, r *random, size int) []byte {
	longest := len(p.upTo) - 1
	for size > 0 {
		fitting := p.upTo[min(size, longest)]
		if fitting == 0 {
			return b
		}
		first := 0
		if size < 2*longest {
			first = max(0, fitting-closeFit)
		}
		f := p.fragments[first+r.below(fitting-first)]
		b = append(b, f...)
		size -= len(f)
	}
	return b
}
