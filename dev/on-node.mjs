// node dev/on-node.mjs SCRIPT [--node 22|24|/path/to/node] [arguments of the script]
// Runs a script, and all that it starts, on another Node.js than the one at hand.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { findNode, takeNodeOption } from "./bootstrap/node.mjs";
import { program } from "./program.mjs";

await program(async ({ defer }) => {
  const { which, rest } = takeNodeOption(process.argv.slice(2));
  const node = await findNode(which, console.error);
  const child = spawn(node.path, rest, { stdio: "inherit" });
  const exited = once(child, "exit");
  defer(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  const [code] = await exited;
  return code ?? 1;
});
