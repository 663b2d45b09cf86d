/** Invalid input to the imitated API or to the control API. The message names the field. */
export class WrongInput extends Error {
  override readonly name = "WrongInput";
}

export const fail = (message: string): never => {
  throw new WrongInput(message);
};

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The fields of a JSON object; throws {@link WrongInput} for anything else, and for a field that is not
 * `known`.
 */
export const fieldsFrom = (value: unknown, known: readonly string[]): Fields => {
  if (!isFields(value)) throw new WrongInput("a JSON object is needed");
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new WrongInput(`${unknown} is not a field known here: ${known.join(", ")}`);
  return value;
};

/** A number from `least` to `most`; throws {@link WrongInput}. */
export const numberIn = (
  fields: Fields,
  name: string,
  fallback: number,
  least: number,
  most: number,
): number => {
  const value = fields[name] ?? fallback;
  if (typeof value !== "number" || !(value >= least && value <= most))
    throw new WrongInput(`${name} must be a number from ${least} to ${most}`);
  return value;
};

/** One of `known`; throws {@link WrongInput}. */
export const choiceIn = <T extends string>(
  fields: Fields,
  name: string,
  known: readonly T[],
  fallback?: T,
): T => {
  const value = fields[name] ?? fallback;
  const found = known.find((each) => each === value);
  if (found === undefined) throw new WrongInput(`${name} must be one of ${known.join(", ")}`);
  return found;
};
