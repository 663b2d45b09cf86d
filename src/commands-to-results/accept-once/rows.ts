const MAX_LOAD = 0.7;
const SMALLEST = 64;
const TWO_32 = 2 ** 32;

/** How many rows a new table has for each row that it holds. */
const ROOM = 1.5 / MAX_LOAD;

/**
 * A hash table with open addressing. A row whose last word is zero is empty; an empty row ends each run of one first
 * word. First words must be spread evenly over all 32 bits. @param width words of a row
 */
export const createRows = (width: number) => {
  let capacity = SMALLEST;
  let words = new Uint32Array(capacity * width);
  let count = 0;

  const word = (row: number, index: number): number => words[row + index] ?? 0;
  const isEmpty = (row: number): boolean => word(row, width - 1) === 0;
  const startOf = (firstWord: number): number => Math.floor((firstWord / TWO_32) * capacity) * width;
  const rowAfter = (row: number): number => (row + width === words.length ? 0 : row + width);

  const seek = (from: number, firstWord: number): number => {
    for (let row = from; !isEmpty(row); row = rowAfter(row)) if (word(row, 0) === firstWord) return row;
    return -1;
  };

  const insert = (row: ArrayLike<number>): void => {
    let to = startOf(row[0] ?? 0);
    while (!isEmpty(to)) to = rowAfter(to);
    words.set(row, to);
    count += 1;
  };

  const forEach = (visit: (row: number) => void): void => {
    for (let row = 0; row < words.length; row += width) if (!isEmpty(row)) visit(row);
  };

  const rebuild = (rows: number, isKept: (row: number) => boolean): void => {
    const oldWords = words;
    const keptRows = new Uint32Array(rows);
    let next = 0;
    forEach((row) => {
      if (isKept(row)) keptRows[next++] = row;
    });
    capacity = Math.max(SMALLEST, Math.ceil(rows * ROOM));
    words = new Uint32Array(capacity * width);
    count = 0;
    for (const row of keptRows) insert(oldWords.subarray(row, row + width));
  };

  return {
    word,
    setWord: (row: number, index: number, value: number): void => {
      words[row + index] = value;
    },
    /** The first row with this first word, or -1. */
    first: (firstWord: number): number => seek(startOf(firstWord), firstWord),
    /** The next row with the same first word, or -1. */
    next: (row: number): number => seek(rowAfter(row), word(row, 0)),
    add: (row: ArrayLike<number>): void => {
      if ((count + 1) / capacity > MAX_LOAD) rebuild(count, () => true);
      insert(row);
    },
    forEach,
    keepOnly: (isKept: (row: number) => boolean): void => {
      let keptCount = 0;
      forEach((row) => {
        if (isKept(row)) keptCount += 1;
      });
      if (keptCount === count) return;
      rebuild(keptCount, isKept);
    },
    get count(): number {
      return count;
    },
    get bytes(): number {
      return words.byteLength;
    },
  };
};
