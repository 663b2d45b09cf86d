import { distance } from "fastest-levenshtein";
import type { Problem } from "./config.ts";
import type { Setting } from "./setting.ts";

/** A stranger with one of these beginnings is most likely a misspelt setting of ours, and stops the start. */
const OURS = ["PARTNER_", "WEBHOOK_", "COMMANDS_", "RECONCILE_", "CONSOLE_", "TOPIC_"];
/** These beginnings are shared with other software: a stranger is only worth a warning. */
const SHARED = ["KAFKA_", "SCHEMA_REGISTRY_", "MANAGEMENT_"];

/** What Kubernetes injects for a service that happens to bear such a name. */
const INJECTED = /(_SERVICE_HOST|_SERVICE_PORT(_.*)?|_PORT|_PORT_\d+_.*)$/;

const nearest = (name: string, known: readonly string[]): string =>
  known.reduce((best, candidate) => (distance(name, candidate) < distance(name, best) ? candidate : best));

/** Variables that look like settings and are none, apart from those that Kubernetes makes by itself. */
export const unknownVariables = (
  names: readonly string[],
  rows: readonly Setting<unknown>[],
): { refused: Problem[]; warned: Problem[] } => {
  const known = rows.flatMap((row) => (row.secret ? [row.env, `${row.env}_FILE`] : [row.env]));
  const knownSet = new Set(known);
  const unknown = (beginnings: readonly string[]): Problem[] =>
    names
      .filter((name) => beginnings.some((beginning) => name.startsWith(beginning)))
      .filter((name) => !knownSet.has(name) && !INJECTED.test(name))
      .map((name) => ({
        variable: name,
        message: `is not a setting of cambio-bridge: did you mean ${nearest(name, known)}?`,
      }));
  return { refused: unknown(OURS), warned: unknown(SHARED) };
};
