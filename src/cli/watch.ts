import { Argument, Command } from "commander";
import { explainOutage } from "../services/outage.ts";
import type { Services } from "../services/services.ts";
import { noSuchTopic } from "../services/with-cluster.ts";
import { startTail } from "../kafka/consume/tail.ts";
import { decoder } from "../kafka/schema/codec.ts";
import { eachHeader, headerValue } from "../kafka/headers.ts";
import type { EncodedHeaders, Incoming } from "../kafka/record.ts";
import { readSchema, type RecordName } from "../kafka/schema/schemas.ts";
import type { Connections } from "../operate/connections.ts";
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
/** What is shown of a value: whole as JSON, or in a line. */
type Shown = { value: unknown; line: string };
type Followed = { topic: string; show: (record: Incoming) => Shown | Promise<Shown> };

/** Values by name; a repeated header has a list of them. */
const headersOf = (headers: EncodedHeaders): Record<string, unknown> => {
  const byName = new Map<string, unknown[]>();
  for (const [bytes, value] of eachHeader(headers)) {
    const name = bytes.toString("utf8");
    byName.set(name, [...(byName.get(name) ?? []), textOrBase64(value)]);
  }
  return Object.fromEntries(
    [...byName].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
};

const eventLine = (event: TransactionStatusUpdated): string =>
  [event.transactionId, event.status, event.stage, event.direction, event.outOfOrder ? "out of order" : ""]
    .join("  ")
    .trim();

/** The outcome first and in a column, so that an IN_DOUBT is seen among many SUCCEEDED. */
const resultLine = ({ commandId, operation, outcome, quoteId, error }: CommandResult): string =>
  [outcome.padEnd(9), commandId, operation, quoteId ?? "", error ? `${error.code}: ${error.message}` : ""]
    .join("  ")
    .trim();

const showDeadLetter = ({ value, headers }: Incoming): Shown => {
  const shown = textOrBase64(value);
  const added = ["reason", "detail", "cut"].flatMap(
    (name) => headerValue(headers, `dead-letter-${name}`)?.toString("utf8") ?? [],
  );
  const text = typeof shown === "string" ? shown : `${value?.length ?? "no"} bytes`;
  return { value: shown, line: [...added, text].join("  ") };
};

/** What can be followed. */
const followed = ({ config: { topics }, services: { registry } }: Connections) => {
  const decoding = (schema: RecordName, lineOf: (value: never) => string): Followed["show"] => {
    const decode = decoder<never>(readSchema(schema), registry, systemClock.monotonic);
    return async ({ value: bytes }) => {
      if (bytes === null) return { value: null, line: "no bytes" };
      const decoded = await decode(bytes);
      if (!decoded.ok) return { value: null, line: `cannot be decoded: ${decoded.detail}` };
      return { value: decoded.value, line: lineOf(decoded.value) };
    };
  };
  return {
    events: { topic: topics.transactionStatus, show: decoding("transaction-status-updated", eventLine) },
    results: { topic: topics.results, show: decoding("command-result", resultLine) },
    "dead-letters": { topic: topics.deadLetters, show: showDeadLetter },
  } satisfies Record<What, Followed>;
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
  const tool = openTool(io);
  const { config, services } = tool;
  const { topic, show } = followed(tool)[what];

  const print = async (record: Incoming): Promise<void> => {
    const { partition, offset, key } = record;
    const timestamp = iso(record.timestampMs);
    const { value, line } = await show(record);
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
