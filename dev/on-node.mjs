// For on-node.sh: prints the command that it becomes, quoted for the shell.
import { findNode, takeNodeOption } from "./bootstrap/node.mjs";
import { program } from "./program.mjs";

await program(async () => {
  const { which, rest } = takeNodeOption(process.argv.slice(2));
  const node = await findNode(which, console.error);
  console.log([node.path, ...rest].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" "));
  return 0;
});
