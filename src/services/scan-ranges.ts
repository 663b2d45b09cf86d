import { scan, type TakeRecord } from "../kafka/consume/scan.ts";
import type { Ranges } from "../kafka/consume/tail.ts";
import type { Services } from "./services.ts";

/** Reads these ranges of a topic once, see `scan`. @param purpose names the consumer group */
export const scanRanges = (
  { services, signal }: { services: Services; signal: AbortSignal },
  { topic, purpose, ranges }: { topic: string; purpose: string; ranges: Ranges },
  take: TakeRecord,
): Promise<void> => scan({ ...services.ownReader(topic, purpose), ranges }, take, services, signal);
