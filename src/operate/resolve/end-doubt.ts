import { randomUUID } from "node:crypto";
import type { Publish } from "../../commands-to-results/accept-once/ports.ts";
import {
  resolvableAtMs,
  endInJournal,
  withoutDoubt,
  type Resolved,
} from "../../commands-to-results/accept-once/resolve.ts";
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
import { inspectTopics, type ToolServices } from "../tool-services.ts";
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
  services: ToolServices,
  transactionId: string,
  { commandId, claimedAtMs }: { commandId: string; claimedAtMs: number },
  signal: AbortSignal,
): Promise<void> => {
  const { transactionStatus, results } = services.config.topics;
  const fromMs = claimedAtMs - BEFORE_MS;
  const key = Buffer.from(transactionId);
  const events = { topic: transactionStatus, fromMs, keys: [transactionId] };
  const matches = await collect(services, events, (event) => event.key?.equals(key) || null, { signal });
  if (matches.length === 0)
    throw new NothingDone(
      `No event of transaction ${transactionId} is known since the claim: check the id, or leave it out.`,
    );

  const readResult = valueReader<CommandResult>(services, "command-result");
  const take = async (value: Buffer | null): Promise<string | null> => {
    const result = mayHold(value, key) ? await readResult(value) : null;
    return result?.transactionId === transactionId && result.commandId !== commandId
      ? result.commandId
      : null;
  };
  const [other] = await collect(services, { topic: results, fromMs }, ({ value }) => take(value), { signal });
  if (other !== undefined)
    throw new NothingDone(`Transaction ${transactionId} is that of command ${other}, whose result names it.`);
};

const findAndEnd = async <T>(
  services: ToolServices,
  { commandId, quoteId, as, force, transactionId }: ResolveRequest,
  stopped: AbortSignal,
  work: (doubt: EndableDoubt) => Promise<T>,
): Promise<T | Ended> => {
  const { topics, kafka } = services.config;
  const schemaIdOf = await inspectTopics(services, ["results"]);
  const { take, refs, timeOf, isOlderElsewhere } = createCommandFinder(commandId);
  const opened = await openDoubts(services, take);
  const results = await openResults(services, schemaIdOf("command-result"));
  const { view, journal } = opened;
  const published: RecordPosition[] = [];
  const deps = {
    ...services,
    view,
    journal,
    codec: results.codec,
    timeOf,
    isOlderElsewhere,
    newId: () => randomUUID(),
    observer: { retrying: () => undefined },
    options: { backoff: BACKOFF },
    publish: async (...result: Parameters<Publish>) => published.push(await results.publishLate(...result)),
  };
  const inTime = <R>(decide: (signal: AbortSignal) => Promise<R>): Promise<R> =>
    services.clock.withDeadline(DECIDE_TIMEOUT_MS, undefined, decide);
  const forQuote = quoteId === null ? "" : ` for quote ${quoteId}`;
  const toEnded = (resolved: Exclude<Resolved, { kind: "tooYoung" }>): Ended => {
    switch (resolved.kind) {
      case "underWay":
        throw new NothingDone(`Command ${commandId} is being executed${forQuote}: wait for its result.`);
      case "unknown":
        throw new NothingDone(
          `The journal holds no doubt of command ${commandId}${forQuote} that can be read. Check the commandId (upper ` +
            `and lower case count) and the quote, and that ${topics.journal} of KAFKA_BROKERS ` +
            `(${kafka.brokers.join(",")}) is the right journal. \`cambio-bridge doubts\` lists what is in doubt.`,
        );
      case "decided":
        return { ...resolved, place: placeText(topics.journal, resolved.position) };
      case "resolved": {
        const place = placeText(topics.journal, resolved.position);
        const [position] = published;
        const where = position ? placeText(topics.results, position) : NOT_PUBLISHED;
        return { ...resolved, place, published: where };
      }
    }
  };
  try {
    const lack = await opened.untilRead(stopped);
    const [ref, ...others] = chooseDoubts(refs(), view.look, quoteId);
    if (ref === undefined && lack !== null)
      throw new NothingDone(
        `Nothing was decided: ${lack}, and the doubt may stand there. See docs/failures.md.`,
      );
    if (ref === undefined) return toEnded({ kind: "unknown" });
    if (others.length > 0)
      throw new NothingDone(
        `Command ${commandId} is in doubt for several quotes, ${[ref, ...others].map(({ key }) => key).join(" and ")}: ` +
          "resolve the one that is meant, by its page or with --quote-id.",
      );
    const look = view.look(ref);
    if (look.kind !== "doubt")
      return toEnded(await inTime((signal) => withoutDoubt(deps, ref, look, signal)));
    const claimedAtMs = look.claim.timestampMs;
    const endableAtMs = resolvableAtMs(look.claim);
    if (transactionId !== null)
      await checkTransaction(services, transactionId, { commandId, claimedAtMs }, stopped);
    if (as === "not-executed" && !force) {
      const doubts = await opened.find({ commandId, quoteId: ref.key }, stopped);
      const facts = await factsOfDoubts(services, doubts, () => undefined, stopped);
      const evident = facts.flatMap(({ evidence }) => evidence.map((one) => one.transactionId));
      if (evident.length > 0)
        throw new NothingDone(
          `Command ${commandId} was probably executed: transaction ${evident.join(" and ")} names it. If ` +
            "the partner says that it was not executed, and never will be, resolve it with force (--force).",
        );
    }
    const end = async (by: string, note: string): Promise<Ended> => {
      continueUnless(stopped);
      const decision = { as, by, note, force, transactionId };
      const ending = inTime((signal) => endInJournal(deps, ref, decision, signal));
      const resolved = await ending.catch((error: unknown) => {
        throw new UsageError(
          `Nobody knows whether the decision on command ${commandId} was written (${messageOf(error)}): resolve ` +
            "it again, and what stands is shown.",
          { cause: error },
        );
      });
      if (resolved.kind !== "tooYoung") return toEnded(resolved);
      throw new NothingDone(
        `It is too early: the call of command ${commandId} began at ${iso(claimedAtMs)} and might still be under way, ` +
          `on a frozen replica or at the partner: resolve it from ${iso(endableAtMs)} on, by Kafka's clock, ${FORCE_ADVICE[as]}.`,
      );
    };
    return await work({ quoteId: ref.key, resolvableAtMs: endableAtMs, end });
  } finally {
    await opened.close();
    await results.close();
  }
};

/** Throws NothingDone if something fails before a decision is being written, later a UsageError that says so. */
export const withDoubt: typeof findAndEnd = (services, request, stopped, work) =>
  findAndEnd(services, request, stopped, work).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    continueUnless(stopped);
    throw new NothingDone(
      `The journal could not be read, and nothing was decided. ${describeOutage(error, services.config)}.`,
      { cause: error },
    );
  });
