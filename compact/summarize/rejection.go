package summarize

import (
	"strings"
	"unicode/utf8"
)

// A rejection is a message in which the user does not agree with what the
// assistant said or did.
type rejection struct {
	undo  bool     // what was done last is not wanted any more
	words []string // of the message, that tell what it is about
}

// rejectionOf reads a message of the user; ok is false when it rejects nothing. The
// first sentences decide: further down other things are spoken of.
func rejectionOf(text string) (_ rejection, ok bool) {
	var r rejection
	n := 0
	for s := range sentences(edges(text, 1000, 0)) {
		if n++; n <= 2 {
			r.undo = r.undo || undoWords.in(s.text)
			ok = ok || r.undo || rejectWords.in(s.text) || n == 1 && refuses(s.text)
		}
		for word := range strings.FieldsFuncSeq(strings.ToLower(s.text), notInWord) {
			if utf8.RuneCountInString(word) >= 5 && !usual[word] {
				r.words = append(r.words, word)
			}
		}
	}
	return r, ok
}

// refuses reports whether a sentence begins with a word like no, behind words that
// only win time.
func refuses(sentence string) bool {
	refused := false
	for word := range strings.FieldsFuncSeq(strings.ToLower(strings.ReplaceAll(sentence, "’", "'")), notInWord) {
		switch {
		case refused:
			return !polite[word]
		case refusals[word]:
			refused = true
		case !fillers[word]:
			return false
		}
	}
	return refused
}

// about reports whether a text speaks of what a rejection speaks of: whether it has
// two of its words.
func (r rejection) about(text string) bool {
	text = strings.ToLower(text)
	first := ""
	for _, word := range r.words {
		if word == first || !strings.Contains(text, word) {
			continue
		}
		if first != "" {
			return true
		}
		first = word
	}
	return false
}

var (
	// refusals begin a sentence that refuses.
	refusals = wordSet(`
		no, nope, nah, wrong, wtf, undo, revert, scrap, forget, nein, ne, falsch, quatsch, non, faux, não, errado, sbagliato, nee, fout, nie, nej, ei, hayır
		нет, неверно, неправильно, ні, không, tidak, salah, όχι, לא, لا, नहीं, 不, 不对, 不對, 不是, 違う, 違います, いや, いいえ, 아니, 아니요, 아니야`)
	// polite are the words behind a no that refuses nothing.
	polite = wordSet(`problem, problems, worries, hurry, rush, doubt, wonder, questions, objections`)
	// fillers only win time.
	fillers = wordSet(`ok, okay, hm, hmm, hmmm, hmmmm, oh, ah, uh, um, well, wait, so, but, and, sorry, ach, äh, also, warte, pero, mais, mas, ma, ну, а, но`)
	// usual are longer words that say nothing about the matter.
	usual = wordSet(`
		would, could, should, doesn't, don't, didn't, can't, that's, there, their, these, those, where, which, while, about, after, before, again, right, wrong
		think, thought, thing, things, really, still, please, instead, because, other, every, maybe, actually, already, something, supposed, looks, makes`)
)

// undoWords mark that what was done is to be taken back.
var undoWords = markers(`
	undo, undid, undone, revert, reverted, roll back, rollback, never mind, nevermind, scrap that, scrap it, forget it, forget that, forget about
	rückgängig, vergiss es, vergiss das, annule, annulez, oublie ça, deshaz, revierte, olvídalo, desfaça, desfaz, reverta, esquece, annulla, lascia perdere
	ongedaan, cofnij, отмени, откати, забудь об этом, скасуй, відкоти, geri al, hoàn tác, batalkan`, `
	元に戻, 取り消, 撤销, 撤銷, 撤回, 回退, 算了, 되돌려, 취소`)

// rejectWords mark that something is not as it should be.
var rejectWords = markers(`
	not right, doesn't look right, does not look right, that's wrong, this is wrong, is all wrong, that's not, that is not, not what i, not what we, bad idea
	don't like, it should be, it should have, das ist falsch, stimmt nicht, so nicht, doch nicht, c'est faux, pas comme ça, está mal, no es eso, así no
	está errado, não é isso, è sbagliato, non così, klopt niet, źle, не так, это неверно, это неправильно, yanlış, öyle değil, sai rồi, bukan itu`, `
	違う, 違います, 間違, そうじゃな, やめて, 不对, 不對, 不是这, 不是這, 错了, 錯了, 아니야, 틀렸, 잘못`)
