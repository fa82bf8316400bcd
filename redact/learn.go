package redact

import (
	"crypto/sha256"
	"io"
	"maps"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

const (
	// minLearned is the length from which a value that was recognized once is a
	// secret everywhere. Shorter ones occur by chance.
	minLearned = 8
	// maxLearned limits how many values are remembered, so that a file full of
	// keys takes no more memory than one with some.
	maxLearned = 20_000
	// longestLearned is the length up to which a value is remembered whole. Of a
	// longer one, its lines are.
	longestLearned = 4 << 10
)

// Learn searches a line for secrets, as Line does, and remembers those of eight
// characters or more: Line, Text and Check then replace them wherever they
// stand, in every encoding, also where nothing indicates that they are secret.
// So a session that is shared is read twice: learn all its lines, then redact
// them. Learn numbers nothing.
//
// Line, Text and Check learn as well, for what follows. The first 20,000 values
// are remembered; later ones are redacted only where they are recognized.
func (r *Redactor) Learn(line []byte) { r.learn(r.matches(line, jsonl.Valid(line))) }

// LearnText is like Learn for text.
func (r *Redactor) LearnText(text string) { r.learn(r.matches([]byte(text), false)) }

// LearnFile is like Learn for all of a file.
func (r *Redactor) LearnFile(src io.Reader) error {
	return eachPart(src, func(part []byte, isJSON bool, _, _ int) { r.learn(r.matches(part, isJSON)) })
}

// LearnFrom takes what another Redactor has learned as known secrets: wherever
// one stands, it is no coincidence.
func (r *Redactor) LearnFrom(other *Redactor) {
	other.learning.RLock()
	learned := maps.Clone(other.learned)
	other.learning.RUnlock()
	for key, k := range learned {
		certain := *k
		certain.kind, certain.rank = Known, 0
		r.add(key, &certain)
	}
}

// learn remembers the values of matches, and reports whether any is new.
func (r *Redactor) learn(found []match) (more bool) {
	for i := range found {
		m := &found[i]
		if m.kind == Known || m.kind >= ByName || m.learned || !lasting(m.value) {
			continue
		}
		more = r.remember(m) || more
	}
	return more
}

func (r *Redactor) remember(m *match) bool {
	value := strings.Clone(m.value)
	return r.add(sha256.Sum256([]byte(value)), &known{kind: m.kind, label: m.label, value: value, rank: m.rank, bounded: isWord(value), learned: true})
}

func (r *Redactor) add(key [sha256.Size]byte, k *known) bool {
	r.learning.Lock()
	defer r.learning.Unlock()
	if r.learned[key] != nil || len(r.learned) >= maxLearned {
		return false
	}
	r.learned[key] = k
	if len(k.value) <= longestLearned {
		r.engine.addValue(k)
		return true
	}
	for line := range strings.Lines(k.value) {
		if line = strings.TrimSpace(line); len(line) >= 24 && len(line) <= longestLearned {
			r.engine.word(line, true, k)
		}
	}
	return true
}

// lasting reports whether a value is a secret wherever it stands. A word or an
// e-mail address is one only beside a name that says so.
func lasting(value string) bool {
	if len(value) < minLearned || entropy([]byte(value)) < 1.5 {
		return false
	}
	if word := strings.Trim(value, ".,:;!?()"); isWord(word) && surprise([]byte(word)) <= surprising {
		return false
	}
	if email().FindString(value) == value {
		return false
	}
	return !overPlaceholder([]byte(value), span{0, len(value)})
}

// isWord reports whether a value consists of letters or of digits alone. It is
// found only where it is a word of its own.
func isWord(value string) bool {
	letters, others := 0, 0
	for i := range len(value) {
		switch c := value[i]; {
		case '0' <= c && c <= '9':
		case isAlnum(c):
			letters++
		default:
			others++
		}
	}
	return others == 0 && (letters == 0 || letters == len(value))
}
