import { Argument, type Command } from "commander";
import type { Incoming } from "../kafka/record.ts";
import { decoder } from "../kafka/schema/codec.ts";
import { readSchema } from "../kafka/schema/schemas.ts";
import { follow } from "../operate/follow.ts";
import type { Tools } from "../operate/tools.ts";
import { messageOf } from "../runtime/errors.ts";
import { iso } from "../runtime/instant.ts";
import { escapeInvisible } from "../runtime/invisible.ts";
import { headerTexts, textOrBase64 } from "./bytes.ts";
import { lineOf, newCommand, untilAborted, type Io, type Row } from "./io.ts";
import { withTool } from "./tool.ts";

type Flags = { json?: boolean; fromBeginning?: boolean };

/** What stands in a line. The outcome first, so that an IN_DOUBT is seen among many SUCCEEDED. */
const COLUMNS = {
  events: ["transactionId", "status", "stage", "direction"],
  results: ["outcome", "commandId", "operation", "quoteId", "error"],
  "dead-letters": ["dead-letter-reason", "dead-letter-detail", "dead-letter-cut", "value"],
} as const;
type What = keyof typeof COLUMNS;

const topicOf = ({ config: { topics }, registry, clock, warn }: Tools, what: What) => {
  if (what === "dead-letters")
    return { topic: topics.deadLetters, read: ({ value }: Incoming) => textOrBase64(value) };
  const isEvents = what === "events";
  const schema = readSchema(isEvents ? "transaction-status-updated" : "command-result");
  const decode = decoder<Row>(schema, { registry, clock });
  const read = async ({ partition, offset, value }: Incoming): Promise<Row | null> => {
    if (value === null) return null;
    const decoded = await Promise.resolve(value)
      .then(decode)
      .catch((error: unknown) => ({ ok: false, detail: messageOf(error) }) as const);
    if (decoded.ok) return decoded.value;
    warn(`The value at ${partition}/${offset} cannot be decoded: ${decoded.detail}`);
    return null;
  };
  return { topic: isEvents ? topics.transactionStatus : topics.results, read };
};

const watch = (io: Io, what: What, { json = false, fromBeginning = false }: Flags): Promise<void> =>
  withTool(io, async (tools) => {
    const { topic, read } = topicOf(tools, what);
    const print = async (record: Incoming): Promise<void> => {
      const { partition, offset, key } = record;
      const timestamp = iso(record.timestampMs);
      const value = await read(record);
      const headers = headerTexts(record.headers);
      const whole = { topic, partition, offset, timestamp, key: textOrBase64(key), headers, value };
      const row = what === "dead-letters" ? { ...headers, value } : ((value ?? {}) as Row);
      const line = `${timestamp}  ${partition}/${offset}  ${escapeInvisible(lineOf(row, COLUMNS[what]))}`;
      io.out(json ? JSON.stringify(whole) : line);
    };
    const take = (record: Incoming): Promise<void> =>
      print(record).catch((error: unknown) => {
        const place = `${topic} ${record.partition}/${record.offset}`;
        io.err(`The record at ${place} is not shown: ${messageOf(error)}`);
      });
    const healed = fromBeginning ? "whole" : "fromItsEnd";
    const following = await follow(tools, { topic, fromBeginning, healed }, take);
    const from = fromBeginning ? "its beginning" : "now on (--from-beginning shows what is there)";
    io.err(`Following ${topic} from ${from}; Ctrl-C ends it.`);
    await untilAborted(io.stopped);
    await following.stop();
  });

export const watchCommand = (io: Io): Command =>
  newCommand(
    "watch",
    "Follow a topic, decoded, until Ctrl-C.",
    "watch events",
    "watch results --from-beginning --json",
  )
    .addArgument(new Argument("<what>", "what to follow").choices(Object.keys(COLUMNS)))
    .option("--json", "print one JSON object a line")
    .option("--from-beginning", "begin with the oldest record instead of the next one")
    .action((what: What, flags: Flags) => watch(io, what, flags));
