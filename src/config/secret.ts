import { readFileSync, statSync } from "node:fs";
import { inspect } from "node:util";
import { messageOf } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";

/** The interval between two checks of a file for a change. */
const LOOK_EVERY_MS = 1_000;
/**
 * A file that was changed more recently may change again with the same mtime: some file systems have a
 * resolution of 2 s.
 */
const SETTLED_AFTER_MS = 3_000;
const MAX_REPLACED = 3;

const textIn = (file: string): string => readFileSync(file, "utf8").replace(/\r?\n$/, "");

const nothing = (): void => undefined;

const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? `cannot be read (${String(error.code)})` : messageOf(error);

/**
 * A secret. Printing, logging or serialising it gives `[secret]`; only {@link reveal} gives the text. One from a
 * file can be watched: the file is read again when it changes, so that it can be rotated without a restart.
 */
export class Secret {
  readonly #file: string | undefined;
  readonly #check: (text: string) => void;
  #text: string;
  /** What the last reading found. */
  #found: string;
  #replaced: readonly string[] = [];
  #stamp = "";
  #fault = "";
  #refused: (reason: string) => void = nothing;

  private constructor(text: string, file?: string, check: (text: string) => void = nothing) {
    this.#text = text;
    this.#found = text;
    this.#file = file;
    this.#check = check;
  }

  static of(text: string): Secret {
    return new Secret(text);
  }

  /** Throws when the file cannot be read now, or `check` throws. When that happens later, the last text is kept. */
  static fromFile(file: string, check: (text: string) => void = nothing): Secret {
    const text = textIn(file);
    check(text);
    return new Secret(text, file, check);
  }

  /** The text in force. */
  reveal(): string {
    return this.#text;
  }

  /** The last texts before the current one, the latest first. They may be valid for a while. */
  replaced(): readonly string[] {
    return this.#replaced;
  }

  /** Checks the file every second. The log says once what cannot be used of it. @returns ends that */
  watch(variable: string, log: Pick<Log, "warn">): () => void {
    if (this.#file === undefined) return nothing;
    this.#refused = (reason) => log.warn({ variable, reason }, "secret.refused");
    const checks = setInterval(() => this.reload(), LOOK_EVERY_MS).unref();
    return () => clearInterval(checks);
  }

  /**
   * Checks the file now. A new text counts only when two checks in a row have found it, so that what is half
   * written does not; the last one is kept until then, and where the new one is invalid.
   */
  reload(): void {
    if (this.#file === undefined) return;
    try {
      this.#read(this.#file);
      this.#fault = "";
    } catch (error) {
      const fault = reasonOf(error);
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

  #read(file: string): void {
    const { mtimeMs, ino, size } = statSync(file);
    const stamp = `${mtimeMs} ${ino} ${size}`;
    if (stamp === this.#stamp) return;
    const text = textIn(file);
    const isSteady = text === this.#found;
    this.#found = text;
    if (!isSteady) return;
    if (text !== this.#text) {
      this.#check(text);
      this.#replaced = [this.#text, ...this.#replaced.filter((other) => other !== text)].slice(
        0,
        MAX_REPLACED,
      );
      this.#text = text;
    }
    if (Date.now() - mtimeMs >= SETTLED_AFTER_MS) this.#stamp = stamp;
  }
}
