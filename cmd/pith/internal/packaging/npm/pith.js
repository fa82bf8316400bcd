#!/usr/bin/env node
// Starts the pith of this platform, which is a package of its own.
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `@pith-sessions/${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/pith${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`pith: the package ${name} is not installed; was npm told to omit optional dependencies, or is there no pith for this platform?`);
  process.exit(1);
}
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (err) => {
  console.error(`pith: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
