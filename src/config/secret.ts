import { inspect } from "node:util";
import { systemClock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { textOfFile } from "./named-file.ts";

/** The interval between two readings of a file. */
const READ_EVERY_MS = 1_000;
const MAX_REPLACED = 3;
/** The time for which readings must find a new text: two refusals may ask for readings in one millisecond. */
const STEADY_MS = 500;

const read = (file: string): string => textOfFile(file).replace(/\r?\n$/, "");

const nothing = (): void => undefined;

/**
 * A secret. Printing, logging or serialising it gives `[secret]`; only {@link reveal} gives the text. One from a
 * file can be watched: the file is read again and again, so that it can be rotated without a restart.
 */
export class Secret {
  readonly #file: string | undefined;
  readonly #check: (text: string) => void;
  #text: string;
  /** What the last reading found. */
  #latest: string;
  /** When a reading found that text first, by the monotonic clock. */
  #latestSinceMs = Number.NEGATIVE_INFINITY;
  #replaced: readonly string[] = [];
  #fault = "";
  #refused: (reason: string) => void = nothing;

  private constructor(text: string, file?: string, check: (text: string) => void = nothing) {
    this.#text = text;
    this.#latest = text;
    this.#file = file;
    this.#check = check;
  }

  static of(text: string): Secret {
    return new Secret(text);
  }

  /** Throws when the file cannot be read now, or `check` throws. When that happens later, the last text is kept. */
  static fromFile(file: string, check: (text: string) => void = nothing): Secret {
    const text = read(file);
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

  /** Reads the file every second. The log says once what cannot be used of it. @returns ends that */
  watch(variable: string, log: Pick<Log, "warn">): () => void {
    if (this.#file === undefined) return nothing;
    this.#refused = (reason) => log.warn({ variable, reason }, "secret.refused");
    const readings = setInterval(() => this.reload(), READ_EVERY_MS).unref();
    return () => clearInterval(readings);
  }

  /**
   * Reads the file now. A new text counts only when readings have found it for half a second, so that what is half
   * written does not; the last one is kept until then, and where the new one is invalid.
   */
  reload(nowMs = systemClock.monotonic()): void {
    if (this.#file === undefined) return;
    try {
      const text = read(this.#file);
      if (text !== this.#latest) this.#latestSinceMs = nowMs;
      this.#latest = text;
      const isSteady = nowMs - this.#latestSinceMs >= STEADY_MS;
      if (isSteady && text !== this.#text) this.#replaceBy(text);
      if (isSteady) this.#fault = "";
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
    this.#check(text);
    const others = this.#replaced.filter((other) => other !== text);
    this.#replaced = [this.#text, ...others].slice(0, MAX_REPLACED);
    this.#text = text;
  }
}
