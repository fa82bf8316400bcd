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

// Learn searches a line or a text for secrets, as Line does, and remembers those of eight
// characters or more: Line, Text and Check then replace them wherever they
// stand, in every encoding, also where nothing indicates that they are secret.
// So a session that is shared is read twice: learn all its lines, then redact
// them. Learn numbers nothing. It reports whether the line contains a secret or a
// suspect.
//
// Line, Text and Check learn as well, for what follows. The first 20,000 values
// are remembered; later ones are redacted only where they are recognized.
func (r *Redactor) Learn(line []byte) (found bool) {
	all := r.matches(line, jsonl.Valid(line))
	r.learn(all)
	return len(all) > 0
}

// Learned returns the number of values that are remembered. As long as it is 0,
// Line finds in each line what Learn found.
func (r *Redactor) Learned() int {
	r.learning.RLock()
	defer r.learning.RUnlock()
	return len(r.learned)
}

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
		if m := &found[i]; m.kind > Known && m.kind < ByName && !m.learned && lasting(m.value) {
			k := &known{kind: m.kind, label: m.label, value: strings.Clone(m.value), rank: m.rank, bounded: isWord(m.value), learned: true}
			more = r.add(sha256.Sum256([]byte(k.value)), k) || more
		}
	}
	return more
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
