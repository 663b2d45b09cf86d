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

/** The JSON in a body; throws a WrongInput where there is none, and for bytes that are no UTF-8. */
export const jsonFrom = (body: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return fail("the body must be JSON in UTF-8");
  }
};

/** The fields of a JSON object; throws a WrongInput for anything else, and for a field that is not `known`. */
export const fieldsFrom = (value: unknown, known: readonly string[]): Fields => {
  if (!isFields(value)) return fail("a JSON object is needed");
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  return unknown === undefined ? value : fail(`${unknown} is not known here, only ${known.join(", ")}`);
};

/** A number from `least` to `most`; throws a WrongInput. */
export const numberIn = (
  fields: Fields,
  name: string,
  fallback: number,
  least: number,
  most: number,
): number => {
  const value = fields[name] ?? fallback;
  if (typeof value === "number" && value >= least && value <= most) return value;
  return fail(`${name} must be a number from ${least} to ${most}`);
};

/** One of `known`; throws a WrongInput. */
export const choiceIn = <T extends string>(
  fields: Fields,
  name: string,
  known: readonly T[],
  fallback?: T,
): T => {
  const value = fields[name] ?? fallback;
  return known.find((each) => each === value) ?? fail(`${name} must be one of ${known.join(", ")}`);
};
