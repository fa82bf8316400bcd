package summarize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words that mark what a sentence does, in the languages that most conversations
// are in. Signs that need no language are looked for beside them.

// demandWords mark what the user demands or forbids.
var demandWords = markers(`
	must, mustn't, never, always, don't, dont, do not, should not, shouldn't, make sure, ensure, please use, has to be, have to be, avoid, prefer,
	instead of, rather than, not allowed, required, i don't want, i would only, i'd rather, at most, at least, no need
	muss, müssen, darf nicht, dürfen nicht, niemals, nie, immer, verwende, benutze, nicht, kein, keine, statt, achte darauf
	doit, doivent, toujours, jamais, ne pas, n'utilise, il faut, uniquement, veuillez, évite
	debe, deben, siempre, nunca, no uses, no usar, hay que, evita, asegúrate
	deve, devem, sempre, não use, evite, garanta, mai, non usare, soltanto, evita, assicurati
	moet, altijd, nooit, gebruik, musi, zawsze, nigdy, nie używaj, måste, alltid, aldrig, altid, pitää, aina, ei saa
	должен, должна, должно, должны, нужно, надо, нельзя, всегда, никогда, обязательно, не используй, повинен, треба, завжди, ніколи, не використовуй
	her zaman, asla, kullanma, phải, luôn, không được, đừng, harus, selalu, jangan
	πρέπει, πάντα, ποτέ, μην, תמיד, אסור, يجب, دائما, دائمًا, أبدا, لا تستخدم`, `
	必ず, 絶対, 禁止, しないで, ないこと, 避け, 使わない, 守って
	必须, 必須, 不要, 不能, 不准, 一定要, 务必, 務必, 请用, 请使用, 請用, 只能, 总是, 總是, 永远, 避免, 不得, 确保, 確保, 别用
	반드시, 꼭, 절대, 항상, 하지 마, 하지마, 말고, 금지, 해야, olmalı, חייב, ต้อง, ห้าม, อย่า, เสมอ, हमेशा, कभी नहीं, चाहिए, मत`)

// hintWords mark what may be a wish. Words of politeness are not among them: they
// go with what is to be done.
var hintWords = markers(`
	only, should be, should stay, needs to, need to be, keep, without, stop, use, remember, i want, we want, nur, ohne, sans, seulement,
	solo, sólo, sin, apenas, sem, não, senza, alleen, zonder, niet, tylko, bez, endast, utan, uden, skal
	только, не надо, без, тільки, sadece, gerekir, chỉ, hanya, μόνο, רק, فقط, بدون`, `
	すること, だけ, のみ, 使って, ように, 만 사용, केवल`)

// conditionWords are the names of lists of conditions.
var conditionWords = markers(`
	rules, constraints, requirements, conditions, preferences, guidelines, conventions, regeln, bedingungen, anforderungen, vorgaben, règles, contraintes
	exigences, consignes, reglas, requisitos, restricciones, condiciones, regras, restrições, regole, requisiti, vincoli, regels, eisen, zasady, wymagania
	regler, krav, säännöt, правила, требования, ограничения, условия, вимоги, kurallar, gereksinimler, quy tắc, yêu cầu, aturan, persyaratan
	κανόνες, כללים, قواعد, شروط`, `
	ルール, 条件, 要件, 制約, 规则, 規則, 规范, 約束, 约束, 要求, 규칙, 조건, 요구, 제약, กฎ, नियम`)

// choiceWords mark what the assistant decided or found out.
var choiceWords = markers(`
	decided, decision, instead of, rather than, root cause, the fix is, the solution is, the approach is, the design is, the plan is, agreed, we chose, we'll use, i'll use,
	the problem is, the problem was, the issue is, the issue was, the reason, turns out, better approach, trade-off, tradeoff
	entschieden, entscheidung, stattdessen, statt, die ursache, die lösung, das problem ist, grund dafür
	décidé, décision, au lieu de, plutôt que, la cause, la solution, le problème
	decidido, decisión, en lugar de, en vez de, la causa, la solución, el problema
	decisão, em vez de, a causa, a solução, deciso, decisione, invece di, la soluzione, besloten, in plaats van, oplossing
	решил, решили, решение, вместо, причина, проблема в, вирішили, замість, karar, yerine, neden, quyết định, thay vì, keputusan, daripada
	αντί, αιτία, במקום, הסיבה, قررت, بدلا من, السبب, الحل`, `
	決定, 決め, 方針, 代わりに, ことにし, 原因は, 原因が, 採用, 解決策
	决定, 決定, 改为, 改為, 而不是, 原因是, 根本原因, 方案, 采用, 採用, 解决办法
	αποφάσισ, החלט, 결정, 대신, 원인은, 해결책, ตัดสินใจ, แทน, สาเหตุ, निर्णय, के बजाय, कारण`)

// nextWords mark the line before a list of what is left to do.
var nextWords = markers(`
	next, next steps, remaining, todo, to do, left to do, still open, not done yet, nächste, nächsten, verbleibend, offen, prochaine, prochaines, reste,
	siguiente, siguientes, pendiente, pendientes, próximo, próximos, prossimi, volgende, следующие, далее, осталось, наступні, sonraki, tiếp theo, berikutnya`,
	`次の, 残り, 今後, 下一步, 接下来, 剩余, 待办, 다음, 남은, ต่อไป, आगे`)

// A markerSet finds phrases: those of scripts that part words must stand alone,
// others may stand anywhere.
type markerSet struct {
	byWord map[string][]string // by the first word of the phrase
	byRune map[rune][]string   // by the first character of the phrase
}

func markers(parted, joined string) markerSet {
	m := markerSet{map[string][]string{}, map[rune][]string{}}
	for _, phrase := range listed(parted) {
		word := phrase[:wordEnd(phrase)]
		m.byWord[word] = append(m.byWord[word], phrase)
	}
	for _, phrase := range listed(joined) {
		r, _ := utf8.DecodeRuneInString(phrase)
		m.byRune[r] = append(m.byRune[r], phrase)
	}
	return m
}

func listed(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		for phrase := range strings.SplitSeq(line, ",") {
			if phrase = strings.TrimSpace(phrase); phrase != "" {
				out = append(out, phrase)
			}
		}
	}
	return out
}

// in reports whether a text has one of the phrases.
func (m markerSet) in(text string) bool {
	text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	inWord := false
	for i, r := range text {
		if begins(m.byRune[r], text[i:]) {
			return true
		}
		starts := !inWord && partOfWord(r)
		inWord = partOfWord(r)
		if !starts {
			continue
		}
		for _, phrase := range m.byWord[text[i:i+wordEnd(text[i:])]] {
			if rest, ok := strings.CutPrefix(text[i:], phrase); ok && wordEnd(rest) == 0 {
				return true
			}
		}
	}
	return false
}

func begins(phrases []string, text string) bool {
	for _, phrase := range phrases {
		if strings.HasPrefix(text, phrase) {
			return true
		}
	}
	return false
}

// wordEnd is the length of the word that a text begins with.
func wordEnd(text string) int {
	for i, r := range text {
		if !partOfWord(r) {
			return i
		}
	}
	return len(text)
}

func partOfWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || r == '_' || r == '\'')
}
