import { runProgram } from "../../../src/cli/program.ts";
import type { Environment } from "../../../src/config/load.ts";

/** The settings of the calls to a partner at this address. */
export const partnerSettings = (url: string): Environment => ({
  PARTNER_BASE_URL: url,
  PARTNER_ACCESS_TOKEN: "access-token-of-tests",
  PARTNER_X_TOKEN: "x-token-of-tests",
  PARTNER_NAME: "acme",
});

/** What whoever reads the output of a command may do. */
type Reader = {
  stopped?: AbortSignal;
  out?: (line: string) => void;
  write?: (bytes: Uint8Array) => Promise<void>;
};

/** Runs a command in this process, and keeps what it says. */
export const runCommand = async (env: Environment, args: readonly string[], reader: Reader = {}) => {
  const out: Buffer[] = [];
  const err: string[] = [];
  const code = await runProgram(args, {
    env,
    out: (line) => out.push(Buffer.from(`${line}\n`)),
    err: (line) => err.push(line),
    write: (bytes) => Promise.resolve(void out.push(Buffer.from(bytes))),
    stopped: new AbortController().signal,
    ends: { atExit: () => undefined, unblock: () => undefined },
    ...reader,
  });
  const bytes = Buffer.concat(out);
  return { code, bytes, out: bytes.toString().trimEnd(), err: err.join("\n") };
};
