package inspect

import (
	"strings"
	"sync"
	"unicode"
)

// A phrases list finds the first of its phrases in a text. Phrases in scripts
// with spaces match only whole words; others match anywhere.
type phrases struct{ spaced, anywhere []string }

// newPhrases returns a function that builds the list on first use, not at
// program start.
func newPhrases(list ...string) func() phrases {
	return sync.OnceValue(func() phrases {
		var p phrases
		for _, phrase := range list {
			if strings.IndexFunc(phrase, withoutSpaces) >= 0 {
				p.anywhere = append(p.anywhere, phrase)
			} else {
				p.spaced = append(p.spaced, spaced(phrase))
			}
		}
		return p
	})
}

// withoutSpaces reports whether a letter belongs to a script that does not
// separate words by spaces.
func withoutSpaces(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// spaced returns a text in lower case with its words between single spaces and
// without apostrophes.
func spaced(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	gap := true
	for _, r := range s {
		switch {
		case r == '\'' || r == '’' || r == '`':
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			b.WriteRune(unicode.ToLower(r))
			gap = false
		case !gap:
			b.WriteByte(' ')
			gap = true
		}
	}
	if !gap {
		b.WriteByte(' ')
	}
	return b.String()
}

// in returns the first phrase found in a text, or "". It searches only the
// beginning of a long text, because the rest is mostly pasted.
func (p phrases) in(text string) string {
	text = text[:min(len(text), speechRead)]
	words := spaced(text)
	for _, phrase := range p.spaced {
		if strings.Contains(words, phrase) {
			return strings.TrimSpace(phrase)
		}
	}
	for _, phrase := range p.anywhere {
		if strings.Contains(text, phrase) {
			return phrase
		}
	}
	return ""
}

// complaintWords are phrases of dissatisfied users. They exclude words that
// occur in any request about software, such as error or bug.
var complaintWords = newPhrases(
	// English
	"that's wrong", "this is wrong", "you're wrong", "is incorrect", "not correct", "not what i asked", "not what i wanted",
	"not what i meant", "doesn't work", "does not work", "didn't work", "did not work", "isn't working", "is not working",
	"not working", "still broken", "still fails", "still failing", "still not", "still wrong", "still doesn't", "you broke",
	"why did you", "why are you", "i told you", "i said", "i already", "you forgot", "you missed", "you ignored", "you didn't",
	"you did not", "stop doing", "don't do that", "undo that", "revert that", "revert this", "try again", "useless", "terrible",
	"wtf", "no no", "nope", "makes no sense", "come on", "you keep", "not fixed", "same error", "same problem", "worse",
	// German
	"das ist falsch", "stimmt nicht", "funktioniert nicht", "geht nicht", "klappt nicht", "immer noch", "du hast vergessen",
	"hast du vergessen", "nicht was ich", "kaputt gemacht", "schon wieder", "nochmal versuchen", "versuch es nochmal", "warum hast du", "unbrauchbar",
	// French
	"ça ne marche pas", "ne marche pas", "ne fonctionne pas", "c'est faux", "ce n'est pas ce que", "tu as oublié", "toujours pas",
	"pourquoi as tu", "encore une fois", "réessaie", "tu as cassé",
	// Spanish
	"no funciona", "está mal", "esta mal", "eso no es", "no es lo que", "te olvidaste", "olvidaste", "sigue sin", "sigue fallando",
	"otra vez", "por qué has", "inténtalo de nuevo", "lo rompiste",
	// Portuguese
	"não funciona", "não funcionou", "está errado", "não é o que", "você esqueceu", "ainda não", "continua falhando", "de novo não", "tente novamente",
	// Italian
	"non funziona", "è sbagliato", "non è quello che", "hai dimenticato", "ancora non", "riprova", "hai rotto",
	// Dutch
	"werkt niet", "dat klopt niet", "is fout", "niet wat ik", "je bent vergeten", "nog steeds", "probeer opnieuw",
	// Polish
	"nie działa", "to jest źle", "nie o to", "zapomniałeś", "nadal nie", "spróbuj ponownie",
	// Turkish
	"çalışmıyor", "yanlış", "hâlâ", "unuttun", "tekrar dene",
	// Russian and Ukrainian
	"не работает", "неправильно", "это не то", "ты забыл", "всё ещё", "все еще", "опять", "попробуй снова", "сломал", "не працює",
	// Chinese
	"不对", "不對", "错了", "錯了", "不工作", "不行", "还是不", "還是不", "没有用", "你忘了", "为什么你", "重新来", "再试",
	// Japanese
	"違います", "違う", "動かない", "動きません", "間違って", "まだ直って", "忘れて", "やり直し", "もう一度",
	// Korean
	"안 돼", "안돼", "틀렸", "작동하지 않", "아직도", "잊었", "다시 해",
)

// retryWords are phrases of models that made a mistake or try again.
var retryWords = newPhrases(
	"i apologize", "my apologies", "apologies for", "i'm sorry", "i am sorry", "sorry about that", "sorry for", "my mistake", "i made a mistake",
	"i made an error", "you're right i", "you're absolutely right", "let me try again", "let me try a different", "let me try another",
	"let me retry", "i'll try again", "i'll try a different", "trying again", "that didn't work", "that did not work", "let me fix that",
	"let me correct", "i misunderstood", "i was wrong", "i overlooked",
	"entschuldigung", "tut mir leid", "mein fehler", "ich versuche es noch einmal", "versuche es erneut",
	"désolé", "je m'excuse", "toutes mes excuses", "je réessaie", "lo siento", "mis disculpas", "voy a intentarlo de nuevo",
	"desculpe", "peço desculpas", "vou tentar novamente", "mi dispiace", "scusa", "riprovo", "mijn excuses", "przepraszam", "özür dilerim",
	"извините", "прошу прощения", "моя ошибка", "попробую ещё раз",
	"抱歉", "对不起", "對不起", "我再试", "申し訳", "すみません", "もう一度試", "죄송", "다시 시도",
)
