// Asks the registry what is known against the packages that the bridge installs; development is left out. Exit code 2 where it does not answer.
import { auditVerdict } from "./bootstrap/audit-verdict.mjs";
import { projectFolder } from "./bootstrap/bootstrap.mjs";
import { program } from "./program.mjs";
import { CommandError, run } from "./run.mjs";

const TIMEOUT_MS = 120_000;

await program(async () => {
  const args = ["audit", "--omit=dev", "--json", "--loglevel=silent"];
  // npm ends with 1 when it found something, and also when it failed.
  const text = await run("npm", args, { cwd: projectFolder, timeoutMs: TIMEOUT_MS }).catch((error) => {
    if (error instanceof CommandError) return error.output;
    throw error;
  });
  const { exitCode, sentence } = auditVerdict(text);
  console.log(sentence);
  return exitCode;
});
