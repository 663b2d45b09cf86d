import { distance } from "fastest-levenshtein";
import type { Problem } from "./config.ts";
import type { Setting } from "./setting.ts";

/** An unknown variable with one of these prefixes is most likely a misspelt setting: a problem. */
const OWN_PREFIXES = ["PARTNER_", "WEBHOOK_", "COMMANDS_", "RECONCILE_", "CONSOLE_", "TOPIC_"];
/** Other software uses these prefixes too: only a warning. */
const SHARED_PREFIXES = ["KAFKA_", "SCHEMA_REGISTRY_", "MANAGEMENT_"];

/** Variables that Kubernetes injects for a service whose name has such a prefix. */
const INJECTED = /(_SERVICE_HOST|_SERVICE_PORT(_.*)?|_PORT|_PORT_\d+_.*)$/;

const nearest = (name: string, known: readonly string[]): string =>
  known.reduce((best, candidate) => (distance(name, candidate) < distance(name, best) ? candidate : best));

/** Variables that look like settings but are none, except those that Kubernetes injects. */
export const unknownVariables = (
  names: readonly string[],
  rows: readonly Setting<unknown>[],
): { refused: Problem[]; warned: Problem[] } => {
  const known = rows.flatMap((row) => (row.secret ? [row.env, `${row.env}_FILE`] : [row.env]));
  const knownSet = new Set(known);
  const unknown = (prefixes: readonly string[]): Problem[] =>
    names
      .filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
      .filter((name) => !knownSet.has(name) && !INJECTED.test(name))
      .map((name) => ({
        variable: name,
        message: `is not a setting of cambio-bridge: did you mean ${nearest(name, known)}?`,
      }));
  return { refused: unknown(OWN_PREFIXES), warned: unknown(SHARED_PREFIXES) };
};
