// Calls a server with the TypeScript SDK: node client.mjs SDK-FOLDER COMMAND ARGS...
// Reads calls as JSON from stdin, prints what came back as JSON.
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [sdk, command, ...args] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(sdk, "dist", "esm", "client", name)).href);
const { Client } = await load("index.js");
const { StdioClientTransport } = await load("stdio.js");

const calls = JSON.parse(readFileSync(0, "utf8"));
const client = new Client({ name: "interop", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const out = {
	server: client.getServerVersion(),
	instructions: client.getInstructions(),
	tools: (await client.listTools()).tools,
	answers: [],
};
for (const call of calls) {
	out.answers.push(await client.callTool(call));
}
await client.close();
console.log(JSON.stringify(out));
