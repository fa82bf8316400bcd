// The extension of pith for pi: /find and /sessions, a warning when another process
// writes to the open session, and with --recall earlier sessions for each prompt.
// pith install pi writes it, with pith.json beside it, into pi's extensions.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync, unwatchFile, watchFile } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { decodeKittyPrintable, matchesKey, truncateToWidth } from "@earendil-works/pi-tui";

interface Settings {
	command: string;
	recall: boolean;
}

interface Row {
	path: string;
	id: string;
	cwd: string | null;
	title: string;
	modified: string;
	source: string;
	pinned: boolean;
	archived: boolean;
	internal: boolean;
}

interface Match {
	path: string;
	id: string;
	cwd: string | null;
	source: string;
	name: string | null;
	snippet: string;
	turn?: { question: string };
}

function settings(): Settings {
	try {
		const file = join(dirname(fileURLToPath(import.meta.url)), "pith.json");
		return { command: "pith", recall: false, ...JSON.parse(readFileSync(file, "utf8")) };
	} catch {
		return { command: "pith", recall: false };
	}
}

/** run runs a pith command and returns its output; it rejects with pith's own words. */
function run(args: string[], options: { cwd: string; input?: string }): Promise<string> {
	return new Promise((resolve, reject) => {
		const child = execFile(settings().command, args, { cwd: options.cwd, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
			const said = stderr.trim().split("\n").pop();
			error ? reject(new Error(said || `${settings().command}: ${error.message}`)) : resolve(stdout);
		});
		child.stdin?.on("error", () => {}); // it may end before it reads
		child.stdin?.end(options.input ?? "");
	});
}

/** Pith is a pith rpc process. It ends with close, or with its requests. */
class Pith {
	private child: ChildProcess;
	private last = 0;
	private failed: Error | undefined;
	private open = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void; row?: (row: Row) => void }>();

	constructor() {
		this.child = spawn(settings().command, ["rpc"], { stdio: ["pipe", "pipe", "ignore"] });
		this.child.on("error", (error) => this.fail(new Error(`cannot start ${settings().command}: ${error.message}`)));
		this.child.on("exit", () => this.fail(new Error("pith ended")));
		this.child.stdin?.on("error", () => {}); // "exit" reports it
		createInterface({ input: this.child.stdout! }).on("line", (line) => this.read(JSON.parse(line)));
	}

	private fail(error: Error) {
		this.failed ??= error;
		for (const call of this.open.values()) call.reject(this.failed);
		this.open.clear();
	}

	private read(message: any) {
		if (message.method === "session") {
			this.open.get(message.params.request)?.row?.(message.params.session);
			return;
		}
		const call = this.open.get(message.id);
		this.open.delete(message.id);
		message.error ? call?.reject(new Error(message.error.message)) : call?.resolve(message.result);
	}

	request<T>(method: string, params: object, row?: (row: Row) => void): Promise<T> {
		return new Promise((resolve, reject) => {
			if (this.failed) return reject(this.failed);
			const id = ++this.last;
			this.open.set(id, { resolve, reject, row });
			this.child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
		});
	}

	close() {
		this.child.stdin?.end();
	}
}

/** plain makes recorded text harmless in a line of the terminal. */
function plain(text: string): string {
	return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}

/** isPis reports whether pi itself opens a session. */
function isPis(session: { source: string }): boolean {
	return session.source === "pi" || session.source === "custom";
}

/** other marks the sessions of other agents. */
function other(session: { source: string }): string {
	return isPis(session) ? "" : `  [${session.source}]`;
}

function when(time: string): string {
	const minutes = (Date.now() - Date.parse(time)) / 60000;
	if (minutes < 60) return `${Math.max(0, Math.round(minutes))}m`;
	return minutes < 48 * 60 ? `${Math.round(minutes / 60)}h` : `${Math.round(minutes / 60 / 24)}d`;
}

/** SessionList is the screen of /sessions. */
class SessionList {
	rows: Row[] = [];
	complete = false;
	note = "";
	private query = "";
	private at = 0;
	private everywhere = false;

	constructor(
		private cwd: string,
		private height: () => number,
		private changed: () => void,
		private pin: (row: Row) => void,
		private done: (row: Row | undefined) => void,
	) {}

	private shown(): Row[] {
		const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
		return this.rows
			.filter((row) => !row.internal && !row.archived && (this.everywhere || row.cwd === this.cwd))
			.filter((row) => {
				const text = `${row.title} ${row.cwd} ${row.source} ${row.id}`.toLowerCase();
				return words.every((word) => text.includes(word));
			})
			.sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.modified.localeCompare(a.modified));
	}

	render(width: number): string[] {
		const rows = this.shown();
		const most = Math.max(3, this.height() - 5);
		this.at = Math.max(0, Math.min(this.at, rows.length - 1));
		const first = Math.max(0, Math.min(this.at - Math.floor(most / 2), rows.length - most));
		const place = this.everywhere ? "all projects" : "this project";
		const lines = [`Sessions of ${place}: ${rows.length}${this.complete ? "" : " …"}`, `> ${this.query}`];
		for (const [i, row] of rows.slice(first, first + most).entries()) {
			const gone = row.cwd && !existsSync(row.cwd) ? "  (folder is gone)" : "";
			const where = this.everywhere && row.cwd ? `  ${plain(row.cwd)}` : "";
			const line = `${first + i === this.at ? "❯" : " "} ${row.pinned ? "*" : " "} ${when(row.modified).padStart(4)}  ${plain(row.title)}${other(row)}${gone}${where}`;
			lines.push(truncateToWidth(line, width));
		}
		lines.push(truncateToWidth(this.note || "Enter open · Tab all projects · Ctrl+P pin · Esc close", width));
		return lines;
	}

	handleInput(data: string) {
		const row = this.shown()[this.at];
		this.note = "";
		if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) return this.done(undefined);
		if (matchesKey(data, "enter")) return row && this.done(row);
		if (matchesKey(data, "up")) this.at--;
		else if (matchesKey(data, "down")) this.at++;
		else if (matchesKey(data, "pageUp")) this.at -= 10;
		else if (matchesKey(data, "pageDown")) this.at += 10;
		else if (matchesKey(data, "tab")) this.everywhere = !this.everywhere;
		else if (matchesKey(data, "ctrl+p")) row && this.pin(row);
		else if (matchesKey(data, "backspace")) this.query = [...this.query].slice(0, -1).join("");
		else {
			const typed = decodeKittyPrintable(data) ?? data;
			if (/^\P{Cc}+$/u.test(typed)) this.query += typed;
		}
		this.changed();
	}

	invalidate() {}
}

/** sessions shows the list and returns the chosen session. */
async function sessions(ctx: ExtensionCommandContext): Promise<Row | undefined> {
	const pith = new Pith();
	try {
		return await ctx.ui.custom<Row | undefined>((tui, _theme, _keys, done) => {
			const pin = (row: Row) => {
				row.pinned = !row.pinned;
				pith.request("setMarks", { path: row.path, pinned: row.pinned }).catch((error) => {
					row.pinned = !row.pinned;
					list.note = error.message;
					tui.requestRender();
				});
			};
			const list = new SessionList(ctx.cwd, () => tui.terminal.rows, () => tui.requestRender(), pin, done);
			let drawn = 0;
			const read = (row: Row) => {
				list.rows.push(row);
				if (Date.now() - drawn > 50) {
					drawn = Date.now();
					tui.requestRender();
				}
			};
			const ended = (note: string) => {
				list.complete = true;
				list.note = note;
				tui.requestRender();
			};
			pith.request("stream", { limit: 0 }, read).then(() => ended(""), (error) => ended(error.message));
			return list;
		});
	} finally {
		pith.close();
	}
}

/** opensFork are the programs that write pi's format: their sessions are continued in a fork. */
const opensFork = ["atomic", "oh-my-pi", "openclaw"];

/** fork copies a session into a directory and returns the file of the copy. */
async function fork(path: string, cwd: string): Promise<string> {
	const pith = new Pith();
	try {
		const made = await pith.request<{ session: string; path: string }>("forkFrom", { sourcePath: path, targetCwd: cwd });
		await pith.request("close", { session: made.session });
		return made.path;
	} finally {
		pith.close();
	}
}

/** open switches to a session. One of another agent becomes a session of pi first. */
async function open(ctx: ExtensionCommandContext, row: { path: string; id: string; cwd: string | null; source: string }): Promise<void> {
	let path = row.path;
	if (opensFork.includes(row.source)) {
		const cwd = row.cwd && existsSync(row.cwd) ? row.cwd : ctx.cwd;
		if (!(await ctx.ui.confirm("Fork this session?", `It belongs to ${row.source}. pith makes a copy for pi in ${plain(cwd)} and leaves the original as it is.`))) return;
		return void (await ctx.switchSession(await fork(path, cwd)));
	}
	if (!isPis(row)) {
		if (!(await ctx.ui.confirm("Import this session?", `It belongs to ${row.source}. pith makes a session of pi from it and leaves the original as it is.`))) return;
		const [first] = (await run(["import", row.id, "--json"], { cwd: ctx.cwd })).split("\n");
		path = JSON.parse(first).path;
	}
	if (row.cwd && !existsSync(row.cwd)) {
		const moved = await elsewhere(ctx, path, row.cwd);
		if (!moved) return;
		path = moved;
	}
	await ctx.switchSession(path);
}

/** elsewhere asks where a session continues whose folder is gone, and returns its file. */
async function elsewhere(ctx: ExtensionCommandContext, path: string, gone: string): Promise<string | undefined> {
	const here = `Fork it into ${ctx.cwd}`;
	const move = "The folder moved: move its sessions too";
	const choice = await ctx.ui.select(`The folder of this session is gone: ${plain(gone)}`, [here, move]);
	if (choice === here) return fork(path, ctx.cwd);
	if (choice !== move) return undefined;
	const to = await ctx.ui.input("Where is it now?", ctx.cwd);
	if (!to) return undefined;
	const moved = JSON.parse(await run(["move", gone, to, "--yes", "--json"], { cwd: ctx.cwd }));
	const there = moved.sessions.find((session: { from: string; to: string }) => session.from === path);
	if (!there) throw new Error(moved.refused[0]?.error ?? `${path} was not moved`);
	return there.to;
}

/** find searches all sessions and opens the chosen one. */
async function find(ctx: ExtensionCommandContext, words: string): Promise<void> {
	const query = words.trim() || (await ctx.ui.input("Find in all sessions", "words, or \"a phrase\""));
	if (!query) return;
	const pith = new Pith();
	let choice: Match | undefined;
	try {
		const found = await pith.request<{ matches?: Match[] }>("search", { query, order: "relevance", limit: 30 });
		const matches = (found.matches ?? []).filter((match, i, all) => all.findIndex((other) => other.path === match.path) === i);
		if (matches.length === 0) return ctx.ui.notify(`pith: nothing found for ${plain(query)}`, "info");
		const lines = matches.map((match, i) => {
			const title = match.name ?? match.turn?.question ?? match.id;
			return truncateToWidth(`${i + 1}. ${plain(title)}${other(match)}: ${plain(match.snippet)}`, 120);
		});
		const line = await ctx.ui.select(`Sessions with ${plain(query)}`, lines);
		choice = line === undefined ? undefined : matches[lines.indexOf(line)];
	} finally {
		pith.close();
	}
	if (choice) await open(ctx, choice);
}

/** watch warns when something other than this pi adds to the open session. */
function watch(ctx: ExtensionContext): () => void {
	const file = ctx.sessionManager.getSessionFile();
	if (!file || !ctx.hasUI) return () => {};
	let read = existsSync(file) ? statSync(file).size : 0;
	let strange = 0;
	const look = () => {
		if (!existsSync(file)) return;
		const size = statSync(file).size;
		if (size <= read) {
			read = Math.min(read, size);
			return;
		}
		const data = Buffer.alloc(Math.min(size - read, 16 << 20));
		const fd = openSync(file, "r");
		const length = readSync(fd, data, 0, data.length, read);
		closeSync(fd);
		const end = data.subarray(0, length).lastIndexOf(10) + 1;
		read += end;
		for (const line of data.subarray(0, end).toString("utf8").split("\n")) {
			const id = /"id":"([^"]+)"/.exec(line)?.[1];
			if (id && !line.startsWith('{"type":"session"') && !ctx.sessionManager.getEntry(id)) strange++;
		}
		if (strange > 0) ctx.ui.setWidget("pith", [`pith: another process writes to this session: ${strange} new ${strange === 1 ? "entry is" : "entries are"} not shown here; /resume opens it again`]);
	};
	watchFile(file, { interval: 1000 }, look);
	return () => {
		unwatchFile(file, look);
		ctx.ui.setWidget("pith", undefined);
	};
}

export default function (pi: ExtensionAPI) {
	let stop = () => {};
	const command = (name: string, description: string, act: (ctx: ExtensionCommandContext, args: string) => Promise<void>) =>
		pi.registerCommand(name, {
			description,
			handler: async (args, ctx) => {
				try {
					await act(ctx, args);
				} catch (error) {
					ctx.ui.notify(`pith: ${plain(error instanceof Error ? error.message : String(error))}`, "error");
				}
			},
		});
	command("find", "Find words in all sessions of all agents", find);
	command("sessions", "List, search, pin and open sessions", async (ctx) => {
		const row = ctx.mode === "tui" ? await sessions(ctx) : undefined;
		if (row) await open(ctx, row);
	});
	pi.on("session_start", (_event, ctx) => {
		stop();
		stop = watch(ctx);
	});
	pi.on("session_shutdown", () => {
		stop();
		stop = () => {};
	});
	if (!settings().recall) return;
	pi.on("before_agent_start", async (event, ctx) => {
		const input = JSON.stringify({ hook_event_name: "UserPromptSubmit", session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, prompt: event.prompt });
		const output = await run(["recall", "--hook"], { cwd: ctx.cwd, input }).catch(() => "");
		const content = output && JSON.parse(output).hookSpecificOutput?.additionalContext;
		return content ? { message: { customType: "pith/recall", content, display: false } } : undefined;
	});
}
