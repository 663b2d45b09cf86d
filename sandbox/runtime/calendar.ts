/** The calendar day of an instant, as YYYY-MM-DD. São Paulo has had no daylight saving time since 2019. */
export const days = {
  "sao-paulo": (at: number): string => days.utc(at - 3 * 3_600_000),
  utc: (at: number): string => new Date(at).toISOString().slice(0, 10),
};

/** Whether `text` is a real date written YYYY-MM-DD. */
export const isDate = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at) && days.utc(at) === text;
};
