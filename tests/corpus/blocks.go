package corpus

// Blocks of code and of terminal output. Lines are indented with tabs, as most
// of the code in real sessions is.

var codeBlocks = []string{
	`// {name} returns the {thing} of s, or an error that names the file.
func (s *{Type}) {name}(ctx context.Context, path string) (*{Type}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if got, ok := s.{thing}s[path]; ok {
		return got, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return s.{name}Bytes(ctx, data)
}

`, `export async function {name}(path: string, options: {Type}Options = {}): Promise<{Type}> {
	const text = await readFile(path, "utf8");
	const {thing}s: {Type}[] = [];
	for (const line of text.split("\n")) {
		if (!line.trim()) continue;
		try {
			{thing}s.push(JSON.parse(line) as {Type});
		} catch (error) {
			options.onError?.(error, line.slice(0, {n}));
		}
	}
	return { {thing}s, path, size: text.length };
}

`, `class {Type}:
    """Keeps one {thing} per project."""

    def __init__(self, root: Path, limit: int = {n}) -> None:
        self.root = root
        self._{thing}s: dict[str, {Type}] = {}

    def {name}(self, key: str) -> "{Type} | None":
        found = self._{thing}s.get(key)
        if found is None and len(self._{thing}s) < {n}:
            found = self._read(key)
        return found

`, `type {Type} struct {
	Name   string            ` + "`json:\"name\"`" + `
	{Type}s []{Type}          ` + "`json:\"{thing}s,omitempty\"`" + `
	Limit  int               ` + "`json:\"limit\"`" + `
	Meta   map[string]string ` + "`json:\"meta\"`" + `
}

`, `	for i := range {thing}s {
		if {thing}s[i].Size > {n} {
			continue
		}
		out = append(out, {thing}s[i])
	}
	return out, nil
}

`, `import { {name}, {name} } from "./{thing}.js";
import type { {Type}, {Type}Options } from "../types.js";

const DEFAULT_{thing} = {n};

`, `test("{name} keeps the {thing}", async () => {
	const session = await {name}("fixtures/{thing}.jsonl");
	expect(session.entries).toHaveLength({n});
	expect(session.entries[0]).toMatchObject({ type: "{thing}", id: "e{n}" });
});

`, `		case "{thing}":
			const {thing} = this.{name}(event.payload);
			if (!{thing}) {
				this.log.warn(` + "`no {thing} for \"${event.id}\"`" + `);
				break;
			}
			await this.{name}({thing}, { timeout: {n} });
			break;
`, `fn {name}(input: &str) -> Result<{Type}, Error> {
	let mut {thing}s = Vec::with_capacity({n});
	for (i, line) in input.lines().enumerate() {
		{thing}s.push({Type}::parse(line).map_err(|e| Error::at(i + 1, e))?);
	}
	Ok({Type} { {thing}s })
}

`, `<section class="{thing}">
	<h2>{Type}</h2>
	<button id="{name}" disabled={!ready} onClick={() => {name}("{thing}")}>Open &amp; read</button>
</section>
`,
}

var outputBlocks = []string{
	"ok  \tgithub.com/acme/app/internal/{thing}\t{ms}s\n", "--- FAIL: Test{Type} ({ms}s)\n    {thing}_test.go:{n}: {name}(\"{thing}\") = {n}, want {n}\n",
	"{file}:{n}:\tif err := {name}({thing}); err != nil {\n", "{file}:{n}:{n}: error TS2345: Argument of type '{Type}' is not assignable to parameter of type '{Type}'.\n",
	"-rw-r--r--  1 dev dev  {n}{n} Nov 20 23:33 {file}\n", " {file} | {n} ++++++----\n", "{n}a{n}f3 fix the {thing} in {area}\n",
	" M {file}\n", "  ✓ {name} keeps the {thing} ({n} ms)\n", "  ✗ {name} reports a missing {thing}\n    AssertionError: expected {n} to equal {n}\n",
	"    at {Type}.{name} (/home/dev/app/{file}:{n}:{n})\n", "drwxr-xr-x  {n} dev dev  4096 Dec  8 22:41 {thing}s\n",
	"{\"level\":\"info\",\"msg\":\"{name}\",\"{thing}\":{n},\"path\":\"{file}\"}\n", "\"{name}\": \"{cmd}\",\n", "warning: unused variable: `{thing}` --> {file}:{n}:{n}\n",
	"@@ -{n},{n} +{n},{n} @@ func {name}(\n-\t{thing} := {name}({n})\n+\t{thing}, err := {name}({n})\n \treturn {thing}\n", "\n",
	"panic: runtime error: index out of range [{n}] with length {n}\n\ngoroutine 1 [running]:\nmain.{name}(...)\n\t/home/dev/app/{file}:{n}\n",
	"\x1b[32mPASS\x1b[0m {file} ({n} tests)\n", "Tests:       {n} passed, {n} total\nTime:        {ms} s\n", "{n}\t{file}\n",
}
