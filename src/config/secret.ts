import { readFileSync, statSync } from "node:fs";
import { inspect } from "node:util";

/** The least interval between two checks of a file for a change. */
const LOOK_EVERY_MS = 1_000;
/**
 * A file that was changed more recently may change again with the same mtime: some file systems have a
 * resolution of 2 s.
 */
const SETTLED_AFTER_MS = 3_000;
/** More than one: a file that is read while it is being written may count as a change of its own. */
const MAX_REPLACED = 3;

/**
 * A secret. Printing, logging or serialising it gives `[secret]`; only {@link reveal} gives the text. A
 * secret from a file is read again when the file changes, so that it can be rotated without a restart.
 */
export class Secret {
  readonly #file: string | undefined;
  readonly #check: (text: string) => void;
  #text: string;
  #replaced: readonly string[] = [];
  #stamp = "";
  #lookedAt = 0;

  private constructor(text: string, file?: string, check: (text: string) => void = () => undefined) {
    this.#text = text;
    this.#file = file;
    this.#check = check;
  }

  static of(text: string): Secret {
    return new Secret(text);
  }

  /**
   * Throws when the file cannot be read now, or `check` throws. When that happens later, the last text is
   * kept: the file may be half written.
   */
  static fromFile(file: string, check?: (text: string) => void): Secret {
    const secret = new Secret("", file, check);
    secret.#read(file);
    return secret;
  }

  /** The current text. Checks the file at most once a second. */
  reveal(): string {
    // The clock may have been set back since.
    if (this.#file !== undefined && Math.abs(Date.now() - this.#lookedAt) >= LOOK_EVERY_MS) this.reload();
    return this.#text;
  }

  /** The last texts before the current one, the latest first. They may be valid for a while. */
  replaced(): readonly string[] {
    return this.#replaced;
  }

  /** Checks the file now. Keeps the last text when the file cannot be read or its text is invalid. */
  reload(): void {
    if (this.#file === undefined) return;
    try {
      this.#read(this.#file);
    } catch {
      // The file is being written or replaced: the next check reads it.
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
    this.#lookedAt = Date.now();
    const { mtimeMs, ino, size } = statSync(file);
    const stamp = `${mtimeMs} ${ino} ${size}`;
    if (stamp === this.#stamp) return;
    this.#stamp = "";
    const text = readFileSync(file, "utf8").replace(/\r?\n$/, "");
    this.#check(text);
    this.#keep(text);
    if (Date.now() - mtimeMs >= SETTLED_AFTER_MS) this.#stamp = stamp;
  }

  #keep(text: string): void {
    const others = [this.#text, ...this.#replaced].filter((other) => other !== text && other !== "");
    this.#replaced = others.slice(0, MAX_REPLACED);
    this.#text = text;
  }
}
