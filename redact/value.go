package redact

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// This file determines the secret part of a named value.

// plainForms match values that are not secrets. The first group applies
// whatever the name is, the second unless the name indicates a secret, the
// third, which are words, also only if they do not look random.
var plainForms = sync.OnceValue(func() [3][]*regexp.Regexp {
	compile := func(all ...string) (out []*regexp.Regexp) {
		for _, expr := range all {
			out = append(out, regexp.MustCompile(`^(?:`+expr+`)$`))
		}
		return out
	}
	return [3][]*regexp.Regexp{compile(
		`(?i)true|false|yes|no|on|off|none|null|nil|undefined|auto`,
		`\d{1,5}|[+-]?\d+\.\d+`,
		`(?i)\d+(?:\.\d+)? ?(?:ms|s|m|h|d|w|days?|hours?|min|minutes?|sec|seconds?|b|kb?|mb?|gb?|tb?|[kmg]ib|px|%)`,
		`\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]+)?`,
		`(?s)(?:ssh-|ecdsa-|pk_|-----BEGIN (?:PUBLIC|CERTIFICATE|RSA PUBLIC)).*`,
		`(?i)[<\[{](?:your|insert|my)?[\w .-]*[>\]}]`,
		`[*.x_-]+`,
		`arn:aws[\w-]*:.*`,
	), compile(
		`[\d.,:+_ -]+`,                                      // numbers, IP addresses
		`v?\d+(?:\.\d+)+(?:[-+][\w.]+)?`,                    // versions
		`(?:[a-z0-9-]+\.)+[a-z]{2,12}(?::\d+)?|[a-z-]+:\d+`, // hosts
		`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,                      // email addresses
		`[\d*/,\- ]+`,                                       // cron schedules
		`[a-z]{2}[-_][A-Z]{2}(?:\.UTF-?8)?`,                 // locales
	), compile(
		`(?i)[.@#~/-]*(?:[a-z]+\d{0,4}|\d{1,4}[a-z]?)(?:[ ._/:,;|@=*+&()!?'"#-]+(?:[a-z]+\d{0,4}|\d{1,4}[a-z]?))*[.!?)]*`,
	)}
})

// wordsOf splits a name into its words, in lower case: DB_PASS, dbPass and
// db-pass alike. It drops digits at the end of a word.
func wordsOf(name string) (words []string) {
	start := 0
	end := func(i int) {
		if word := strings.TrimRight(strings.ToLower(name[start:i]), "0123456789"); word != "" {
			words = append(words, word)
		}
	}
	for i := range len(name) {
		switch c := name[i]; {
		case !isAlnum(c) && c < 0x80:
			end(i)
			start = i + 1
		case i > start && 'A' <= c && c <= 'Z' && 'a' <= name[i-1] && name[i-1] <= 'z':
			end(i)
			start = i
		}
	}
	end(len(name))
	return words
}

func isPlainName(words []string) bool {
	return len(words) > 0 && isListed("plain names", words[len(words)-1]) || slices.ContainsFunc(words, func(word string) bool { return isListed("public names", word) })
}

// secretsOf returns the secrets of a value in a secret file: all of it, parts
// of it, or nothing.
func secretsOf(name, value string) []string {
	value = strings.TrimSpace(value)
	if isURL(value) {
		return secretsOfURL(value)
	}
	named := indicatesSecret(name)
	short := 8
	if named {
		short = MinSecret
	}
	if len(value) < short || isPlainName(wordsOf(name)) || isReference(value) || isPlain(value, named) {
		return nil
	}
	return []string{value}
}

func isPlain(value string, named bool) bool {
	lower := strings.ToLower(value)
	if isListed("everyday words", lower) || isPath(value) || hasListed("placeholders", lower) {
		return true
	}
	matches := func(re *regexp.Regexp) bool { return re.MatchString(value) }
	if slices.ContainsFunc(plainForms()[0], matches) || entropy([]byte(value)) < 1.5 {
		return true
	}
	return !named && (slices.ContainsFunc(plainForms()[1], matches) || slices.ContainsFunc(plainForms()[2], matches) && !hasJumbled(value))
}

// isReference reports whether a value only refers to another: $NAME, ${NAME},
// $(command).
func isReference(value string) bool { return pointing().MatchString(value) }

var pointing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\$\{[^}]*\}|\$\([^)]*\)|\$[A-Z_][A-Z0-9_]*|\{\{.*\}\}|%[A-Z_]+%|op://.*|secret://.*)$`)
})

// isPath reports whether a value is a path whose parts are names.
func isPath(value string) bool {
	if !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "~/") && !strings.HasPrefix(value, "./") && !strings.HasPrefix(value, "../") &&
		!(len(value) > 2 && unicode.IsLetter(rune(value[0])) && value[1] == ':' && strings.ContainsAny(value[2:3], `/\`)) {
		return false
	}
	return !strings.ContainsAny(value, "+=!$%^&*?") && !hasJumbled(value)
}

// hasJumbled reports whether a word of a value looks random.
func hasJumbled(value string) bool {
	words := strings.FieldsFunc(value, func(r rune) bool { return r < 0x80 && !isAlnum(byte(r)) })
	return slices.ContainsFunc(words, isJumbled)
}

// isJumbled reports whether a word of letters and digits looks random: long and
// hexadecimal, or with letters and digits that change often.
func isJumbled(word string) bool {
	if isHex([]byte(word)) {
		return len(word) >= 32
	}
	return len(word) >= 8 && strings.ContainsAny(word, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") && countChanges([]byte(word))*4 >= len(word)
}

func isURL(value string) bool {
	scheme, rest, ok := strings.Cut(value, "://")
	return ok && rest != "" && scheme != "" && !strings.ContainsFunc(scheme, func(r rune) bool { return !strings.ContainsRune("+-.", r) && !isAlnum(byte(r)) })
}

// secretsOfURL returns the password of a URL, as written and decoded; a user
// without a password; and parts of the path and the query that look random. The
// password may contain any character, so the last @ ends it.
func secretsOfURL(value string) (secrets []string) {
	add := func(secret string) {
		if len(secret) >= MinSecret && !isReference(secret) && !isListed("everyday words", strings.ToLower(secret)) && strings.Trim(secret, "*x.") != "" {
			secrets = append(secrets, secret)
		}
	}
	both := func(secret string) {
		add(secret)
		if plain, err := url.PathUnescape(secret); err == nil && plain != secret {
			add(plain)
		}
	}
	_, rest, _ := strings.Cut(value, "://")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, password, ok := strings.Cut(rest[:at], ":")
		if ok && !strings.ContainsAny(user, "/?#") {
			both(password)
			rest = rest[at+1:]
		} else if !strings.ContainsAny(rest[:at], "/?#") {
			if isJumbled(user) || len(user) >= 20 {
				both(user)
			}
			rest = rest[at+1:]
		}
	}
	path, query, _ := strings.Cut(rest, "?")
	query, fragment, _ := strings.Cut(query, "#")
	if slash := strings.IndexByte(path, '/'); slash >= 0 {
		for part := range strings.SplitSeq(path[slash:], "/") {
			if bare := strings.NewReplacer("-", "", "_", "", ":", "").Replace(part); len(bare) >= 16 && isJumbled(bare) {
				both(part)
			}
		}
	}
	for pair := range strings.SplitSeq(query+"&"+fragment, "&") {
		if name, part, ok := strings.Cut(pair, "="); ok && (indicatesSecret(name) && len(part) >= 8 || len(part) >= 16 && isJumbled(part)) {
			both(part)
		}
	}
	return secrets
}
