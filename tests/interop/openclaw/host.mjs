// Runs steps over OpenClaw's session manager and prints what came of each, as JSON.
// Arguments: the module of the session manager, the steps as JSON:
// A fork or clone is opened anew for looking at it.
// {"op":"view"|"say"|"rename"|"label"|"branch"|"compact"|"model"|"fork"|"clone","file":...,"text":...,"target":...}.
import { pathToFileURL } from "node:url";

const [module, steps] = process.argv.slice(2);
const exported = await import(pathToFileURL(module));
const SessionManager = Object.values(exported).find((x) => x?.name === "SessionManager");

function view(s) {
	const c = s.buildSessionContext();
	const labels = {};
	for (const e of s.getEntries()) {
		const label = s.getLabel(e.id);
		if (label) labels[e.id] = label;
	}
	return {
		file: s.getSessionFile(),
		leafId: s.getLeafId() ?? "",
		name: s.getSessionName() ?? "",
		model: c.model ? `${c.model.provider}/${c.model.modelId}` : "",
		labels,
		messages: c.messages,
	};
}

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
const doing = {
	view() {},
	say(s, step) {
		s.appendMessage({ role: "user", content: [{ type: "text", text: step.text }], timestamp: Date.now() });
		s.appendMessage({
			role: "assistant", content: [{ type: "text", text: `answer to ${step.text}` }], api: "x", provider: "fake", model: "m1",
			usage, stopReason: "stop", timestamp: Date.now(),
		});
	},
	rename: (s, step) => s.appendSessionInfo(step.text),
	label: (s, step) => s.appendLabelChange(step.target, step.text),
	branch: (s, step) => s.branchWithSummary(step.target, step.text),
	compact: (s, step) => s.appendCompaction(step.text, step.target, 100),
	model: (s, step) => s.appendModelChange(...step.text.split("/")),
	fork: (s, step) => SessionManager.forkFrom(step.file, s.getCwd(), s.getSessionDir()).getSessionFile(),
	clone: (s) => s.createBranchedSession(s.getLeafId()),
};
const copies = ["fork", "clone"];

const out = [];
for (const step of JSON.parse(steps)) {
	const s = SessionManager.open(step.file);
	const made = await doing[step.op](s, step);
	out.push(view(copies.includes(step.op) ? SessionManager.open(made) : s));
}
process.stdout.write(JSON.stringify(out), () => process.exit(0));
