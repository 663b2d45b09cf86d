import { choiceIn, fieldsFrom, numberIn } from "../runtime/wrong-input.ts";
import { formNames } from "./answers.ts";

/** What the specification does not say about the log, and the choices for each; the first one is the default. */
export const logChoices = {
  answers: formNames,
  /** How instants are written: as in webhooks, or otherwise. */
  createdAt: ["same", "iso-seconds", "offset", "epoch-millis"],
  /** Whose days the two dates are. */
  zone: ["sao-paulo", "utc"],
  /** Whether the last day belongs to the period. */
  end: ["inclusive", "exclusive"],
  /** Which periods get a 400. */
  refuse: ["nothing", "future-end"],
  /** What of the query is ignored. */
  ignore: ["nothing", "dates", "event-type", "both"],
  /** Entries of another event type. */
  others: ["absent", "mixed-in"],
  order: ["oldest", "newest"],
  /** How the answer tells of more entries. */
  hint: ["none", "next", "has-more", "total", "link"],
} as const;

type Choices = { [Name in keyof typeof logChoices]: (typeof logChoices)[Name][number] };

export type LogRules = Choices & {
  /** How long after its first attempt an entry appears, in milliseconds of the partner's time. */
  lateMs: number;
  /** How many notifications an answer shows at most; 0: no limit. */
  limit: number;
};

const choicesBy = (choose: (name: keyof Choices, names: readonly string[]) => string): Choices =>
  Object.fromEntries(
    Object.entries(logChoices).map(([name, names]) => [name, choose(name as keyof Choices, names)]),
  ) as Choices;

export const defaultLogRules: LogRules = { ...choicesBy((_, [first = ""]) => first), lateMs: 0, limit: 0 };

/** The rules with some changes. Throws a WrongInput for an unknown rule or value. */
export const changedLogRules = (before: LogRules, changes: unknown): LogRules => {
  const fields = fieldsFrom(changes, Object.keys(defaultLogRules));
  return {
    ...choicesBy((name, names) => choiceIn(fields, name, names, before[name])),
    lateMs: numberIn(fields, "lateMs", before.lateMs, 0, 365 * 86_400_000),
    limit: Math.trunc(numberIn(fields, "limit", before.limit, 0, 1e9)),
  };
};
