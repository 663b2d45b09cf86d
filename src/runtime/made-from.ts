/** What `make` makes of some texts: made anew only when one of them has changed. */
export const madeFrom = <T>(make: (texts: readonly string[]) => T): ((texts: readonly string[]) => T) => {
  let last: { texts: readonly string[]; made: T } | null = null;
  return (texts) => {
    const isLast = last?.texts.length === texts.length && texts.every((text, i) => text === last?.texts[i]);
    if (last === null || !isLast) last = { texts, made: make(texts) };
    return last.made;
  };
};
