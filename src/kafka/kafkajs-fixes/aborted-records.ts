/*
 * kafkajs 2.2.4 delivers records of aborted transactions where those of several producers overlap, and where a record
 * has the key of an abort marker: commands that were taken back would be executed. And a fetch fails for all of its
 * partitions where it fails for one. Mended when "aborted-records.ts" in faults.test.ts fails.
 */
import { replaceModule } from "./replace-module.ts";

/** The parts of kafkajs's decoded fetch response that are used here. */
type Message = {
  offset: string;
  isControlRecord: boolean;
  batchContext: { producerId: string; inTransaction: boolean };
};
type Aborted = { producerId: string; firstOffset: string };
type FetchedPartition = { abortedTransactions: readonly Aborted[]; messages: readonly Message[] };
type Response = { responses: readonly { partitions: FetchedPartition[] }[] };
type ResponseModule = {
  decode: (raw: Buffer) => Promise<Response>;
  parse: (response: Response) => Promise<Response>;
};

/** Versions of the fetch response that name aborted transactions, as far as kafkajs knows them. */
const [FIRST_VERSION, LAST_VERSION] = [4, 11];

/**
 * Marks the records of aborted transactions as control records, which kafkajs hands to nobody: from a transaction's
 * first offset to its producer's next control record.
 */
export const withoutAborted = (partition: FetchedPartition): FetchedPartition => {
  // Brokers list the transactions in the order in which they ended.
  const begins = partition.abortedTransactions.toSorted(
    (a, b) => Number(a.firstOffset) - Number(b.firstOffset),
  );
  const aborting = new Set<string>();
  let next = 0;
  const messages = partition.messages.map((message) => {
    const { offset, isControlRecord, batchContext } = message;
    for (let at = begins[next]; at && Number(at.firstOffset) <= Number(offset); at = begins[++next])
      aborting.add(at.producerId);
    if (isControlRecord) aborting.delete(batchContext.producerId);
    const isAborted = batchContext.inTransaction && aborting.has(batchContext.producerId);
    return isAborted ? { ...message, isControlRecord: true } : message;
  });
  return { ...partition, abortedTransactions: [], messages };
};

/** Keeps the records of aborted transactions from all readers, and leaves the error of each partition to them. */
export const leaveOutAborted = (): void => {
  // kafkajs looks up the module for each request. The last version first: some take their `decode` from the one before.
  for (let version = LAST_VERSION; version >= FIRST_VERSION; version -= 1)
    replaceModule<ResponseModule>(`requests/fetch/v${version}/response`, [], ({ decode }) => ({
      parse: (response) => Promise.resolve(response),
      decode: async (raw) => {
        const response = await decode(raw);
        const responses = response.responses.map((topic) => ({
          ...topic,
          partitions: topic.partitions.map((each) =>
            each.abortedTransactions.length > 0 && each.messages.length > 0 ? withoutAborted(each) : each,
          ),
        }));
        return { ...response, responses };
      },
    }));
};
