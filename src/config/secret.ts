import { inspect } from "node:util";
import { systemClock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { textOfFile } from "./named-file.ts";

const READ_EVERY_MS = 1_000;
const MAX_REPLACED = 3;
/** A new text counts only when readings have found it for so long: it may be half written at first. */
const STEADY_MS = 500;

const read = (file: string): string => textOfFile(file).replace(/\r?\n$/, "");

type Check = (text: string) => void;

/** Printing, logging or serialising it gives `[secret]`; only {@link reveal} gives the text. */
export class Secret {
  readonly #file: string | null;
  readonly #checks: Check[] = [];
  #text: string;
  #latest: string;
  /** When a reading found that text first, by the monotonic clock. */
  #latestSinceMs = Number.NEGATIVE_INFINITY;
  #replaced: readonly string[] = [];
  #fault = "";
  #refused: (reason: string) => void = () => undefined;

  constructor(text: string, file: string | null = null) {
    this.#text = text;
    this.#latest = text;
    this.#file = file;
  }

  /** Throws when the file cannot be read now, or `check` throws. When that happens later, the last text is kept. */
  static fromFile(file: string, check: Check = () => undefined): Secret {
    const secret = new Secret(read(file), file);
    secret.mustPass(check);
    return secret;
  }

  /** Throws when `check` does; from now on a new text must pass it, too. */
  mustPass(check: Check): void {
    check(this.#text);
    this.#checks.push(check);
  }

  reveal(): string {
    return this.#text;
  }

  /** The last texts before the current one, the latest first. They may be valid for a while. */
  replaced(): readonly string[] {
    return this.#replaced;
  }

  /** Reads the file every second. The log says once why the file cannot be used. @returns a function that stops it */
  watch(variable: string, log: Pick<Log, "warn">): () => void {
    if (this.#file === null) return () => undefined;
    this.#refused = (reason) => log.warn({ variable, reason }, "secret.refused");
    const readings = setInterval(() => this.reload(), READ_EVERY_MS).unref();
    return () => clearInterval(readings);
  }

  /** Where the new text is invalid, the last one stays in force. */
  reload(nowMs = systemClock.monotonic()): void {
    if (this.#file === null) return;
    try {
      const text = read(this.#file);
      if (text !== this.#latest) this.#latestSinceMs = nowMs;
      this.#latest = text;
      if (nowMs - this.#latestSinceMs < STEADY_MS) return;
      if (text !== this.#text) this.#replaceBy(text);
      this.#fault = "";
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      if (fault !== this.#fault) this.#refused(fault);
      this.#fault = fault;
    }
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }

  #replaceBy(text: string): void {
    for (const check of this.#checks) check(text);
    const others = this.#replaced.filter((other) => other !== text);
    this.#replaced = [this.#text, ...others].slice(0, MAX_REPLACED);
    this.#text = text;
  }
}
