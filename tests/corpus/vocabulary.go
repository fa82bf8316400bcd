package corpus

// The words of generated text. Each {slot} of a sentence or a block is filled
// with a word of that list; see fragments.go.

var slots = map[string][]string{
	"area": {
		"the session loader", "the retry loop", "the config parser", "the token counter", "the tree view", "the upload handler",
		"the cache layer", "the migration script", "the rate limiter", "the search index", "the event bus", "the login flow",
		"the diff renderer", "the job queue", "the CLI flags", "the build script", "the websocket client", "the theme loader",
	},
	"thing": {
		"timeout", "buffer", "lock", "cursor", "callback", "header", "checksum", "offset", "handle", "snapshot", "schema", "listener",
		"queue", "index", "fixture", "prompt", "token", "batch", "channel", "worker", "record", "stream", "branch", "label",
	},
	"name": {
		"loadSession", "parseLine", "resolvePath", "flushQueue", "applyPatch", "renderTree", "countTokens", "openStore", "readHeader",
		"mergeEntries", "buildIndex", "sendBatch", "closeAll", "nextCursor", "encodeRow", "findParent", "walkPath", "splitTail",
		"writeBack", "retryAfter", "scanFile", "pickModel", "trimText", "sortKeys", "dedupe", "migrateV1", "watchDir", "collectStats",
	},
	"Type": {
		"Session", "Entry", "Cursor", "Store", "Header", "Loader", "Options", "Result", "Snapshot", "Registry", "Pool", "Window",
		"Reader", "Patch", "Summary", "Branch", "Index", "Request", "Report", "Span",
	},
	"file": {
		"src/core/session.ts", "src/cli/main.ts", "internal/store/file.go", "internal/tree/walk.go", "pkg/api/server.go", "app/models.py",
		"lib/parser.rs", "src/ui/tree.tsx", "test/session.test.ts", "cmd/serve/main.go", "docs/format.md", "scripts/build.sh",
		"src/config/theme.ts", "internal/queue/worker.go", "app/views/login.py", "src/net/retry.ts", "Makefile", "package.json",
		"internal/cache/lru.go", "src/search/index.ts", "config/default.yaml", "src/tools/edit.ts", "web/app.css", "lib/util/diff.rs",
	},
	"cmd": {
		"go test ./...", "npm test", "npm run build", "git diff --stat", "git log --oneline -5", "rg -n TODO src", "ls -la", "make lint",
		"cargo check", "pytest -q", "go vet ./...", "git status --short", "npx tsc --noEmit", "cat package.json | jq .scripts",
		"find . -name '*.ts' | wc -l", "sed -n 1,80p README.md", "du -sh node_modules", "curl -s localhost:8080/health",
	},
	"n":  {"1", "2", "3", "4", "7", "12", "16", "23", "41", "64", "80", "128", "255", "300", "512", "1024", "4096", "8192"},
	"ms": {"0.01", "0.02", "0.11", "0.25", "0.48", "1.07", "2.31", "5.90"},
}

// asks are texts of users.
var asks = []string{
	"ok", "yes, do it", "continue", "go on", "commit", "looks good, commit and push", "now run the tests", "no, revert that",
	"why does {name} fail?", "read {file} in full", "add a test for {name}", "run {cmd} again", "rename {name} to something clearer",
	"the {thing} is still wrong, look at {file}", "can you make {area} faster?", "what did you change in {file}?",
	"{area} hangs when the {thing} is empty, find out why", "please don't touch {file}, only {name}",
	"hm, that broke {area}. undo the last edit and try it without the {thing}", "write it up in {file}",
	"explain how {area} uses the {thing}, then suggest something simpler", "use {n} instead of {n} for the {thing}",
	"before you change anything: read {file} and {file} and tell me where the {thing} is created",
	"it says \"{thing} not found\" after {n} requests, here is the log", "does this also happen with {cmd}?",
}

// sentences are prose, with the markup that people and models use.
var sentences = []string{
	"I'll start with {file} and then look at how {area} calls it.", "Let me check where the {thing} comes from.",
	"The problem is in `{name}`: it drops the {thing} when the file is empty.", "That explains why {area} only fails after {n} entries.",
	"Found it. `{Type}.{name}` keeps a reference to the old {thing}, so the second call sees stale data.",
	"Now I'll update `{name}` in {file} so that the {thing} is closed on every path.", "All {n} tests pass.",
	"There are {n} callers of `{name}`; only {file} depends on the order.", "I would rather keep the {thing} small and let `{Type}` own it.",
	"Two things stand out: the {thing} is read twice, and nobody checks the error.", "This matches what the \"{thing}\" comment says.",
	"Done. `{cmd}` is clean and {area} no longer waits for the {thing}.", "One more place needs the same change: {file}, line {n}.",
	"I've left `{name}` alone because {area} still needs it.", "Next: rename the {thing}, then delete `{name}`.",
	"The test fails for another reason: it expects {n} rows but the fixture has {n}.", "Here's the plan:",
	"1. Move the {thing} into `{Type}`.", "2. Call `{name}` once, before the loop.", "3. Add a test that cuts the {thing} in half.",
	"- `{file}`: the {thing} is now optional", "- `{file}`: removed `{name}`, which nothing calls", "**Cause.** {area} assumes one {thing} per file.",
	"**Fix.** Count the {thing} before `{name}` returns.", "Hmm, the output says {n} but the header says {n}.",
	"So either the {thing} is written late, or `{name}` reads it too early.", "I'd like to see the log before guessing further.",
	"The user wants the smallest change, so I won't touch {file}.", "If `{name}` throws, the {thing} stays open; that is the leak.",
}

// foreign sentences keep multibyte text in every corpus.
var foreign = []string{
	"セッションの読み込みが遅い原因を調べています。", "ファイルの末尾に改行がない場合でも、最後の行は有効です。", "テストはすべて通りました ✅",
	"枝を切り替える前に要約を残してください。", "Die Prüfsumme stimmt jetzt – der Puffer war zu klein.", "größer, schöner, öfter: naïve Façade",
	"这个函数会丢掉最后一个字符，我来修一下。", "Готово: все проверки проходят.", "🌳 → 🌿 → 🍃 one branch, three leaves", "½ of the “quotes” are curly…",
	"├── src\n│   ├── core\n│   └── cli\n└── test\n", "✔ built in {n} ms", "⚠️ {n} warnings", "👩‍💻 pair review: no findings",
}
