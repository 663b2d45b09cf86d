import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "./bootstrap/bootstrap.mjs";

/** The program as it is written: Node.js strips the types. */
export const MAIN = join(projectFolder, "src", "main.ts");

/** The imitated partner, a program of its own. */
export const SANDBOX = join(projectFolder, "sandbox", "main.ts");

/** The flags of Node.js that its first line asks for, where it is run by name. */
export const NODE_FLAGS = readFileSync(MAIN, "utf8")
  .slice("#!/usr/bin/env -S node ".length)
  .split("\n", 1)
  .flatMap((flags) => flags.split(" "));

/** Keeps what was stripped and compiled: a start takes 0.3 s less. */
export const COMPILED = { NODE_COMPILE_CACHE: join(projectFolder, ".cache", "compiled") };
