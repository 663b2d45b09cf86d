type Entry<V> = { readonly name: string; value: V; next: Entry<V> | null };

/** A power of two. More entries than these only make the chains longer. */
const CHAINS = 1_024;
const ODD = 0x01000193;

const chainOf = (name: string): number => {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), ODD);
  return (hash ^ (hash >>> 16)) & (CHAINS - 1);
};

/**
 * What is known by a name for as long as it is under way. For what comes and goes thousands of times a second, where a Map has the fault of a
 * Set: see `LinkedList`. The names must be none that somebody hostile may choose: many of one chain would make all of them slow.
 */
export class NameTable<V> {
  readonly #chains: (Entry<V> | null)[] = Array.from({ length: CHAINS }, () => null);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(name: string): V | undefined {
    return this.#find(name)?.value;
  }

  set(name: string, value: V): void {
    const known = this.#find(name);
    if (known) {
      known.value = value;
      return;
    }
    const chain = chainOf(name);
    this.#chains[chain] = { name, value, next: this.#chains[chain] ?? null };
    this.#size += 1;
  }

  delete(name: string): boolean {
    const chain = chainOf(name);
    let before: Entry<V> | null = null;
    for (let entry = this.#chains[chain] ?? null; entry !== null; before = entry, entry = entry.next) {
      if (entry.name !== name) continue;
      if (before === null) this.#chains[chain] = entry.next;
      else before.next = entry.next;
      entry.next = null;
      this.#size -= 1;
      return true;
    }
    return false;
  }

  #find(name: string): Entry<V> | null {
    let entry = this.#chains[chainOf(name)] ?? null;
    while (entry !== null && entry.name !== name) entry = entry.next;
    return entry;
  }
}
