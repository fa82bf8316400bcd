package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A shape is a way in which a text says that a value is a secret. Most begin
// with a name that means secret: see rules/words.txt. The others have words of
// their own.
type shape struct {
	id string
	// example has the secret in angle quotes. A test wants it found.
	example string
	// next are the characters that may follow the name. Empty means that the
	// shape has keywords of its own.
	next string
	// expr matches what follows the name, or the whole text. Its groups are the
	// secrets. VALUE in it is a value with or without quotes, QUOTED one with
	// quotes.
	expr string
	// before reports whether what is left of the name fits; nil accepts all.
	before func(name, []byte) bool
	// traits of the values.
	traits traits
	// find does the work of expr if an expression cannot.
	find func(text []byte, n name) []span

	// For a shape without a name:
	keywords []string
	except   []string // expressions of values that are no secrets
	entropy  float64
}

type traits uint8

const (
	loose  traits = 1 << iota // only a secret can stand here
	spoken                    // in a sentence
	secret                    // the name says nothing about the value, the shape does
)

// shapes are tried in this order; the first one that finds a secret ends.
var shapes = []shape{
	{id: "name and value as two members", example: `{"name": "DB_PASSWORD", "value": "«k9Xw2LmQ4.vT7hb»"}`, next: "\"',\n\r", traits: loose,
		expr: `["']?[ \t]*[,;]?[ \t]*(?:\r?\n[ \t]*)?["']?(?i:value|val|content)["']?[ \t]*[:=][ \t]*VALUE`},
	{id: "argument after a name", example: `define('DB_PASSWORD', '«k9Xw2LmQ4.vT7hb»');`, next: "\"'", traits: loose,
		expr: `["'][ \t]{0,3}\]?[ \t]{0,12},[ \t]{0,12}QUOTED`},
	{id: "user and password as a pair", example: `auth=("svc", "«k9Xw2LmQ4.vT7hb»")`, next: "=:( ", traits: loose | secret,
		expr: `[ \t]{0,2}[=:]?[ \t]{0,2}\([ \t]{0,4}["'][^"'\n]{0,64}["'][ \t]{0,4},[ \t]{0,4}(?:Some\()?QUOTED`, before: isAuth},
	{id: "user and password", example: `creds: admin / «CopperRiver2024»`, next: " :=\t", traits: spoken | secret, before: isLogin,
		expr: `(?:[ \t](?:with|as|using|are|is|user))?[ \t]*[:=]?[ \t]*["'\x60]?[\w.@+-]+["'\x60]?[ \t]*[/:|][ \t]*["'\x60]?([^\s"'\x60<>/,]{8,})`},
	{id: "call argument", example: `config.setPassword("«k9Xw2LmQ4.vT7hb»")`, next: "(",
		expr: `\([ \t\n]{0,12}(?:Some\()?QUOTED`},
	{id: "element", example: `<password>«k9Xw2LmQ4.vT7hb»</password>`, next: ">\"", traits: loose,
		expr: `["']?(?: [\w:]+=["'][^"'\n]*["']){0,3}>(?:<!\[CDATA\[)?[ \t\r\n]{0,20}([^<>\s\]]{8,256})[ \t\r\n]{0,20}(?:\]\]>)?</`},
	{id: "entry of a property list", example: "<key>APIToken</key>\n<string>«kR9Xw2LmQ4vT7hbZ3d»</string>", next: "<", traits: loose,
		expr: `</key>[ \t\r\n]{0,20}<string>[ \t\r\n]{0,20}([^<>\s]{8,256})[ \t\r\n]{0,20}</`},
	{id: "block", example: "password: |\n  «k9Xw2LmQ4.vT7hb»\n", next: "\"':", traits: loose,
		expr: `["']?:[ \t]{0,8}[|>][-+]?[ \t]*\r?\n[ \t]+(\S{8,256})[ \t]*(?:\r?\n|$)`},
	{id: "list", example: "passwords:\n  - «k9Xw2LmQ4.vT7hb»\n  - «CopperRiver2024»\n", next: "\"':",
		expr: `["']?:[ \t]*\r?\n[ \t]*-[ \t]+VALUE(?:["']?[ \t]*\r?\n[ \t]*-[ \t]+VALUE)?(?:["']?[ \t]*\r?\n[ \t]*-[ \t]+VALUE)?`},
	{id: "command flag", example: `deploy --password «hunterhunter» --verbose`, next: " \t=", before: name.isFlag, traits: loose,
		expr: `(?:[ \t]{1,3}|=)VALUE`},
	{id: "variable", example: `DB_PASSWORD=«hunterhunter»`, next: "=", traits: loose, before: isVariable,
		expr: `=[bru]?VALUE`},
	{id: "assignment", example: `db_password := "«k9Xw2LmQ4.vT7hb»"`, next: "\"'`]) \t:=?|<",
		expr: `["'\x60\])]{0,3}[ \t]{0,20}(?::=|\?\?=|\|\|=|\?=|={1,3}>?|<-)[ \t]{0,20}[bru]?VALUE`},
	{id: "member of an object", example: `{"password": "«k9Xw2LmQ4.vT7hb»"}`, next: "\"'`]) \t:",
		expr: `["'\x60\])]{0,3}[ \t]{0,20}:{1,2}[ \t]{0,20}(?:\r?\n[ \t]{1,40})?[bru]?VALUE`},
	{id: "form field", example: "Content-Disposition: form-data; name=\"password\"\n\n«k9Xw2LmQ4.vT7hb»\n", next: "\"'", before: isField, traits: loose,
		expr: `["']?[^\n]{0,40}\r?\n(?:[\w-]+:[^\n]*\r?\n){0,2}\r?\n(\S{8,256})[ \t]*(?:\r?\n|$)`},
	{id: "word after a command", example: `aws configure set aws_secret_access_key «kR9Xw2LmQ4vT7hbZ3dPq8sYn5cJf6gAe1uVo0iBx»`, next: " \t\"",
		before: isSet,
		expr:   `["']?[ \t]{1,4}VALUE`},
	{id: "login-command", example: `wandb login «kR9Xw2LmQ4vT7hbZ3dPq8sYn5cJf6gAe1uVo0iBx»`,
		expr:     ` (?:login|auth) {1,3}(?:-[\w-]{1,20} {1,3}){0,3}["']?([A-Za-z0-9_.-]{16,200})`,
		keywords: []string{" login ", " auth "}, entropy: 3.3, except: []string{`^[a-z_.-]+\d*$`, `^(?:https?|\d+\.)`, `^[\w-]+(?:\.[\w-]+)+$`}},
	{id: "quoted word", example: `ALTER USER app WITH PASSWORD '«CopperRiver2024»';`, next: " ", traits: loose,
		expr: `[ \t]{1,3}(?:to[ \t])?'([^'\s]{8,128})'`},
	{id: "sentence", example: `The password for staging is «CopperRiver2024», rotate it`, next: " :\t*`\"", traits: spoken, find: sentence},
	{id: "sentence without spaces", example: `密码是«CopperRiver2024»`, next: "\xe6\xe4\xe7\xe3\xef\xec\xe2", traits: spoken,
		expr: `(?:是|为|為|は|：|은|는|이|가|＝)[ \t]*VALUE`},
	{id: "value-before-name", example: `use «kR9Xw2LmQ4vT7hbZ3dPq8sYn5cJf6gAe1uVo0iBx» as the bearer token`,
		expr:     `use ["'\x60]?([A-Za-z0-9_.+/=-]{16,256})["'\x60]? as (?:the|a|an|your|my) (?:\w{1,20} ){0,2}(?:key|token|password|secret|credential)`,
		keywords: []string{"use "}, entropy: 3.3, except: []string{`^[a-zA-Z_.-]+$`}},
	{id: "two lines", example: "Token created successfully. Copy it now:\n\n«kR9Xw2LmQ4vT7hbZ3dPq8sYn5cJf6gAe1uVo0iBx»\n", next: " \t:.,!\n\r", traits: spoken, find: nextLine},
	{id: "column", example: "| Environment | User | Password |\n|---|---|---|\n| staging | admin | «CopperRiver2024» |\n", next: " ,|\t;\r\n\"", find: column},

	{id: "url-password", example: `postgres://a:«x7w#y9Kq»@h/db`,
		expr:     `(?i)://[^\s/?#"'<>@:\x60\[]{0,128}:([^\s/?#"'<>@\x60]{3,200}|\d{0,10}[^\s/?#"'<>@\x60\d][^\s"'<>@\x60]{2,200})@[a-z0-9\[%_.-]`,
		keywords: []string{"://"}, except: []string{`^[$<{%*\[]`, `(?i)^(?:pass|passwd|password|pwd|secret|pw|token|user|x+|\.+|\*+|your[_-]?\w*)$`, `\{\{?\w*\}?\}`}},
	{id: "url-user", example: `https://«k9Xw2LmQ4vT7hbZ3dPq8»@github.com/org/repo.git`,
		expr:     `(?i)https?://([a-z0-9_-]{20,200})(?::x-oauth-basic|:x)?@[a-z0-9.-]+`,
		keywords: []string{"https://", "http://"}, entropy: 3.3, except: []string{`^[a-z_-]+$`}},
	{id: "authorization-header", example: `Authorization: Basic «dXNlcjpwYXNzd29yZDEyMw==»`,
		expr:     `(?i)authorization["'\x60]{0,3}[ \t]{0,3}[:=][ \t]{0,3}["'\x60]{0,3}(?:[a-z][a-z0-9-]{2,24}[ \t]{1,3}(?:token=)?)?([\w.=~+/:!-]{16,})`,
		keywords: []string{"authorization"}, entropy: 3, except: []string{`^[a-zA-Z_.-]+$`, `c2VzYW1l|YWxhZGRp|FsYWRkaW`}}, // aladdin:opensesame, the example of the RFC
	{id: "bearer-token", example: `use the bearer «kR9Xw2LmQ4vT7hbZ3dPq8»`,
		expr:     `(?i)\bbearer[ \t]{1,3}([\w.=~+/-]{20,})`,
		keywords: []string{"bearer"}, entropy: 3.5, except: []string{`^[a-zA-Z_.-]+$`}},
	{id: "cookie", example: `Cookie: a=b; sid=«Zx81kd92LsPq0aMv7Tg3»`,
		expr:     `(?i)\b(?:set-)?cookie["'\x60]{0,3}[ \t]{0,3}[:=][ \t]{0,3}["'\x60]{0,3}(?:[\w.-]{1,64}=[^;\s"']{0,15};[ \t]?){0,10}[\w.-]{1,64}=([\w.=~+/%:-]{16,})`,
		keywords: []string{"cookie"}, entropy: 3.2, except: []string{`^[a-zA-Z_.-]+$`}},
	{id: "command-user", example: `curl -u admin:«CopperRiver2024» https://nexus.test`,
		expr:     ` -(?:u|U|a|-user|-userpwd|auth|-auth|-proxy-user)[ =]{0,3}["']?[\w.@\\/+-]+[:%]([^\s"']{4,})`,
		keywords: []string{" -u", " --user", " -a ", " -auth", " --auth", " --proxy-user"}, entropy: 2, except: []string{`[$<{*]`, `(?i)^(?:pass(?:word|wd)?|secret|token|x+|\.+)$`, `^\d{1,5}(?::\d+)?$`, `^/`, `^latest$|^v?\d+\.`}},
	{id: "switch", example: `cmdkey /user:admin /pass:«CopperRiver2024»`,
		expr:     `(?i)[ \t]/(?:p|pass|password|pwd)[:=]["']?([^\s"'/]{6,200})`,
		keywords: []string{"/p:", "/pass", "/pwd"}, entropy: 2, except: []string{`[$<{*%]`}},
	{id: "piped-secret", example: `echo «CopperRiver2024» | docker login --password-stdin`,
		expr:     `(?:echo|printf)[ \t]+(?:-n[ \t]+)?["']?([^\s"'$|<]{6,256})["']?[ \t]*\|[^\n|]{0,120}(?:-stdin|sudo[ \t]+-S|--with-token|--data-file=-|passwd)`,
		keywords: []string{"-stdin", "sudo -s", "--with-token", "--data-file=-", "passwd"}, entropy: 2, except: []string{`(?i)^(?:pass|password|secret|token|foo|hello|test)$`}},
	{id: "here-string", example: `docker login --password-stdin <<< "«CopperRiver2024»"`,
		expr:     `(?:-stdin|sudo[ \t]+-S|--with-token)[^\n]{0,80}<<<[ \t]*["']?([^\s"'$]{6,256})`,
		keywords: []string{"<<<"}, entropy: 2},
	{id: "directive", example: `requirepass «k9Xw2LmQ4vT7hb»`,
		expr:     `(?:requirepass|masterauth)[ \t]+["']?([^\s"'$<]{6,200})["']?[ \t]*(?:[\r\n]|$)`,
		keywords: []string{"requirepass", "masterauth"}, entropy: 2.3},
	{id: "redis-auth", example: `AUTH app «k9Xw2LmQ4vT7hb»`,
		expr:     `\bAUTH(?:[ \t]+\w{1,20})?[ \t]+["']?([^\s"'$<]{6,200})["']?[ \t]*(?:[\r\n]|$)`,
		keywords: []string{"auth "}, entropy: 2.3, except: []string{`^[A-Z]+$`, `^[a-z_]+$`}},
}

var values = strings.NewReplacer(
	"VALUE", `(?:"([^"\n]{8,512})"|'([^'\n]{8,512})'|\x60([^\x60\n]{8,512})\x60|([^\s"'\x60<>|&;,(){}\[\]\\]{8,512}))`,
	"QUOTED", `(?:"([^"\n]{8,512})"|'([^'\n]{8,512})'|\x60([^\x60\n]{8,512})\x60)`)

// A named shape is one that begins with a name.
type namedShape struct {
	*shape
	next [256]bool
	re   *regexp.Regexp
}

// namedShapes are the shapes with a name, ready to use, and afterName is the set
// of characters that may follow one.
var namedShapes, afterName = func() (all []*namedShape, after [256]bool) {
	for i := range shapes {
		if s := &shapes[i]; s.next != "" {
			n := &namedShape{shape: s}
			for _, c := range []byte(s.next) {
				n.next[c], after[c] = true, true
			}
			all = append(all, n)
		}
	}
	return all, after
}()

var compileShapes = sync.OnceFunc(func() {
	for _, n := range namedShapes {
		if n.expr != "" {
			n.re = regexp.MustCompile("^" + values.Replace(n.expr))
		}
	}
})

// shapeRules returns the shapes without a name as rules.
func shapeRules() (rules []Rule) {
	for _, s := range shapes {
		if s.next == "" {
			rules = append(rules, Rule{ID: s.id, Regex: values.Replace(s.expr), Entropy: s.entropy, Keywords: s.keywords,
				Allowlists: append([]Allowlist{{Regexes: s.except}}, noForms...)})
		}
	}
	return rules
}

// farthest is how far after a name its value may end.
const farthest = 800

// named calls found for the secrets that the name with the word at..end has.
func named(text []byte, n name, found func(span, weight)) {
	compileShapes()
	if n.end == len(text) || !afterName[text[n.end]] {
		return
	}
	rest := text[n.end:min(len(text), n.end+farthest)]
	weight := noSecret
	for _, s := range namedShapes {
		if !s.next[rest[0]] {
			continue
		}
		if s.traits&spoken != 0 && bytes.IndexAny(rest[:min(len(rest), 240)], "0123456789") < 0 {
			continue
		}
		if s.before != nil && !s.before(n, text) {
			continue
		}
		any := false
		for _, c := range s.candidates(text, rest, n) {
			if weight == noSecret {
				if weight = weigh(string(text[n.start:n.end])); weight == noSecret {
					return
				}
			}
			if weight == login && s.traits&secret == 0 {
				break
			}
			if c.weight = weight; s.traits&secret != 0 {
				c.weight = madeUp
			}
			if c.isSecret(text, n) {
				found(c.span, c.weight)
				any = true
			}
		}
		if any {
			return
		}
	}
}

// isVariable reports whether the name is that of an environment variable or of a
// field in the query of a URL.
func isVariable(n name, text []byte) bool {
	return n.start > 0 && (text[n.start-1] == '?' || text[n.start-1] == '&') || n.isVariable(text)
}

func isAuth(n name, text []byte) bool {
	return n.end-n.start >= 4 && bytes.EqualFold(text[n.end-4:n.end], []byte("auth"))
}

// isLogin reports whether a user may stand beside the name, before a password.
func isLogin(n name, text []byte) bool {
	name := string(text[n.start:n.end])
	return nameWords[strings.ToLower(name)] == login || slices.ContainsFunc([]string{"creds", "credentials"}, func(word string) bool { return strings.EqualFold(name, word) })
}

func isField(n name, text []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(text[max(0, n.start-8):n.start], "\"'"), []byte("name="))
}

// isSet reports whether a command on the line of the name sets something.
func isSet(n name, text []byte) bool {
	left := leftOf(text, n)
	if end := bytes.LastIndexAny(left, "|;&"); end >= 0 {
		left = left[end:]
	}
	for _, word := range setters {
		if i := bytes.Index(left, word); i == 0 || i > 0 && !isAlnum(left[i-1]) {
			return true
		}
	}
	return false
}

var setters = [][]byte{[]byte("set "), []byte("setx "), []byte("setenv "), []byte("put "), []byte("add "), []byte("create "), []byte("export "), []byte("config "), []byte("configure "), []byte("ENV "), []byte("ARG ")}

// leftOf returns the name with what is left of it on its line, or the end of that.
func leftOf(text []byte, n name) []byte {
	near := text[max(0, n.start-100):n.end]
	return near[bytes.LastIndexByte(near, '\n')+1:]
}

func (s *namedShape) candidates(text, rest []byte, n name) (all []candidate) {
	var places []span
	if s.find != nil {
		places = s.find(text, n)
	} else if groups := s.re.FindSubmatchIndex(rest); groups != nil {
		for i := 2; i < len(groups); i += 2 {
			if groups[i] >= 0 {
				places = append(places, span{n.end + groups[i], n.end + groups[i+1]})
			}
		}
	}
	for _, place := range places {
		c := candidate{span: place, loose: s.traits&loose != 0, spoken: s.traits&spoken != 0}
		if quote := text[c.start-1]; c.end < len(text) && text[c.end] == quote && bytes.IndexByte([]byte("\"'`"), quote) >= 0 {
			c.quoted = true
		} else {
			for c.end > c.start && bytes.IndexByte([]byte(".,:"), text[c.end-1]) >= 0 { // of the sentence
				c.end--
			}
		}
		all = append(all, c)
	}
	return all
}

// column returns the values below a name that is the head of a column.
func column(text []byte, n name) (all []span) {
	const most = 50 // rows
	const longest = 400
	from := n.end - len(leftOf(text, n))
	width := bytes.IndexByte(text[n.end:min(len(text), n.end+longest)], '\n')
	if width < 0 || from == n.start-100 {
		return nil
	}
	to := n.end + width + 1
	head := text[from:to]
	if to == len(text) || skip(head, 0, len(head), inHead) < len(bytes.TrimRight(head, "\r\n")) {
		return nil
	}
	for _, sep := range []byte("|\t,;") {
		columns := bytes.Count(head, []byte{sep})
		if columns == 0 {
			continue
		}
		index := bytes.Count(text[from:n.start], []byte{sep})
		for rows := 0; rows < most && to < len(text); rows++ {
			start := to
			to = lineEnd(text, to)
			row := text[start:to]
			if skip(row, 0, len(row), inRuler) == len(row) {
				continue
			}
			if bytes.Count(row, []byte{sep}) != columns {
				break
			}
			for range index {
				start += bytes.IndexByte(text[start:to], sep) + 1
			}
			end := to
			if next := bytes.IndexByte(text[start:to], sep); next >= 0 {
				end = start + next
			}
			for start < end && bytes.IndexByte([]byte(" \t\"'`"), text[start]) >= 0 {
				start++
			}
			for start < end && bytes.IndexByte([]byte(" \t\r\n\"'`"), text[end-1]) >= 0 {
				end--
			}
			if end-start >= minLearned {
				all = append(all, span{start, end})
			}
		}
		return all
	}
	return nil
}

// sentence returns the value in a sentence that begins with a name: a few words,
// one that means is, and the value.
func sentence(text []byte, n name) []span {
	const mostWords = 6
	i := n.end
	for range mostWords {
		i = skip(text, i, 4, inGap)
		if i == len(text) {
			return nil
		}
		end := i
		for end < len(text) && text[end] > ' ' && end-i < 24 && bytes.IndexByte([]byte(":=*\"`"), text[end]) < 0 {
			end++
		}
		is := end < len(text) && (text[end] == ':' || text[end] == '=')
		if !is && !slices.Contains(isWords, string(text[i:end])) {
			if i = end; end == len(text) || text[end] != ' ' {
				return nil
			}
			continue
		}
		start := skip(text, end, 6, inIs)
		for end = start; end < len(text) && end-start < 512 && text[end] > ' ' && bytes.IndexByte([]byte("\"'`<>|&;,(){}[]\\"), text[end]) < 0; end++ {
		}
		if start > n.end && end-start >= minLearned {
			return []span{{start, end}}
		}
		return nil
	}
	return nil
}

// isWords mean is, in the languages of rules/words.txt.
var isWords = strings.Fields(`is was to are ist lautet est es é è sera jest är er on = -> →`)

// nextLine returns the value that stands alone on the line after a name, or after
// an empty one.
func nextLine(text []byte, n name) []span {
	const rest, least, most = 120, 16, 256
	if n.start > 0 && bytes.IndexByte([]byte(" \t\"'*#>(:\n"), text[n.start-1]) < 0 {
		return nil
	}
	end := bytes.IndexByte(text[n.end:min(len(text), n.end+rest)], '\n')
	if end < 0 || bytes.Contains(text[n.end:n.end+end], []byte("--")) {
		return nil
	}
	i := n.end + end + 1
	if next := skip(text, i, 4, inBlank); next < len(text) && text[next] == '\n' {
		i = next + 1
	}
	i = skip(text, i, 12, inQuotes)
	last := skip(text, i, most, inLine)
	after := skip(text, last, 4, inQuotes)
	after = skip(text, after, 2, inBlank)
	if last-i < least || last == i+most || after < len(text) && text[after] != '\n' {
		return nil
	}
	return []span{{i, last}}
}

var (
	inGap    = charset(" \t*`\"")
	inIs     = charset(" \t*:=`\"'")
	inBlank  = charset(" \t\r")
	inQuotes = charset(" \t\"'`")
	inLine   = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.~+/=!@#%^*$-")
	inHead   = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- |,;\t\"*\r\n")
	inRuler  = charset("-+:=| \t\r\n")
)
