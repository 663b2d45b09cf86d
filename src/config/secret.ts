import { readFileSync, statSync } from "node:fs";
import { inspect } from "node:util";

/** How often, at most, a secret's file is looked at for a change. */
const LOOK_EVERY_MS = 1_000;

/**
 * A value that must not be seen. Printing, logging or serialising it gives `[secret]`; only {@link reveal} gives the text.
 * One that comes from a file is read again when the file changes, so that secrets rotate without a restart.
 */
export class Secret {
  readonly #file: string | undefined;
  #text: string;
  #stamp = "";
  #lookedAt = 0;

  private constructor(text: string, file?: string) {
    this.#text = text;
    this.#file = file;
  }

  static of(text: string): Secret {
    return new Secret(text);
  }

  /** Throws when the file cannot be read now; later failures keep the last text. */
  static fromFile(file: string): Secret {
    const secret = new Secret("", file);
    secret.#read(file);
    return secret;
  }

  /** The current text. Looks at the file at most once a second. */
  reveal(): string {
    if (this.#file !== undefined && Date.now() - this.#lookedAt >= LOOK_EVERY_MS) this.reload();
    return this.#text;
  }

  /** Looks at the file now, whenever it was looked at last. Keeps the last text when it cannot be read. */
  reload(): void {
    if (this.#file === undefined) return;
    try {
      this.#read(this.#file);
    } catch {
      // The file is being replaced: the next look finds it.
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
    this.#text = readFileSync(file, "utf8").replace(/\r?\n$/, "");
    this.#stamp = stamp;
  }
}
