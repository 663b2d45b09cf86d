import { readFileSync, statSync } from "node:fs";
import { inspect } from "node:util";

/** How often, at most, a secret's file is looked at for a change. */
const LOOK_EVERY_MS = 1_000;
/** A file that was changed so lately may be changed again without its time showing it: file systems' clocks tick coarsely, some every 2 s. */
const SETTLED_AFTER_MS = 3_000;

/**
 * A value that must not be seen. Printing, logging or serialising it gives `[secret]`; only {@link reveal} gives the text.
 * One that comes from a file is read again when the file changes, so that secrets rotate without a restart.
 */
export class Secret {
  readonly #file: string | undefined;
  readonly #check: (text: string) => void;
  #text: string;
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
   * Throws when the file cannot be read now, or what `check` throws of its text. Later on the last text stands then: somebody is writing the
   * file, and half of a secret is none.
   */
  static fromFile(file: string, check?: (text: string) => void): Secret {
    const secret = new Secret("", file, check);
    secret.#read(file);
    return secret;
  }

  /** The current text. Looks at the file at most once a second. */
  reveal(): string {
    if (this.#file !== undefined && Date.now() - this.#lookedAt >= LOOK_EVERY_MS) this.reload();
    return this.#text;
  }

  /** Looks at the file now, whenever it was looked at last. Keeps the last text when it cannot be read, or used. */
  reload(): void {
    if (this.#file === undefined) return;
    try {
      this.#read(this.#file);
    } catch {
      // The file is being written or replaced: the next look finds it.
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
    this.#text = text;
    if (Date.now() - mtimeMs >= SETTLED_AFTER_MS) this.#stamp = stamp;
  }
}
