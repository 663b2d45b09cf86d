/** The time zone of the partner's business days. */
export const SAO_PAULO = "America/Sao_Paulo";

/** A quarter of an hour has one date: in every time zone midnight and changes of the UTC offset fall between two. */
const QUARTER_MS = 15 * 60_000;

/** The date in a time zone at an instant, as YYYY-MM-DD. Keeps that of the last quarter, because formatting is slow. */
export const dateIn = (timeZone: string): ((ms: number) => string) => {
  const parts = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, ...parts });
  let latest = { quarter: Number.NaN, date: "" };
  return (ms) => {
    const quarter = Math.floor(ms / QUARTER_MS);
    if (quarter !== latest.quarter) latest = { quarter, date: format.format(quarter * QUARTER_MS) };
    return latest.date;
  };
};
