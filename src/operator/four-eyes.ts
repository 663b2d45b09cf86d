import { UsageError } from "../runtime/errors.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import type { Begun } from "./audit.ts";
import {
  canonicalName,
  PROPOSAL_MS,
  type DoubtRef,
  type DecisionRequest,
  type DecisionRequests,
} from "./decision-requests.ts";
import type { ResolveRequest, ResolveOutcome, Proposed } from "./resolve-outcome.ts";

/** The requests of others, for the four-eyes rule. */
export type FourEyes = {
  /** Whether this process has CONSOLE_FOUR_EYES set. */
  isWanted: boolean;
  /** Resolves when the audit topic is read up to this place, inclusive. */
  readUpTo: (place: RecordPosition) => Promise<DecisionRequests>;
  /** As topic[partition]@offset. */
  placeText: (place: RecordPosition) => string;
};

/** Whether a second person asked for the same decision. */
export type Approval =
  /** A second person asked for the same. `force`: both set it. */
  | { kind: "confirmed"; by: DecisionRequest; force: boolean }
  /** `against`: a person who asked for the opposite. */
  | { kind: "alone"; against: DecisionRequest | null };

/**
 * Two people must ask for the same within a day, and nobody for the opposite. The last request of each person
 * counts, so a request is withdrawn by asking for the opposite.
 *
 * This guards against the mistake of one person, not against forgery. The names are those in the audit topic:
 * the console authenticates them, but the command line takes any name, and whoever may write the topic can
 * write any entry. Each entry therefore also holds the host and the operating system's user.
 */
const findApproval = (requests: DecisionRequests, own: DecisionRequest, about: DoubtRef): Approval => {
  const person = canonicalName(own.by);
  const others = requests.before(about, own).filter(({ by }) => canonicalName(by) !== person);
  const against = others.find(({ as }) => as !== own.as) ?? null;
  const same = others.filter(({ as }) => as === own.as);
  const by = same.find(({ force }) => force) ?? same[0];
  if (!by || against) return { kind: "alone", against };
  // Force must be approved as well: nobody sets it alone.
  return { kind: "confirmed", by, force: own.force && by.force };
};

export type Permitted = { kind: "decide"; force: boolean } | Proposed;

/** Called once the doubt is found, before it is ended: whether it may be ended, and whether with force. */
export type Permit = (doubt: { quoteId: string | null }) => Promise<Permitted>;

/** What one request may do, and who approved it. */
export type Permission = {
  permit: Permit;
  /** The outcome to report. When the claim is too young, an approved request stays a proposal. */
  finalOutcome: (ended: ResolveOutcome) => ResolveOutcome;
  /** The request that was approved; null where no approval was needed or given. */
  second: () => DecisionRequest | null;
};

/**
 * Applies four eyes where the setting is on, and where a proposal is open: a process without the setting cannot
 * end alone what somebody with the setting has proposed.
 */
export const permission = (
  { readUpTo, placeText, isWanted }: FourEyes,
  { commandId, force }: ResolveRequest,
  { actionId, place }: Begun,
): Permission => {
  let second: DecisionRequest | null = null;
  let agreed: ((why: Proposed["why"]) => Proposed) | null = null;

  const permit: Permit = async ({ quoteId }) => {
    const requests = await readUpTo(place);
    const own = requests.find(actionId);
    if (!own)
      throw new UsageError("Nothing was decided: the request was not met in the audit topic. Run it again.");
    if (!isWanted && !requests.isProposed({ commandId, quoteId }, own)) return { kind: "decide", force };
    const approval = findApproval(requests, own, { commandId, quoteId });
    const proposed = (why: Proposed["why"]): Proposed => ({
      kind: "proposed",
      untilMs: own.atMs + PROPOSAL_MS,
      place: placeText(place),
      quoteId,
      why,
    });
    if (approval.kind === "alone") {
      const { against } = approval;
      return proposed(against ? { kind: "opposed", by: against.by, as: against.as } : { kind: "alone" });
    }
    second = approval.by;
    agreed = proposed;
    return { kind: "decide", force: approval.force };
  };

  return {
    permit,
    finalOutcome: (ended) =>
      ended.kind === "tooYoung" && agreed && second ? agreed({ ...ended, by: second.by }) : ended,
    second: () => second,
  };
};
