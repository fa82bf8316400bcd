package summarize

import (
	"strings"
	"unicode"
)

// firstRequest is the turn in which the user first asks for something, be it by a
// question of three words; -1 when there is none. Greetings ask for nothing. Words
// that only agree or go on, and the name of a command alone, which was meant for
// the program, count where nothing else was said.
func firstRequest(turns []turn) int {
	spare := -1
	for i := range turns {
		switch request := turns[i].request; {
		case onlyWords(request, greetings):
		case !onlyWords(request, assents) && !isCommandName(request):
			return i
		case spare < 0:
			spare = i
		}
	}
	return spare
}

// onlyWords reports whether a text has no other words than these.
func onlyWords(text string, known map[string]bool) bool {
	if len(text) > 100 {
		return false
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(strings.ReplaceAll(text, "’", "'")), notInWord) {
		if !known[word] {
			return false
		}
	}
	return true
}

// isCommandName reports whether a text is a slash and a word, as /model is.
func isCommandName(text string) bool {
	name, ok := strings.CutPrefix(text, "/")
	return ok && strings.IndexFunc(name, func(r rune) bool { return !partOfWord(r) && r != '-' && r != ':' }) < 0
}

func notInWord(r rune) bool { return !partOfWord(r) && !unicode.IsNumber(r) }

// greetings are the words of which greetings are made.
var greetings = wordSet(`
	hi, hello, hey, yo, there, greetings, howdy, good, morning, afternoon, evening, claude, pi
	hallo, moin, servus, guten, morgen, tag, abend, bonjour, bonsoir, salut, hola, buenos, buenas, días, tardes, noches, ciao, buongiorno, buonasera
	olá, oi, bom, boa, dia, tarde, noite, goedemorgen, hoi, cześć, dzień, dobry, hej, god, morgon, moi, hei, ahoj, szia
	привет, здравствуй, здравствуйте, добрый, день, утро, доброе, вечер, привіт, вітаю, merhaba, selam, xin, chào, halo, selamat, pagi
	γεια, σου, καλημέρα, שלום, مرحبا, السلام, عليكم, नमस्ते, สวัสดี, สวัสดีครับ, สวัสดีค่ะ
	你好, 您好, 嗨, 早上好, 大家好, こんにちは, おはよう, おはようございます, こんばんは, 안녕, 안녕하세요`)

// assents are the words of which consent is made, and the wish to go on.
var assents = wordSet(`
	yes, yeah, yep, y, ok, okay, sure, fine, thanks, thank, you, please, continue, go, on, ahead, proceed, next, do, it, that
	ja, gerne, weiter, bitte, danke, oui, continuez, merci, sí, si, vale, gracias, sim, obrigado, va, bene, да, дальше, продолжай, спасибо, так, далі
	evet, devam, tamam, 好, 好的, 继续, 繼續, 是, 谢谢, はい, 続けて, お願いします, 네, 계속`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range listed(words) {
		set[word] = true
	}
	return set
}
