import { Argument, Command } from "commander";
import { explainOutage } from "../services/outage.ts";
import type { Services } from "../services/services.ts";
import { noSuchTopic } from "../services/with-cluster.ts";
import type { Config } from "../config/config.ts";
import { startTail } from "../kafka/consume/tail.ts";
import { decoder } from "../kafka/schema/codec.ts";
import { eachHeader, headerValue } from "../kafka/headers.ts";
import type { EncodedHeaders, Incoming } from "../kafka/record.ts";
import { readSchema, type RecordName } from "../kafka/schema/schemas.ts";
import type { CommandResult, TransactionStatusUpdated } from "../records.ts";
import { systemClock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import { iso } from "../runtime/instant.ts";
import { textOrBase64 } from "./bytes.ts";
import { escapeInvisible } from "../runtime/invisible.ts";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io, untilAborted } from "./io.ts";
import { openTool } from "./tool.ts";

const WHAT = ["events", "results", "dead-letters"] as const;
type What = (typeof WHAT)[number];

type Flags = { json?: boolean; fromBeginning?: boolean };
type Shown = { value: unknown; line: string };

const topicOf = ({ topics }: Config, what: What): { topic: string; schema: RecordName | null } =>
  ({
    events: { topic: topics.transactionStatus, schema: "transaction-status-updated" },
    results: { topic: topics.results, schema: "command-result" },
    "dead-letters": { topic: topics.deadLetters, schema: null },
  })[what] as { topic: string; schema: RecordName | null };

const textOf = (bytes: Buffer | null): string | null => bytes?.toString("utf8") ?? null;

/** Values by name; a repeated header has a list of them. */
const headersOf = (headers: EncodedHeaders): Record<string, unknown> => {
  const byName = new Map<string, unknown[]>();
  for (const [bytes, value] of eachHeader(headers)) {
    const name = bytes.toString("utf8");
    const values = byName.get(name) ?? [];
    values.push(textOrBase64(value));
    byName.set(name, values);
  }
  return Object.fromEntries(
    [...byName].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
};

const eventLine = (event: TransactionStatusUpdated): string =>
  [
    event.transactionId,
    event.status,
    event.stage,
    event.direction,
    ...(event.outOfOrder ? ["out of order"] : []),
  ].join("  ");

/** The outcome first and in a column, so that an IN_DOUBT is seen among many SUCCEEDED. */
const resultLine = ({ commandId, operation, outcome, quoteId, error }: CommandResult): string =>
  [outcome.padEnd(9), commandId, operation, quoteId ?? "", error ? `${error.code}: ${error.message}` : ""]
    .join("  ")
    .trim();

const shownDeadLetter = ({ value, headers }: Incoming): Shown => {
  const shown = textOrBase64(value);
  const added = ["reason", "detail", "cut"].map((name) =>
    textOf(headerValue(headers, `dead-letter-${name}`)),
  );
  const text = typeof shown === "string" ? shown : `${value?.length ?? "no"} bytes`;
  return { value: shown, line: [...added.filter((each) => each !== null), text].join("  ") };
};

/**
 * Follows a topic from now on, or from its beginning. Resolves once the starting point is fixed: no later record is
 * missed. Throws a UsageError when there is no such topic.
 */
export const follow = async (
  services: Services,
  { topic, fromBeginning }: { topic: string; fromBeginning: boolean },
  onRecord: (record: Incoming) => void,
): Promise<{ stop: () => Promise<void> }> => {
  const cluster = await services.connectCluster();
  if (!(await cluster.find([topic])).has(topic)) {
    await cluster.close();
    throw noSuchTopic(topic);
  }
  const ranges = await cluster.ranges(topic);
  /** Where each partition is read on, also where reading starts over. */
  const next = new Map(
    [...ranges].map(([partition, { startOffset, endOffset }]) => [
      partition,
      fromBeginning ? startOffset : endOffset,
    ]),
  );
  const tail = startTail(
    { topic },
    {
      begin: (found) =>
        new Map(
          [...found].map(([partition, { startOffset, endOffset }]) => [
            partition,
            { startOffset: Math.max(startOffset, next.get(partition) ?? 0), endOffset },
          ]),
        ),
      take: (record) => {
        next.set(record.partition, record.offset + 1);
        onRecord(record);
        return true;
      },
    },
    { ...services, ranges: () => Promise.resolve(ranges) },
  );
  return {
    stop: async () => {
      await tail.stop();
      await cluster.close();
    },
  };
};

const watch = async (io: Io, what: What, flags: Flags): Promise<ExitCode> => {
  const { config, services } = openTool(io);
  const { topic, schema } = topicOf(config, what);
  const decode = schema && decoder<never>(readSchema(schema), services.registry, systemClock.monotonic);

  const shown = async (record: Incoming): Promise<Shown> => {
    if (!decode || record.value === null) return shownDeadLetter(record);
    const decoded = await decode(record.value);
    if (!decoded.ok) return { value: null, line: `cannot be decoded: ${decoded.detail}` };
    const value: never = decoded.value;
    return { value, line: what === "events" ? eventLine(value) : resultLine(value) };
  };

  const print = async (record: Incoming): Promise<void> => {
    const { partition, offset, key } = record;
    const timestamp = iso(record.timestampMs);
    const { value, line } = await shown(record);
    const headers = headersOf(record.headers);
    if (flags.json)
      io.out(JSON.stringify({ topic, partition, offset, timestamp, key: textOrBase64(key), headers, value }));
    else io.out(`${timestamp}  ${partition}/${offset}  ${escapeInvisible(line)}`);
  };

  /** Decodes one record after the other, so that they are printed in order. */
  let printed: Promise<void> = Promise.resolve();
  const take = (record: Incoming): void => {
    const place = `${topic} ${record.partition}/${record.offset}`;
    printed = printed
      .then(() => print(record))
      .catch((error: unknown) => io.err(`The record at ${place} is not shown: ${messageOf(error)}`));
  };
  const options = { topic, fromBeginning: flags.fromBeginning === true };
  const following = await explainOutage(config, follow(services, options, take), io.stopped);
  const from = options.fromBeginning ? "its beginning" : "now on (--from-beginning shows what is there)";
  io.err(`Following ${topic} from ${from}; Ctrl-C ends it.`);
  await untilAborted(io.stopped);
  await following.stop();
  await printed;
  return EXIT.done;
};

export const watchCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("watch")
    .description("Follow a topic, decoded, until Ctrl-C.")
    .addArgument(new Argument("<what>", "what to follow").choices(WHAT))
    .option("--json", "print one JSON object a line")
    .option("--from-beginning", "begin with the oldest record instead of the next one")
    .addHelpText("after", examples("watch events", "watch results --from-beginning --json"))
    .action(async (what: What, flags: Flags) => exit(await watch(io, what, flags)));
