import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import { newPartitioner } from "../../kafka/produce/partitioner.ts";
import type { CommandResult } from "../../records.ts";
import type { ToolServices } from "../tool-services.ts";
import { mayHold, NOTHING, readTopic } from "../read-topic.ts";
import type { ResolveOutcome } from "./outcome.ts";

/** Clocks of replicas may differ, and a transaction of this accept has no event long before its claim. */
const BEFORE_MS = 900_000;

/** Why a transaction cannot be that of a doubt: it has no event since the claim, or another result names it. */
export const transactionFault = async (
  services: ToolServices,
  transactionId: string,
  { commandId, claimedAtMs }: { commandId: string; claimedAtMs: number },
  signal: AbortSignal,
): Promise<Extract<ResolveOutcome, { kind: "otherTransaction" }> | null> => {
  const { topics } = services.config;
  const fromMs = claimedAtMs - BEFORE_MS;
  const key = Buffer.from(transactionId);
  const choose = newPartitioner();
  const known = { hasEvent: false, otherCommandId: null as string | null };
  await readTopic(
    services,
    {
      topic: topics.transactionStatus,
      fromMs,
      narrow: (range, partition, partitions) => (choose(key, partitions) === partition ? range : NOTHING),
    },
    (record) => void (known.hasEvent ||= record.key?.equals(key) === true),
    { signal },
  );
  if (!known.hasEvent) return { kind: "otherTransaction", transactionId, commandId: null };

  const decode = decoder<CommandResult>(readSchema("command-result"), services);
  await readTopic(
    services,
    { topic: topics.results, fromMs },
    async ({ value }) => {
      if (value === null || !mayHold(value, key)) return;
      const decoded = await decode(value);
      if (!decoded.ok || decoded.value.transactionId !== transactionId) return;
      if (decoded.value.commandId !== commandId) known.otherCommandId = decoded.value.commandId;
    },
    { signal },
  );
  const { otherCommandId } = known;
  return otherCommandId === null
    ? null
    : { kind: "otherTransaction", transactionId, commandId: otherCommandId };
};
