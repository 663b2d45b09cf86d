import avro from "avsc";

type Tap = { buf: Buffer; pos: number; readLong: () => number; readString: () => string };
type Values = { _read: (tap: Tap) => unknown };

/** How many entries come next. @throws when the value has no bytes for them: each takes at least one */
const entriesNext = (tap: Tap): number => {
  const count = tap.readLong();
  if (count < 0) tap.readLong();
  const entries = Math.abs(count);
  if (entries > tap.buf.length - tap.pos) throw new Error("a map claims more entries than there are bytes");
  return entries;
};

/** Reads no more entries than the value has bytes. avsc believes what a map claims: 2^28 entries take it 12 s. */
export class BoundedMap extends avro.types.MapType {
  /** avsc also calls it on a resolver, which has the values of the writer. */
  _read(this: { valuesType: Values }, tap: Tap): unknown {
    const entries: [string, unknown][] = [];
    for (let left = entriesNext(tap); left > 0; left = entriesNext(tap))
      for (; left > 0; left -= 1) entries.push([tap.readString(), this.valuesType._read(tap)]);
    return Object.fromEntries(entries);
  }

  _skip(tap: Tap): void {
    this._read(tap);
  }
}
