import { UsageError } from "../runtime/errors.ts";
import type { AuditPlace, Begun } from "./audit.ts";
import { personOf, WORD_MS, type About, type Request, type Requests } from "./decision-requests.ts";
import type { Asked, Ended, Proposed } from "./resolve-outcome.ts";

/** What was asked for before, where four eyes are wanted. */
export type FourEyes = {
  /** Whether this process asks for them by its settings. */
  isWanted: boolean;
  /** Resolves when the audit topic is read up to this place, itself included. */
  readUpTo: (place: AuditPlace) => Promise<Requests>;
  /** As topic[partition]@offset. */
  placeText: (place: AuditPlace) => string;
};

/** What others say of a doubt. */
export type Judged =
  /** Somebody else asked for the same. `force`: both insist. */
  | { kind: "confirmed"; by: Request; force: boolean }
  /** `against`: somebody else who asked for the opposite. */
  | { kind: "alone"; against: Request | null };

/**
 * Whether a decision that somebody asks for may be made. Two people must ask for the same within a day, and nobody else for the opposite; of each
 * person the last word counts, so that a word is taken back by saying the other one.
 *
 * The names are those that the audit topic holds. The console knows whom it let in; on the command line anybody can give any name, and whoever may
 * write the audit topic can write any entry. So this guards against the mistake of one person, not against somebody who forges a second one: the
 * entries hold the host and the user of the operating system for whoever looks into it afterwards.
 */
export const judge = (requests: Requests, own: Request, about: About): Judged => {
  const person = personOf(own.by);
  const others = requests.before(about, own).filter(({ by }) => personOf(by) !== person);
  const against = others.find(({ as }) => as !== own.as) ?? null;
  const same = others.filter(({ as }) => as === own.as);
  const by = same.find(({ force }) => force) ?? same[0];
  if (!by || against) return { kind: "alone", against };
  // To insist is a decision of its own, and nobody makes it alone.
  return { kind: "confirmed", by, force: own.force && by.force };
};

export type Permitted = { kind: "decide"; force: boolean } | Proposed;

/** Asked once the doubt is found, before anything is said of it: whether it may be decided, and whether although its claim is young. */
export type Permit = (doubt: { quoteId: string | null }) => Promise<Permitted>;

/** What one request may do. */
export type Permission = {
  permit: Permit;
  /** What came of the request. That the claim is too young takes back nobody's word. */
  endOf: (ended: Ended) => Ended;
  /** Who asked for the same before; null where nobody was needed, or is known. */
  second: () => Request | null;
};

/**
 * Four eyes where they are wanted, and where a proposal stands: whoever runs without the setting cannot end alone what somebody with the setting
 * has proposed.
 */
export const permission = (
  { readUpTo, placeText, isWanted }: FourEyes,
  { commandId, force }: Asked,
  { actionId, place }: Begun,
): Permission => {
  let second: Request | null = null;
  let agreed: ((why: Proposed["why"]) => Proposed) | null = null;

  const permit: Permit = async ({ quoteId }) => {
    const requests = await readUpTo(place);
    const own = requests.find(actionId);
    if (!own)
      throw new UsageError("Nothing was decided: the request was not met in the audit topic. Run it again.");
    if (!isWanted && !requests.isProposed({ commandId, quoteId }, own)) return { kind: "decide", force };
    const judged = judge(requests, own, { commandId, quoteId });
    const proposed = (why: Proposed["why"]): Proposed => ({
      ...{ kind: "proposed", untilMs: own.atMs + WORD_MS, place: placeText(place), quoteId, why },
    });
    if (judged.kind === "alone") {
      const { against } = judged;
      return proposed(against ? { kind: "opposed", by: against.by, as: against.as } : { kind: "alone" });
    }
    second = judged.by;
    agreed = proposed;
    return { kind: "decide", force: judged.force };
  };

  return {
    permit,
    endOf: (ended) =>
      ended.kind === "tooYoung" && agreed && second ? agreed({ ...ended, by: second.by }) : ended,
    second: () => second,
  };
};
