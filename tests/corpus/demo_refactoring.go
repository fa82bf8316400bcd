package corpus

import "strings"

// refactoring: a module of 900 lines is taken apart. Half way the context is
// compacted; one attempt is left behind with a summary.
func refactoring() *script {
	s := newScript(103, "/home/mira/src/ledger-cli", day(4, 14, 13, 40), "")
	s.use(models[1])
	s.thinking("low")
	s.user("src/report.ts has 900 lines and does parsing, grouping and printing. I want three modules with one job each, same output to the byte. plan first, no edits")
	s.name("split report.ts")
	dump := longListing(s)
	plan := s.answer(said("Three seams are visible:\n\n| module | takes | gives |\n|---|---|---|\n| `parse.ts` | text | `Posting[]` |\n| `group.ts` | `Posting[]` | `Totals` |\n" +
		"| `print.ts` | `Totals` | text |\n\nThe knot is `formatRow`, which parses dates again because it gets strings. I'd start with a golden file of today's output, " +
		"so that \"same to the byte\" is checked by a test and not by us."))
	s.label(plan, "the plan")
	s.entry("context_edit", `"targetId":%s,"replacement":{"content":[%s]}`, js(dump), said("(listing of src/report.ts, 900 lines, removed to save room)"))
	s.user("good. golden file first")
	s.calling(
		s.bash("mkdir -p test/golden && node dist/cli.js report examples/2025.ledger > test/golden/2025.txt && wc -l test/golden/2025.txt"),
		s.write("test/report.test.ts", "import { execFileSync } from \"node:child_process\";\nimport { readFileSync } from \"node:fs\";\nimport { expect, test } from \"vitest\";\n\n"+
			"test(\"the report of 2025 stays the same to the byte\", () => {\n\tconst got = execFileSync(\"node\", [\"dist/cli.js\", \"report\", \"examples/2025.ledger\"]);\n"+
			"\texpect(got).toEqual(readFileSync(\"test/golden/2025.txt\"));\n});\n"),
		s.bash("npm test --silent"),
	)
	s.result("412 test/golden/2025.txt\n")
	s.result("Successfully wrote 341 bytes to test/report.test.ts")
	s.result(" ✓ test/report.test.ts (1 test) 182ms\n   ✓ the report of 2025 stays the same to the byte\n\n Test Files  1 passed (1)\n      Tests  1 passed (1)\n")
	golden := s.answer(said("The golden test passes on the untouched code. From here every step is: move, run, commit."))
	refactoringAttempt(s)
	s.leave(golden, "Tried to move everything into classes (`Parser`, `Grouper`, `Printer`) in one step. The golden test failed in 14 places: `Grouper` sorted "+
		"accounts by code point, the old code by locale. Nothing of it was kept.\n\n- Lesson: sorting uses `localeCompare`; keep that.\n- Move one function at a time.",
		files{read: []string{"src/report.ts"}, modified: []string{"src/grouper.ts"}})
	refactoringSecondHalf(s)
	return s
}

// longListing reads the whole file, which later is edited out of the context.
func longListing(s *script) string {
	s.calling(said("Reading it in full before I say anything."), s.read("src/report.ts"), s.bash("rg -c 'formatRow|parseDate' src | sort"))
	var listing strings.Builder
	listing.WriteString("import { readFileSync } from \"node:fs\";\n\nexport function report(path: string): string {\n")
	for _, account := range []string{"assets:bank", "assets:cash", "expenses:food", "expenses:rent", "expenses:travel", "income:salary", "income:interest"} {
		listing.WriteString("\tif (row.account.startsWith(\"" + account + "\")) {\n\t\ttotals[\"" + account + "\"] ??= 0n;\n" +
			"\t\ttotals[\"" + account + "\"] += parseAmount(row.amount);\n\t\trows.push(formatRow(row.date, \"" + account + "\", row.amount));\n\t}\n")
	}
	listing.WriteString("\treturn rows.join(\"\\n\");\n}\n")
	dump := s.result(listing.String())
	s.result("src/cli.ts:1\nsrc/report.ts:19\n")
	return dump
}

// refactoringAttempt is the branch that is left.
func refactoringAttempt(s *script) {
	s.user("go ahead, and use classes so that it looks tidy")
	s.calling(
		said("Moving the code into `Parser`, `Grouper` and `Printer`."),
		s.write("src/grouper.ts", "export class Grouper {\n\tprivate totals = new Map<string, bigint>();\n\n\tadd(account: string, cents: bigint): void {\n"+
			"\t\tthis.totals.set(account, (this.totals.get(account) ?? 0n) + cents);\n\t}\n\n\tsorted(): [string, bigint][] {\n\t\treturn [...this.totals].sort();\n\t}\n}\n"),
		s.bash("npm run build --silent && npm test --silent"),
	)
	s.result("Successfully wrote 318 bytes to src/grouper.ts")
	s.failed(" ✗ test/report.test.ts > the report of 2025 stays the same to the byte\n   - expenses:Übernachtung   412.00\n   + expenses:travel        1033.20\n" +
		"     … 13 more differences\n\nCommand exited with code 1")
	s.answer(said("14 lines come out in another order: `sort()` compares code points, the old code used `localeCompare`, and “Übernachtung” moves. One big step hides which " +
		"part did it. I suggest we go back and move single functions."))
}

func refactoringSecondHalf(s *script) {
	s.user("agreed. one function at a time, no classes")
	s.calling(
		s.bash("git mv src/report.ts src/parse.ts && git show HEAD:src/report.ts > src/report.ts"),
		s.edit("src/report.ts", "function parseAmount(text: string): bigint {", "import { parseAmount, parseDate } from \"./parse.js\";"),
		s.bash("npm run build --silent && npm test --silent && git commit -qam 'parse: move out of report'"),
	)
	s.result("(no output)")
	s.edited("src/report.ts", 1, "+ 1 import { parseAmount, parseDate } from \"./parse.js\";\n- 41 function parseAmount(text: string): bigint {\n")
	s.result(" Test Files  1 passed (1)\n      Tests  1 passed (1)\n")
	kept := s.answer(said("`parse.ts` stands alone: 210 lines, no imports from `report.ts`. Next is `group.ts`."))
	s.compact("## Goal\nSplit `src/report.ts` (900 lines) into `parse.ts`, `group.ts` and `print.ts` with byte-identical output.\n\n"+
		"## Constraints & Preferences\n- One function at a time, a commit per step\n- No classes\n\n## Progress\n### Done\n- [x] Golden file test/golden/2025.txt and a test\n"+
		"- [x] parse.ts moved out\n### In Progress\n- [ ] group.ts\n\n## Key Decisions\n- **Sorting**: keep `localeCompare`; code point order changed 14 lines\n\n"+
		"## Next Steps\n1. Move grouping\n2. Move printing\n3. Delete report.ts",
		kept, files{read: []string{"src/report.ts"}, modified: []string{"src/parse.ts", "test/report.test.ts"}})
	s.use(models[0])
	s.entry("usage", `"kind":"cache_warm","provider":"anthropic","model":"claude-opus-4-5","usage":%s`,
		`{"input":3,"output":1,"cacheRead":0,"cacheWrite":10240,"totalTokens":10244,"cost":{"input":0.000015,"output":0.000025,"cacheRead":0,"cacheWrite":0.064,"total":0.06404}}`)
	s.user("now group.ts")
	s.calling(
		s.write("src/group.ts", "import type { Posting } from \"./parse.js\";\n\nexport function group(postings: Posting[]): Map<string, bigint> {\n"+
			"\tconst totals = new Map<string, bigint>();\n\tfor (const p of postings) totals.set(p.account, (totals.get(p.account) ?? 0n) + p.cents);\n"+
			"\treturn new Map([...totals].sort(([a], [b]) => a.localeCompare(b, \"de\")));\n}\n"),
		s.bash("npm run build --silent && npm test --silent"),
	)
	s.result("Successfully wrote 402 bytes to src/group.ts")
	s.result(" Test Files  1 passed (1)\n      Tests  1 passed (1)\n")
	s.answer(said("Same to the byte, \"Übernachtung\" included. `report.ts` is down to 380 lines, all of it printing: renaming it to `print.ts` is the last step."))
	s.customEntry("custom_message", `"customType":"reminder","content":%s,"display":true`, js("You asked to be reminded: update CHANGELOG before the last commit."))
	s.user("rename it, update the changelog, done for today")
	s.calling(s.bash("git mv src/report.ts src/print.ts && sed -i 's#./report.js#./print.js#' src/cli.ts && npm run build --silent && npm test --silent"))
	s.result(" Test Files  1 passed (1)\n      Tests  1 passed (1)\n")
	s.answer(said("Renamed and green. Three modules, one job each:\n\n```\nsrc/parse.ts   210\nsrc/group.ts     9\nsrc/print.ts   380\n```"))
}
