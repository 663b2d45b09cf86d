import { commandDecoder } from "../../commands-to-results/wire/read.ts";
import { explainOutage } from "../../services/outage.ts";
import { createReread } from "../../kafka/consume/reread.ts";
import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { CommandResult } from "../../records.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Connections, Warn } from "../connections.ts";
import type { DeadLetter } from "./letter.ts";
import { sentOf } from "./list.ts";
import { lettersAt, loadLetter, type LoadedLetter } from "./read.ts";
import type { Sent } from "./sent.ts";

/** `loaded` is null if it is gone, `sent` if the audit topic cannot be read. */
export type ShownLetter = {
  letter: DeadLetter;
  loaded: LoadedLetter | null;
  sent: readonly Sent[] | null;
  /** The value as JSON text, where it is an Avro command or result; else null. */
  decoded: string | null;
};

/** Only by the schemas of these two: one that anybody registered may make a few bytes into a huge value. */
const decodedText = async ({ services }: Connections, value: Buffer): Promise<string | null> => {
  const { registry, clock } = services;
  const decoders = [
    commandDecoder(services),
    decoder<CommandResult>(readSchema("command-result"), registry, clock.monotonic),
  ];
  for (const decode of decoders) {
    const decoded = await Promise.resolve(decode(value)).catch(() => null);
    if (decoded?.ok) return JSON.stringify(decoded.value);
  }
  return null;
};

/** One dead letter whole. Null if there is none at this place. */
export const showLetter = (
  connections: Connections,
  place: RecordPosition,
  { warn }: { warn: Warn },
  signal: AbortSignal,
): Promise<ShownLetter | null> => {
  const { config, services } = connections;
  const read = async (): Promise<ShownLetter | null> => {
    const [letter] = await lettersAt(connections, [place], { signal });
    if (!letter) return null;
    const { reread, stop } = createReread(config.topics.deadLetters, services);
    try {
      const loaded = await loadLetter(reread, letter);
      const sent = (await sentOf(connections, [letter], warn, signal))(letter);
      const value = loaded?.original.value ?? null;
      return { letter, loaded, sent, decoded: value && (await decodedText(connections, value)) };
    } finally {
      await stop();
    }
  };
  return explainOutage(config, read(), signal);
};
