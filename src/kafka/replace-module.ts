import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const pathOf = (name: string): string => `kafkajs/src/protocol/${name}.js`;

/**
 * Puts a module of kafkajs's own in place of another one, in Node's cache of CommonJS modules. For what kafkajs has
 * no door for:
 * - `produce/produce-request.ts`: batches that are encoded already, because its own encoder takes four times as long
 * - `consume/record-decoder.ts`: headers as they are, because its own decoder makes an object of them
 *
 * One more change to kafkajs stands in `idle-timers.ts`, which needs a method replaced and no module.
 *
 * What breaks it: another version of kafkajs (package.json pins the exact one; tests of both callers read what was written), one that is bundled or
 * no CommonJS, and a module that was used before it was replaced, which throws here.
 * How to take it out: delete the callers' calls. Then lanes must hand messages instead of batches to `producer.send`, and the reader must
 * make a list of what is left of a record's headers.
 *
 * @param usedBy the modules that take hold of it when they are loaded
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

/** A module of kafkajs's own, for what takes the place of another one. */
export const moduleOf = (name: string): unknown => require(pathOf(name));
