import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const pathOf = (name: string): string => `kafkajs/src/protocol/${name}.js`;
const replaced = new Map<string, unknown>();

/**
 * Replaces an internal module of kafkajs in Node's cache of CommonJS modules, once per process.
 *
 * What breaks it: another version of kafkajs (package.json pins the exact one), one that is bundled or not CommonJS,
 * and a module that was loaded before it was replaced, which throws here.
 * @param usedBy the modules that keep a reference to it once they are loaded
 */
export const replaceModule = <Exports>(
  name: string,
  usedBy: readonly string[],
  make: (original: Exports) => Exports,
): void => {
  const original = require(pathOf(name)) as Exports;
  if (replaced.get(name) === original) return;
  const loaded = require.cache[require.resolve(pathOf(name))];
  if (!loaded) throw new Error("kafkajs keeps its modules somewhere else than it did");
  for (const user of usedBy)
    if (require.cache[require.resolve(pathOf(user))])
      throw new Error(`kafkajs has loaded ${user} already: it uses ${name} as it was`);
  loaded.exports = make(original);
  replaced.set(name, loaded.exports);
};

/** An internal module of kafkajs, for use by a replacement. */
export const moduleOf = (name: string): unknown => require(pathOf(name));
