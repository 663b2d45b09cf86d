const hourMs = 3_600_000;

/**
 * The calendar day in a time zone, as YYYY-MM-DD. The result is cached for the current hour, because
 * formatting is too slow for each request. That is correct because both zones have offsets of whole hours.
 */
export const createCalendar = (timeZone: "America/Sao_Paulo" | "UTC"): ((at: number) => string) => {
  let format: Intl.DateTimeFormat | undefined;
  let hour = NaN;
  let day = "";
  return (at) => {
    const ofHour = Math.floor(at / hourMs);
    if (ofHour === hour) return day;
    format ??= new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
    hour = ofHour;
    day = format.format(at);
    return day;
  };
};

/** Whether `text` is a real date written YYYY-MM-DD. */
export const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
};
