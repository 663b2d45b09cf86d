/**
 * A hash table of digests that forgets by age without ever moving an entry: a list of open-addressing segments, one of which
 * is written. A segment takes entries until it is full or its share of the window has passed; then it is only read, and dropped
 * whole once its newest entry is older than the window, or when the bytes are needed. Opening one costs a zeroed allocation, which
 * the operating system hands out lazily; nothing is rehashed, so there is no pause to speak of.
 *
 * Of a digest, one 32-bit word chooses the slot and two (64 bits, less what `valueBits` takes) are stored. Probing meets
 * about a dozen entries in each of about 7 segments, so a stranger is taken for a known digest once in 2^64 / 84 look-ups of
 * absent digests: at 60 million a day once in ten million years (once in two and a half million with two value bits).
 */
export type Digest = { readonly place: number; readonly high: number; readonly low: number };

/** The words of a hex digest of at least 24 digits. The digest must be of a cryptographic hash: it is used as is. */
export const digestOfHex = (hex: string): Digest => ({
  place: parseInt(hex.slice(0, 8), 16),
  // 0 marks an empty slot.
  high: parseInt(hex.slice(8, 16), 16) || 1,
  low: parseInt(hex.slice(16, 24), 16),
});

export type Segment = {
  /** Slots of `wordsPerSlot` words: high, low, then the owner's. */
  readonly words: Uint32Array;
  readonly slots: number;
  readonly openedAtMs: number;
  newestAtMs: number;
  used: number;
};

export type SegmentsOptions = {
  wordsPerSlot: number;
  /** How many of the lowest bits of the second word hold the owner's value instead of digest. */
  valueBits: number;
  windowMs: number;
  maxBytes: number;
};

const MIN_SLOTS = 1 << 12;
const GROWTH = 4;
/** Beyond this load linear probing slows down steeply. */
const MAX_LOAD = 0.8;
/** A segment takes at most this part of the window, so an entry outlives the window by no more than that. */
const SHARE_OF_WINDOW = 1 / 4;
/** Fewer segments are faster, more lose less at once when the bytes run out. */
const SEGMENTS_IN_BYTES = 7;

export type Segments = {
  /** The newest entry of the digest that is within the window; `at` is the index of its first word. */
  find(digest: Digest, nowMs: number): { segment: Segment; at: number } | null;
  /** The digest's entry in the segment that is written now; a new one has zeros where the owner's value goes. */
  put(digest: Digest, atMs: number): { segment: Segment; at: number };
  count(): number;
  bytes(): number;
};

export const segmentsOf = (options: SegmentsOptions): Segments => {
  const { wordsPerSlot, windowMs, maxBytes } = options;
  const bytesPerSlot = wordsPerSlot * Uint32Array.BYTES_PER_ELEMENT;
  const largest = Math.max(1, Math.floor(maxBytes / SEGMENTS_IN_BYTES / bytesPerSlot));
  const keyMask = -1 << options.valueBits;
  /** Newest first. */
  let segments: Segment[] = [];
  let bytes = 0;

  const probe = ({ words, slots }: Segment, { place, high, low }: Digest): number => {
    const end = words.length;
    const key = low & keyMask;
    let at = Math.floor((place * slots) / 2 ** 32) * wordsPerSlot;
    while (words[at] !== 0 && !(words[at] === high && ((words[at + 1] ?? 0) & keyMask) === key)) {
      at += wordsPerSlot;
      if (at === end) at = 0;
    }
    return at;
  };

  const drop = (segment: Segment): void => {
    segments = segments.filter((other) => other !== segment);
    bytes -= segment.words.byteLength;
  };

  const expire = (nowMs: number): void => {
    for (const segment of segments) if (segment.newestAtMs + windowMs < nowMs) drop(segment);
  };

  const open = (atMs: number, wantedSlots: number): Segment => {
    const slots = Math.min(largest, Math.max(MIN_SLOTS, wantedSlots));
    const words = new Uint32Array(slots * wordsPerSlot);
    for (
      let oldest = segments.at(-1);
      oldest && bytes + words.byteLength > maxBytes;
      oldest = segments.at(-1)
    )
      drop(oldest);
    const segment: Segment = { words, slots, openedAtMs: atMs, newestAtMs: atMs, used: 0 };
    segments.unshift(segment);
    bytes += words.byteLength;
    return segment;
  };

  const writable = (atMs: number): Segment => {
    const current = segments[0];
    if (current === undefined) return open(atMs, MIN_SLOTS);
    if (current.used >= Math.floor(current.slots * MAX_LOAD)) return open(atMs, current.slots * GROWTH);
    // Records of several partitions come with times in any order: only a later one can end a segment's share.
    if (atMs > current.openedAtMs + windowMs * SHARE_OF_WINDOW) return open(atMs, current.used * 2);
    return current;
  };
  return {
    find: (digest, nowMs) => {
      for (const segment of segments) {
        if (segment.newestAtMs + windowMs < nowMs) continue;
        const at = probe(segment, digest);
        if (segment.words[at] !== 0) return { segment, at };
      }
      return null;
    },
    put: (digest, atMs) => {
      const segment = writable(atMs);
      if (segment.used === 0) expire(atMs);
      segment.newestAtMs = Math.max(segment.newestAtMs, atMs);
      const at = probe(segment, digest);
      if (segment.words[at] === 0) {
        segment.words[at] = digest.high;
        segment.words[at + 1] = digest.low & keyMask;
        segment.used++;
      }
      return { segment, at };
    },
    count: () => segments.reduce((sum, { used }) => sum + used, 0),
    bytes: () => bytes,
  };
};
