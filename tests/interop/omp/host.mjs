// Runs steps over oh-my-pi's session manager and prints what came of each, as JSON.
// Arguments: the module of the session manager, the steps as JSON:
// {"op":"view"|"say"|"rename","file":...,"text":...}.
const [module, steps] = process.argv.slice(2);
const { SessionManager } = await import(module);

async function view(s) {
	const c = s.buildSessionContext();
	return {
		leafId: s.getLeafId() ?? "",
		name: s.getSessionName() ?? "",
		model: c.models.default ?? "",
		messages: c.messages,
	};
}

const out = [];
for (const step of JSON.parse(steps)) {
	const s = await SessionManager.open(step.file);
	if (step.op === "say") {
		s.appendMessage({ role: "user", content: [{ type: "text", text: step.text }], timestamp: Date.now() });
	} else if (step.op === "rename") {
		await s.setSessionName(step.text, "user", "/rename");
	}
	await s.flush();
	out.push(await view(s));
	await s.close();
}
process.stdout.write(JSON.stringify(out), () => process.exit(0));
