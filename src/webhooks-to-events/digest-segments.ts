/**
 * A hash table of digests that forgets by age without ever moving an entry: a ring of open-addressing segments, one of which
 * is written. A segment takes entries until it is full or its share of the window has passed; then it is only read, until its turn comes
 * to be wiped and written again. All of its memory is taken, and touched, when it is made: what a busy day needs is there from the
 * first minute, and never grows. Nothing is rehashed either; wiping a segment takes a few milliseconds.
 *
 * Of a digest, one 32-bit word chooses the slot and two (64 bits, less what `valueBits` takes) are stored. Probing meets
 * up to two dozen entries in each of the segments, so a stranger is taken for a known digest once in 2^64 / 182 look-ups of
 * absent digests: at 60 million a day once in four million years (once in a million with two value bits).
 */
export type Digest = { readonly place: number; readonly high: number; readonly low: number };

/** What a hex digit stands for: the lowest four bits of `0` to `9` are 0 to 9 in ASCII, those of `a` to `f`, codes above 64, are 1 to 6. */
const valueOfHex = (code: number): number => (code & 0xf) + 9 * (code >> 6);

/** The eight hex digits at `from`, as a word: an eighth of what parseInt and slice cost. */
export const wordOfHex = (hex: string, from: number): number => {
  let word = 0;
  for (let at = from; at < from + 8; at++) word = (word << 4) | valueOfHex(hex.charCodeAt(at));
  return word >>> 0;
};

/** The words of a lower-case hex digest of at least 24 digits. The digest must be of a cryptographic hash: it is used as is. */
export const digestOfHex = (hex: string): Digest => ({
  place: wordOfHex(hex, 0),
  // 0 marks an empty slot.
  high: wordOfHex(hex, 8) || 1,
  low: wordOfHex(hex, 16),
});

export type Segment = {
  /** Slots of `wordsPerSlot` words: high, low, then the owner's. */
  readonly words: Uint32Array;
  openedAtMs: number;
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

/** Beyond this load linear probing slows down steeply. */
const MAX_LOAD = 0.85;
/** A segment takes at most this part of the window, so an entry outlives the window by no more than that. */
const SHARE_OF_WINDOW = 1 / 4;
/** Fewer are faster, more lose less at once when the oldest is wiped. */
const SEGMENTS = 8;

export type Segments = {
  /**
   * The newest entry of the digest that is within the window; `at` is the index of its first word.
   * @param among looks into so many of the newest segments only: each costs what memory takes that is in no cache
   */
  find(digest: Digest, nowMs: number, among?: number): { segment: Segment; at: number } | null;
  /** How often a new segment was begun: where that is as it was, all that was put since is in the newest one. */
  rotations(): number;
  /** The digest's entry in the segment that is written now; a new one has zeros where the owner's value goes. */
  put(digest: Digest, atMs: number): { segment: Segment; at: number };
  count(): number;
  readonly bytes: number;
};

export const segmentsOf = (options: SegmentsOptions): Segments => {
  const { wordsPerSlot, windowMs, maxBytes } = options;
  const bytesPerSlot = wordsPerSlot * Uint32Array.BYTES_PER_ELEMENT;
  const slots = Math.max(1, Math.floor(maxBytes / SEGMENTS / bytesPerSlot));
  const most = Math.floor(slots * MAX_LOAD);
  const keyMask = -1 << options.valueBits;
  /** Newest first. Without the fill the pages of a new array exist on paper only. */
  const segments: Segment[] = Array.from({ length: SEGMENTS }, () => ({
    words: new Uint32Array(slots * wordsPerSlot).fill(0),
    openedAtMs: 0,
    newestAtMs: 0,
    used: 0,
  }));

  let rotations = 0;

  const probe = ({ words }: Segment, { place, high, low }: Digest): number => {
    const end = words.length;
    const key = low & keyMask;
    let at = Math.floor((place * slots) / 2 ** 32) * wordsPerSlot;
    while (words[at] !== 0 && !(words[at] === high && ((words[at + 1] ?? 0) & keyMask) === key)) {
      at += wordsPerSlot;
      if (at === end) at = 0;
    }
    return at;
  };

  const wipe = (segment: Segment, openedAtMs: number, atMs: number): Segment => {
    if (segment.used > 0) segment.words.fill(0);
    return Object.assign(segment, { used: 0, openedAtMs, newestAtMs: atMs });
  };

  const writable = (atMs: number): Segment => {
    const [current] = segments as [Segment, ...Segment[]];
    if (current.used === 0) return wipe(current, atMs, atMs);
    // Records of several partitions come with times in any order: only a later one can end a segment's share.
    const isOver = current.used >= most || atMs > current.openedAtMs + windowMs * SHARE_OF_WINDOW;
    if (!isOver) return current;
    rotations += 1;
    const oldest = segments.pop() ?? current;
    // Shares never go back, or the next partition that is read from its beginning would use up all of them once more.
    segments.unshift(wipe(oldest, Math.max(atMs, current.openedAtMs), atMs));
    return oldest;
  };

  return {
    find: (digest, nowMs, among = SEGMENTS) => {
      for (let i = 0; i < among; i++) {
        const segment = segments[i] as Segment;
        if (segment.used === 0 || segment.newestAtMs + windowMs < nowMs) continue;
        const at = probe(segment, digest);
        if (segment.words[at] !== 0) return { segment, at };
      }
      return null;
    },
    put: (digest, atMs) => {
      const segment = writable(atMs);
      segment.newestAtMs = Math.max(segment.newestAtMs, atMs);
      const at = probe(segment, digest);
      if (segment.words[at] === 0) {
        segment.words[at] = digest.high;
        segment.words[at + 1] = digest.low & keyMask;
        segment.used++;
      }
      return { segment, at };
    },
    rotations: () => rotations,
    count: () => segments.reduce((sum, { used }) => sum + used, 0),
    bytes: segments.length * slots * bytesPerSlot,
  };
};
