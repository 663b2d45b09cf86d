/** The partner's business days, and its users' days, are those of this zone. */
export const SAO_PAULO = "America/Sao_Paulo";

/** Dates and changes of an offset fall on quarters of an hour everywhere, so a quarter has one date. */
const QUARTER_MS = 15 * 60_000;

/** The date in a zone at an instant, as YYYY-MM-DD; remembers the last two, so that most calls cost a comparison. */
export const dateIn = (timeZone: string): ((ms: number) => string) => {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  let latest = { quarter: Number.NaN, date: "" };
  let former = latest;
  return (ms) => {
    const quarter = Math.floor(ms / QUARTER_MS);
    if (quarter === latest.quarter) return latest.date;
    if (quarter === former.quarter) return former.date;
    former = latest;
    latest = { quarter, date: format.format(quarter * QUARTER_MS) };
    return latest.date;
  };
};
