// Runs steps over oh-my-pi's session manager and prints what came of each, as JSON.
// Arguments: the module of the session manager, the steps as JSON:
// A fork or clone is opened anew for looking at it.
// {"op":"view"|"say"|"rename"|"label"|"branch"|"compact"|"model"|"fork"|"clone","file":...,"text":...,"target":...}.
const [module, steps] = process.argv.slice(2);
const { SessionManager } = await import(module);

async function view(s) {
	const c = s.buildSessionContext();
	return {
		file: s.getSessionFile(),
		leafId: s.getLeafId() ?? "",
		name: s.getSessionName() ?? "",
		model: c.models.default ?? "",
		labels: Object.fromEntries(s.getEntries().map((e) => [e.id, s.getLabel(e.id)]).filter(([, label]) => label)),
		messages: c.messages,
	};
}

const doing = {
	view() {},
	say: (s, step) => s.appendMessage({ role: "user", content: [{ type: "text", text: step.text }], timestamp: Date.now() }),
	rename: (s, step) => s.setSessionName(step.text, "user", "/rename"),
	label: (s, step) => s.appendLabelChange(step.target, step.text),
	branch: (s, step) => s.branchWithSummary(step.target, step.text),
	compact: (s, step) => s.appendCompaction(step.text, undefined, step.target, 100),
	model: (s, step) => s.appendModelChange(step.text),
	fork: async (s) => (await s.fork()).newSessionFile,
	clone: (s) => s.createBranchedSession(s.getLeafId()),
};
const copies = ["fork", "clone"];

const out = [];
for (const step of JSON.parse(steps)) {
	let s = await SessionManager.open(step.file);
	const made = await doing[step.op](s, step);
	await s.flush();
	if (copies.includes(step.op)) {
		await s.close();
		s = await SessionManager.open(made);
	}
	out.push(await view(s));
	await s.close();
}
process.stdout.write(JSON.stringify(out), () => process.exit(0));
