/** A value's place in a list. */
export type Link<T> = {
  readonly value: T;
  before: Link<T> | null;
  after: Link<T> | null;
  /** False once it was removed. */
  isLinked: boolean;
};

/**
 * Values in the order of their coming, each of which can leave at any time. For what comes and goes thousands of times a second: V8 renews the
 * table behind a Set again and again then, and each old table keeps pointing to the next one and to whatever was in it. Once one has got old,
 * all that follow get old with it, with every value, until the whole heap is looked through. Nothing that was in this list points to anything
 * that still is.
 */
export class LinkedList<T> {
  #first: Link<T> | null = null;
  #last: Link<T> | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The one that has been here for longest. */
  get first(): Link<T> | null {
    return this.#first;
  }

  add(value: T): Link<T> {
    const link: Link<T> = { value, before: this.#last, after: null, isLinked: true };
    if (this.#last === null) this.#first = link;
    else this.#last.after = link;
    this.#last = link;
    this.#size += 1;
    return link;
  }

  /** False where it had left already. */
  remove(link: Link<T>): boolean {
    if (!link.isLinked) return false;
    const { before, after } = link;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    link.before = null;
    link.after = null;
    link.isLinked = false;
    this.#size -= 1;
    return true;
  }

  /** Those that are here now, first come first. Whoever leaves before its turn is passed over. */
  *[Symbol.iterator](): Generator<T> {
    const links: Link<T>[] = [];
    for (let link = this.#first; link !== null; link = link.after) links.push(link);
    for (const link of links) if (link.isLinked) yield link.value;
  }
}
