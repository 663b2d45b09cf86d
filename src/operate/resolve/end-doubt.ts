import { randomUUID } from "node:crypto";
import type { Ref } from "../../commands-to-results/accept-once/entry.ts";
import type { Claim } from "../../commands-to-results/accept-once/fold-rules.ts";
import type { Publish } from "../../commands-to-results/accept-once/ports.ts";
import { resolvableAtMs, endInJournal, withoutDoubt } from "../../commands-to-results/accept-once/resolve.ts";
import type { Resolved } from "../../commands-to-results/accept-once/resolve.ts";
import { openResults } from "../../commands-to-results/wire/results.ts";
import { describeOutage } from "../../kafka/wire/outage.ts";
import type { CommandResult } from "../../records.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { iso } from "../../runtime/instant.ts";
import { placeText, type RecordPosition } from "../../runtime/record-position.ts";
import { continueUnless, NothingDone } from "../actor.ts";
import { openDoubts } from "../doubts/doubts.ts";
import { factsOfDoubts } from "../doubts/facts.ts";
import { collect, mayHold, valueReader } from "../read-topic.ts";
import { inspectTopics, type Tools } from "../tools.ts";
import { chooseDoubts, createCommandFinder } from "./find-doubt.ts";
import type { ResolveOutcome, ResolveRequest } from "./outcome.ts";

export type Ended = Exclude<ResolveOutcome, { kind: "proposed" }>;

type EndableDoubt = {
  quoteId: string;
  resolvableAtMs: number;
  end: (by: string, note: string) => Promise<Ended>;
};

const DECIDE_TIMEOUT_MS = 60_000;
const BACKOFF = { baseMs: 250, maxMs: 5_000 };
const NOT_PUBLISHED = "no place, because the commandId has its result for another command";

/** If `not-executed` frees the quote and the call is executed after all, it can be accepted twice. */
const FORCE_ADVICE = {
  succeeded: "or with force (--force)",
  "not-executed":
    "or with force (--force) if it is certain that no replica of that time still runs, and the partner says that " +
    "it will not be executed any more",
} as const;

/** Clocks of replicas may differ, and a transaction of this accept has no event long before its claim. */
const BEFORE_MS = 900_000;

/** A transaction cannot be that of a doubt if it has no event since the claim, or if another result names it. */
const checkTransaction = async (
  tools: Tools,
  transactionId: string,
  { commandId, claimedAtMs }: { commandId: string; claimedAtMs: number },
): Promise<void> => {
  const { transactionStatus, results } = tools.config.topics;
  const fromMs = claimedAtMs - BEFORE_MS;
  const key = Buffer.from(transactionId);
  const events = { topic: transactionStatus, fromMs, keys: [transactionId] };
  const matches = await collect(tools, events, (event) => event.key?.equals(key) || null);
  if (matches.length === 0)
    throw new NothingDone(`No event of transaction ${transactionId} is known since the claim: check the id.`);

  const readResult = valueReader<CommandResult>(tools, "command-result");
  const others = await collect(tools, { topic: results, fromMs }, async ({ value }) => {
    const result = mayHold(value, key) ? await readResult(value) : null;
    return result?.transactionId === transactionId && result.commandId !== commandId ? result : null;
  });
  const [other] = others;
  if (other)
    throw new NothingDone(
      `Transaction ${transactionId} is that of command ${other.commandId}, by its result.`,
    );
};

/** Opens the journal, which is followed as a replica does it, and the results topic. */
const openTopics = async (tools: Tools, request: ResolveRequest) => {
  const schemaIdOf = await inspectTopics(tools, ["results"]);
  const { take, refs, timeOf, olderElsewhere } = createCommandFinder(request.commandId);
  const results = await openResults(tools, schemaIdOf("command-result"));
  const doubts = await openDoubts(tools, take).catch(async (error: unknown) => {
    await results.close();
    throw error;
  });
  const { view, journal } = doubts;
  const published: RecordPosition[] = [];
  const deps = {
    ...tools,
    view,
    journal,
    codec: results.codec,
    timeOf,
    olderElsewhere,
    newId: () => randomUUID(),
    observer: { retrying: () => undefined },
    options: { backoff: BACKOFF },
    publish: async (...result: Parameters<Publish>) => published.push(await results.publishLate(...result)),
  };
  const close = async (): Promise<void> => {
    await doubts.close();
    await results.close();
  };
  return { tools, request, doubts, view, refs, deps, published, close };
};

type Opened = Awaited<ReturnType<typeof openTopics>>;

const nameOf = ({ commandId, quoteId }: ResolveRequest): string =>
  quoteId === null ? commandId : `${commandId} for quote ${quoteId}`;

const noDoubt = ({ tools: { config }, request }: Opened): NothingDone =>
  new NothingDone(
    `The journal holds no doubt of command ${nameOf(request)} that can be read. Check the commandId (upper ` +
      `and lower case count) and the quote, and that ${config.topics.journal} of KAFKA_BROKERS ` +
      `(${config.kafka.brokers.join(",")}) is the right journal. \`cambio-bridge doubts\` lists what is in doubt.`,
  );

/** Chooses the place of the command in the journal. @param lack says which partitions nobody can read */
const chooseRef = (opened: Opened, lack: string | null): Ref => {
  const { commandId, quoteId } = opened.request;
  const [ref, ...others] = chooseDoubts(opened.refs(), opened.view.look, quoteId);
  if (ref === undefined && lack !== null)
    throw new NothingDone(
      `Nothing was decided: ${lack}, and the doubt may stand there. See docs/failures.md.`,
    );
  if (ref === undefined) throw noDoubt(opened);
  if (others.length > 0)
    throw new NothingDone(
      `Command ${commandId} is in doubt for several quotes, ${[ref, ...others].map(({ key }) => key).join(" and ")}: ` +
        "resolve the one that is meant, by its page or with --quote-id.",
    );
  return ref;
};

/** Throws NothingDone if the topics speak against the decision. */
const checkDecision = async (opened: Opened, ref: Ref, claim: Claim): Promise<void> => {
  const { tools, doubts, request } = opened;
  const { commandId, as, force, transactionId } = request;
  const call = { commandId, claimedAtMs: claim.timestampMs };
  if (transactionId !== null) await checkTransaction(tools, transactionId, call);
  if (as === "succeeded" || force) return;
  const doubted = await doubts.find({ commandId, quoteId: ref.key });
  const facts = await factsOfDoubts(tools, doubted);
  const evident = facts.flatMap(({ evidence }) => evidence.map((one) => one.transactionId));
  if (evident.length > 0)
    throw new NothingDone(
      `Command ${commandId} was probably executed: transaction ${evident.join(" and ")} names it. If ` +
        "the partner says that it was not executed, and never will be, resolve it with force (--force).",
    );
};

/** Says where the decision stands. Throws NothingDone if there is none. */
const endedOf = (opened: Opened, resolved: Exclude<Resolved, { kind: "tooYoung" }>): Ended => {
  const { topics } = opened.tools.config;
  if (resolved.kind === "unknown") throw noDoubt(opened);
  if (resolved.kind === "underWay")
    throw new NothingDone(`Command ${nameOf(opened.request)} is being executed: wait for its result.`);
  const place = placeText(topics.journal, resolved.position);
  if (resolved.kind === "decided") return { ...resolved, place };
  const [position] = opened.published;
  const published = position ? placeText(topics.results, position) : NOT_PUBLISHED;
  return { ...resolved, place, published };
};

const endDoubt = async (opened: Opened, ref: Ref, claim: Claim, by: string, note: string): Promise<Ended> => {
  const { commandId, as, force, transactionId } = opened.request;
  const decision = { as, by, note, force, transactionId };
  const ending = opened.tools.clock.withDeadline(DECIDE_TIMEOUT_MS, undefined, (signal) =>
    endInJournal(opened.deps, ref, decision, signal),
  );
  const resolved = await ending.catch((error: unknown) => {
    throw new UsageError(
      `Nobody knows whether the decision on command ${commandId} was written (${messageOf(error)}): resolve ` +
        "it again, and what stands is shown.",
      { cause: error },
    );
  });
  if (resolved.kind !== "tooYoung") return endedOf(opened, resolved);
  throw new NothingDone(
    `It is too early: the call of command ${commandId} began at ${iso(claim.timestampMs)} and might still be under ` +
      `way, on a frozen replica or at the partner: resolve it from ${iso(resolvableAtMs(claim))} on, by Kafka's clock, ` +
      `${FORCE_ADVICE[as]}.`,
  );
};

const findAndEnd = async <T>(
  tools: Tools,
  request: ResolveRequest,
  work: (doubt: EndableDoubt) => Promise<T>,
): Promise<T | Ended> => {
  const opened = await openTopics(tools, request);
  try {
    const ref = chooseRef(opened, await opened.doubts.untilRead());
    const look = opened.view.look(ref);
    if (look.kind !== "doubt") {
      const asking = tools.clock.withDeadline(DECIDE_TIMEOUT_MS, undefined, (signal) =>
        withoutDoubt(opened.deps, ref, look, signal),
      );
      return endedOf(opened, await asking);
    }
    await checkDecision(opened, ref, look.claim);
    const end: EndableDoubt["end"] = async (by, note) => {
      continueUnless(tools.stopped);
      return endDoubt(opened, ref, look.claim, by, note);
    };
    return await work({ quoteId: ref.key, resolvableAtMs: resolvableAtMs(look.claim), end });
  } finally {
    await opened.close();
  }
};

/** Throws NothingDone if something fails before a decision is being written, later a UsageError that says so. */
export const withDoubt: typeof findAndEnd = (tools, request, work) =>
  findAndEnd(tools, request, work).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    continueUnless(tools.stopped);
    throw new NothingDone(
      `The journal could not be read, and nothing was decided. ${describeOutage(error, tools.config)}.`,
      { cause: error },
    );
  });
