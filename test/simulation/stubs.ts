import { guardFor } from "../../src/commands-to-results/guard.ts";
import type { CommandResult } from "../../src/records.ts";

export const guard = guardFor({ maxAgeMs: 3_600_000, maxAmounts: new Map() });

export const codec = {
  encode: (result: CommandResult): Buffer => Buffer.from(JSON.stringify(result)),
  decode: (value: Buffer): CommandResult => JSON.parse(value.toString()) as CommandResult,
};
