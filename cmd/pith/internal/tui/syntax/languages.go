package syntax

import (
	"strings"
	"sync"
)

// A grammar describes a language. The zero grammar describes none.
type grammar struct {
	comments   []string // each starts a comment to the end of the line; # only after a space
	open, shut string   // around a multi-line comment
	quotes     string   // around a single-line string
	long       []string // around a multi-line string
	anyCase    bool     // case of words is ignored
	words      map[string]bool
}

func (g *grammar) knows(word string) bool {
	if g.anyCase {
		word = strings.ToLower(word)
	}
	return g.words[word]
}

// languages returns the grammars by name and file extension. They are made at
// the first use.
var languages = sync.OnceValue(func() map[string]*grammar {
	all := map[string]*grammar{}
	add := func(names string, g grammar, words string) {
		g.words = map[string]bool{}
		for _, w := range strings.Fields(words) {
			g.words[w] = true
		}
		for _, name := range strings.Fields(names) {
			all[name] = &g
		}
	}
	braces := grammar{comments: []string{"//"}, open: "/*", shut: "*/", quotes: `"'`}
	backtick := braces
	backtick.long = []string{"`"}
	triple := braces
	triple.long = []string{`"""`}
	double := braces
	double.quotes = `"`
	hash := grammar{comments: []string{"#"}, quotes: `"'`}
	hashes := hash
	hashes.long = []string{`"""`, "'''"}

	add("go golang", backtick, `break case chan const continue default defer else fallthrough for func go goto if import interface map package
		range return select struct switch type var nil true false iota any bool byte error int int64 rune string uint`)
	add("js javascript jsx mjs cjs ts typescript tsx mts", backtick, `abstract as async await break case catch class const continue declare default
		delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let
		namespace new null of private protected public readonly return set static super switch this throw true try type typeof
		undefined var void while yield any boolean never number string unknown`)
	add("python py python3", hashes, `and as assert async await break class continue def del elif else except False finally for from global if
		import in is lambda match case None nonlocal not or pass raise return self True try while with yield`)
	add("rust rs", double, `as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut
		pub ref return self Self static struct super trait true type unsafe use where while bool str u8 u32 u64 i32 i64 usize String Option Result`)
	add("c h cpp c++ cc hpp objc m", braces, `auto bool break case catch char class const constexpr continue default delete do double else enum
		extern false float for goto if inline int long namespace new nullptr NULL operator private protected public return short
		signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while`)
	add("java kotlin kt kts csharp cs c# scala swift dart groovy", triple, `abstract as async await boolean break case catch class const continue data
		def default do double else enum extends extension false final finally float for foreach fun func guard if implements import in init
		instanceof int interface internal is let long namespace new null object open out override package private protected public
		return sealed static string struct super switch this throw throws true try using val var virtual void when where while`)
	add("php", braces, `abstract array as break case catch class const continue default do echo else elseif extends false final fn for foreach
		function if implements interface match namespace new null private protected public return static switch this throw true try use while`)
	add("sh bash zsh shell fish console", hash, `case do done elif else esac exit export fi for function if in local return set shift source
		then unset until while`)
	add("ruby rb", hash, `alias and begin break case class def do else elsif end ensure false for if in module next nil not or raise require
		rescue return self super then true unless until when while yield`)
	add("sql", grammar{comments: []string{"--"}, open: "/*", shut: "*/", quotes: `"'`, anyCase: true}, `add alter and as asc begin between by case
		check commit constraint create default delete desc distinct drop else end exists foreign from group having if in index
		inner insert into is join key left like limit not null offset on or order outer primary references returning rollback select
		set table then union unique update using values view when where with`)
	add("lua", grammar{comments: []string{"--"}, quotes: `"'`}, `and break do else elseif end false for function if in local nil not or repeat return then true until while`)
	add("json jsonl json5 jsonc", double, `true false null`)
	add("yaml yml toml ini conf properties", hash, `true false null yes no on off`)
	add("dockerfile", hash, `ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN USER VOLUME WORKDIR AS`)
	add("make makefile mk", hash, `define else endef endif export ifdef ifeq ifndef ifneq include`)
	add("css scss less", grammar{open: "/*", shut: "*/", quotes: `"'`}, `important inherit initial none auto`)
	add("html xml svg vue", grammar{open: "<!--", shut: "-->", quotes: `"`}, ``)
	return all
})
