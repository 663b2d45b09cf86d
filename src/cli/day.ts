import { InvalidArgumentError } from "commander";

/** A day of the calendar, YYYY-MM-DD. */
export const day = (text: string): string => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // February 30 is read as a day of March.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(text))
    throw new InvalidArgumentError("It must be a day in the form YYYY-MM-DD.");
  return text;
};
