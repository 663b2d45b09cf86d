import { choiceIn, fieldsFrom, numberIn } from "../../runtime/wrong-input.ts";
import { createdAtFormats } from "../answers/created-at.ts";
import { profileNames } from "../answers/profiles.ts";

const choice = <const Names extends readonly string[]>(about: string, ...names: Names) => ({ about, names });

/**
 * What the specification does not say about the log, and the choices for each; the first one is the default.
 */
export const logChoices = {
  answers: choice("fields and nesting of the log's answer", "same", ...profileNames),
  createdAt: choice("how the log writes instants", "same", ...createdAtFormats),
  dated: choice("what createdAt of a flat entry says", "change", "sending"),
  notification: choice("how an entry holds its notification", "usual", "flat", "object", "text"),
  per: choice("what an entry stands for", "notification", "attempt"),
  zone: choice("whose days the two dates are", "sao-paulo", "utc"),
  end: choice("whether the last day belongs to the period", "inclusive", "exclusive"),
  by: choice("what the two dates are compared with", "change", "sending"),
  refuse: choice("which periods get a 400", "nothing", "future-end", "one-date", "both"),
  ignore: choice("what of the query is ignored", "nothing", "dates", "event-type", "both"),
  others: choice("entries of another event type", "absent", "mixed-in"),
  order: choice("how entries are sorted", "oldest", "newest", "random"),
  hint: choice("how the answer tells of more entries", "none", "next", "has-more", "total", "link"),
} as const;

type Choices = { [Name in keyof typeof logChoices]: (typeof logChoices)[Name]["names"][number] };

export type LogRules = Choices & {
  /** How long after its first attempt an entry appears, in milliseconds of the partner's time. */
  lateMs: number;
  /** How many entries an answer has at most; 0: no limit. */
  limit: number;
};

/** What `choose` gives for each rule that has choices. */
const choicesBy = (choose: (name: keyof Choices, names: readonly string[]) => string): Choices =>
  Object.fromEntries(
    Object.entries(logChoices).map(([name, { names }]) => [name, choose(name as keyof Choices, names)]),
  ) as Choices;

export const defaultLogRules: LogRules = {
  ...choicesBy((_, [first = ""]) => first),
  lateMs: 0,
  limit: 0,
};

/** The rules with some changes. Throws {@link WrongInput} for an unknown rule or value. */
export const changedLogRules = (before: LogRules, changes: unknown): LogRules => {
  const fields = fieldsFrom(changes, Object.keys(defaultLogRules));
  return {
    ...choicesBy((name, names) => choiceIn(fields, name, names, before[name])),
    lateMs: numberIn(fields, "lateMs", before.lateMs, 0, 365 * 86_400_000),
    limit: Math.trunc(numberIn(fields, "limit", before.limit, 0, 1e9)),
  };
};
