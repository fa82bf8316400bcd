// Serves pi's session manager over stdin and stdout: one JSON request a line,
// {id, method, params}, one JSON answer a line, {id, result} or {id, error}.
// Requests are served one after the other.
//
// Arguments: the path of pi's session manager module.

import { mkdtempSync, readFileSync, symlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

// Only answers may reach stdout.
console.log = console.info = console.debug = console.error;

const pi = await import(pathToFileURL(process.argv[2]).href);
const { SessionManager } = pi;

const managers = new Map();
let nextHandle = 1;

function keep(manager) {
	const handle = `s${nextHandle++}`;
	managers.set(handle, manager);
	return handle;
}

function managerOf(handle) {
	const manager = managers.get(handle);
	if (!manager) throw new Error(`no session ${handle}`);
	return manager;
}

// JSON has no undefined, but pi tells it from null.
function revive(arg) {
	return arg !== null && typeof arg === "object" && arg.$undefined === true ? undefined : arg;
}

// A list in display order, each node with the list position of its parent
// (-1 for a root): the form for trees too deep to nest in JSON.
function flatTree(roots) {
	const flat = [];
	const stack = roots.map((node) => [node, -1]).reverse();
	while (stack.length > 0) {
		const [node, parent] = stack.pop();
		const position = flat.push({ id: node.entry.id, label: node.label, labelTimestamp: node.labelTimestamp, parent }) - 1;
		for (let i = node.children.length - 1; i >= 0; i--) stack.push([node.children[i], position]);
	}
	return flat;
}

// Old releases list all projects only of the folder that the environment
// names, and call it "sessions".
async function listAll(root) {
	const before = process.env.PI_CODING_AGENT_DIR;
	let link;
	try {
		let agentDir = dirname(root);
		if (basename(root) !== "sessions") {
			link = mkdtempSync(join(tmpdir(), "pihost-"));
			symlinkSync(root, join(link, "sessions"));
			agentDir = link;
		}
		process.env.PI_CODING_AGENT_DIR = agentDir;
		const infos = await SessionManager.listAll();
		if (link) {
			const prefix = join(link, "sessions");
			for (const info of infos) info.path = root + info.path.slice(prefix.length);
		}
		return infos;
	} finally {
		process.env.PI_CODING_AGENT_DIR = before;
		if (link) rmSync(link, { recursive: true });
	}
}

// The most memory that the process had resident so far, Node included.
const peakRssMB = () => process.resourceUsage().maxRSS / 1024;

function timed(run) {
	const start = performance.now();
	const value = run();
	return [performance.now() - start, value];
}

function timeOpen(path) {
	const [openMs, manager] = timed(() => SessionManager.open(path));
	const [contextMs, context] = timed(() => manager.buildSessionContext());
	const peak = peakRssMB();
	const [treeMs] = timed(() => manager.getTree());
	return {
		openMs,
		contextMs,
		treeMs,
		entries: manager.getEntries().length,
		messages: context.messages.length,
		peakRssMB: peak,
	};
}

async function timeListAll(root) {
	const start = performance.now();
	const infos = await listAll(root);
	return { listMs: performance.now() - start, sessions: infos.length, peakRssMB: peakRssMB() };
}

const sampleUsage = {
	input: 4, output: 120, cacheRead: 20000, cacheWrite: 800, totalTokens: 20924,
	cost: { input: 0.00002, output: 0.003, cacheRead: 0.01, cacheWrite: 0.005, total: 0.01802 },
};

function timeAppend(count, sessionDir) {
	const manager = SessionManager.create("/timing", sessionDir);
	const user = (text) => ({ role: "user", content: [{ type: "text", text }], timestamp: 1765233665292 });
	manager.appendMessage(user("start"));
	manager.appendMessage({
		role: "assistant", content: [{ type: "text", text: "ready" }], api: "anthropic-messages", provider: "anthropic",
		model: "claude-opus-4-5", usage: sampleUsage, stopReason: "stop", timestamp: 1765233665292,
	});
	const text = "the quick brown fox jumps over the lazy dog ".repeat(6);
	const [appendMs] = timed(() => {
		for (let i = 0; i < count; i++) manager.appendMessage(user(text));
	});
	return { appends: count, appendMs, perAppendUs: (appendMs * 1000) / count, path: manager.getSessionFile() };
}

// The module that plans compactions stands beside the session manager's.
const compactionModule = () => import(new URL("./compaction/index.js", pathToFileURL(process.argv[2])).href);

function told(plan) {
	if (!plan) return null;
	const { read, written, edited } = plan.fileOps;
	return {
		firstKeptEntryId: plan.firstKeptEntryId,
		messagesToSummarize: plan.messagesToSummarize,
		turnPrefixMessages: plan.turnPrefixMessages,
		isSplitTurn: plan.isSplitTurn,
		tokensBefore: plan.tokensBefore,
		previousSummary: plan.previousSummary ?? "",
		fileOps: { read: [...read].sort(), written: [...written].sort(), edited: [...edited].sort() },
	};
}

// What pi would summarise and keep, or null.
async function plan(path, settings) {
	const compaction = await compactionModule();
	return told(compaction.prepareCompaction(SessionManager.open(path).getBranch(), settings));
}

// Compacts a session as pi does on demand. The model is asked over the network.
async function compact(path, settings, model, apiKey, instructions) {
	const compaction = await compactionModule();
	const manager = SessionManager.open(path);
	const preparation = compaction.prepareCompaction(manager.getBranch(), settings);
	if (!preparation) throw new Error("there is nothing to compact");
	const result = await compaction.compact(preparation, model, apiKey, undefined, instructions);
	return manager.appendCompaction(result.summary, result.firstKeptEntryId, result.tokensBefore, result.details);
}

// Leaves the current branch for another entry, with a summary, as pi's tree does.
async function leaveBranch(path, target, model, apiKey) {
	const compaction = await compactionModule();
	const manager = SessionManager.open(path);
	const { entries } = compaction.collectEntriesForBranchSummary(manager, manager.getLeafId(), target);
	const signal = new AbortController().signal;
	const result = await compaction.generateBranchSummary(entries, { model, apiKey, signal });
	if (result.error) throw new Error(result.error);
	const details = { readFiles: result.readFiles ?? [], modifiedFiles: result.modifiedFiles ?? [] };
	return manager.branchWithSummary(target, result.summary, details);
}

// Which lines of a file would change if JavaScript parsed and printed them.
function restringify(path) {
	const changed = [];
	let lines = 0;
	for (const line of readFileSync(path, "utf8").split("\n")) {
		if (line === "") continue;
		lines++;
		let printed;
		try {
			printed = JSON.stringify(JSON.parse(line));
		} catch (error) {
			printed = String(error);
		}
		if (printed !== line) changed.push({ line: lines, was: line.slice(0, 400), is: printed.slice(0, 400) });
	}
	return { lines, changed: changed.length, first: changed[0] };
}

const methods = {
	create: (...args) => keep(SessionManager.create(...args)),
	open: (...args) => keep(SessionManager.open(...args)),
	forkFrom: (...args) => keep(SessionManager.forkFrom(...args)),
	list: (cwd, sessionDir) => SessionManager.list(cwd, sessionDir),
	listAll,
	release: (handle) => void managers.delete(handle),
	flatTree: (handle) => flatTree(managerOf(handle).getTree()),
	context: (handle, ...leaf) =>
		leaf.length === 0
			? managerOf(handle).buildSessionContext()
			: pi.buildSessionContext(managerOf(handle).getEntries(), leaf[0]),
	call: (handle, method, ...args) => {
		const manager = managerOf(handle);
		if (method.startsWith("_") || typeof manager[method] !== "function") throw new Error(`no method ${method}`);
		return manager[method](...args);
	},
	restringify,
	timeOpen,
	plan,
	compact,
	leaveBranch,
	timeListAll,
	timeAppend,
	node: () => process.version,
};

async function answer(line) {
	const { id, method, params } = JSON.parse(line);
	try {
		if (!Object.hasOwn(methods, method)) throw new Error(`no method ${method}`);
		const result = await methods[method](...params.map(revive));
		return JSON.stringify({ id, result });
	} catch (error) {
		return JSON.stringify({ id, error: { name: String(error?.name ?? "Error"), message: String(error?.message ?? error) } });
	}
}

// Lines end at LF alone: a line reader of Node would also split at U+2028.
let pending = [];
for await (const chunk of process.stdin) {
	let rest = chunk;
	for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
		const line = Buffer.concat([...pending, rest.subarray(0, end)]).toString("utf8");
		pending = [];
		rest = rest.subarray(end + 1);
		process.stdout.write(`${await answer(line)}\n`);
	}
	if (rest.length > 0) pending.push(rest);
}
