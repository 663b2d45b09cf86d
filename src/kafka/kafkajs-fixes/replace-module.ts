import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const pathOf = (name: string): string => `kafkajs/src/protocol/${name}.js`;

/**
 * Replaces an internal module of kafkajs in Node's cache of CommonJS modules. Used where kafkajs has no extension
 * point:
 * - `produce/produce-request.ts`: sends batches that are already encoded, because kafkajs's encoder takes four times as
 *   long
 * - `produce/produce-response.ts`: keeps the acknowledgements of a request that failed for some partitions, because
 *   kafkajs throws away all of them
 * - `consume/record-decoder.ts`: keeps headers as they are, because kafkajs's decoder turns them into an object
 * - `consume/batch-decoder.ts`: refuses corrupt batches, because kafkajs does not look at their checksums, and delivers
 *   what lies before a batch that cannot be read
 * - `consume/aborted-records.ts`: leaves out all records of aborted transactions, because kafkajs delivers some
 * - `cluster/metadata-response.ts`: takes metadata with partitions that have no leader, because kafkajs rejects the
 *   metadata of all partitions then
 *
 * `idle-timers.ts` changes kafkajs as well; it replaces a method.
 *
 * What breaks it: another version of kafkajs (package.json pins the exact one; tests of all callers show what they do),
 * a kafkajs that is bundled or not CommonJS, and a module that was loaded before it was replaced, which throws here.
 * How to remove it: delete the callers' calls. Then lanes must hand messages instead of batches to `producer.send`, and
 * the reader must build its headers from kafkajs's object. One partition that lacks a leader, or replicas in sync,
 * stops the others again. Commands that were taken back are executed, and those that a disk has changed.
 *
 * @param usedBy the modules that keep a reference to it once they are loaded
 */
export const replaceModule = <Exports>(
  name: string,
  usedBy: readonly string[],
  make: (original: Exports) => Exports,
): void => {
  const original = require(pathOf(name)) as Exports;
  const loaded = require.cache[require.resolve(pathOf(name))];
  if (!loaded) throw new Error("kafkajs keeps its modules somewhere else than it did");
  for (const user of usedBy)
    if (require.cache[require.resolve(pathOf(user))])
      throw new Error(`kafkajs has loaded ${user} already: it uses ${name} as it was`);
  loaded.exports = make(original);
};

/** An internal module of kafkajs, for use by a replacement. */
export const moduleOf = (name: string): unknown => require(pathOf(name));
