/*
 * kafkajs 2.2.4 throws the first partition's error, and with it the acknowledgements of the other ones: their records
 * would be written again at each retry. Mended when "partial-acknowledgements.ts" in faults.test.ts fails.
 */
import { replaceModule } from "./replace-module.ts";

/** A partition's part of kafkajs's decoded produce response. */
type PartitionAnswer = { errorCode: number };
type Response = { topics: readonly { partitions: readonly PartitionAnswer[] }[] };
type ResponseModule = { decode: unknown; parse: (response: Response) => Promise<Response> };

/**
 * Errors of the records or of the in-sync replicas: REQUEST_TIMED_OUT, MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE,
 * NOT_ENOUGH_REPLICAS (also after the append), INVALID_RECORD. For all others kafkajs must see an exception: it looks
 * up the leaders again then.
 */
const OF_ONE_PARTITION: readonly number[] = [7, 10, 18, 19, 20, 87];

/** Makes kafkajs hand over the error codes of partitions when others were written. */
export const keepAcknowledgements = (): void => {
  replaceModule<ResponseModule>(
    "requests/produce/v3/response",
    ["requests/produce/v4/response", "requests/produce/v5/response"],
    ({ decode, parse }) => ({
      decode,
      parse: (response) => {
        const codes = response.topics.flatMap(({ partitions }) =>
          partitions.map(({ errorCode }) => errorCode),
        );
        const areWritten = codes.includes(0);
        const isPartial = codes.every((code) => code === 0 || OF_ONE_PARTITION.includes(code));
        return areWritten && isPartial ? Promise.resolve(response) : parse(response);
      },
    }),
  );
};
