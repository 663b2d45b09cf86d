import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { COMPATIBILITY, SchemaRegistry, SchemaType } from "@kafkajs/confluent-schema-registry";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { redacted } from "../sign-in/sign-in-error.ts";
import { RegistryError, requestHeaders, secretsOf, type RegistryOptions } from "./registry-http.ts";
import type { Schema } from "./schemas.ts";

const TIMEOUT_MS = 10_000;

const NOT_FOUND =
  "the schema registry answered 404 to a registration: see that its URL is right, and that this user " +
  "may register schemas";

const statusOf = (error: unknown): number | null =>
  error instanceof Error && "status" in error && typeof error.status === "number" ? error.status : null;

/**
 * Uses the client library for registration only: its look-ups have no time limit and take every 404 for an answer.
 * Gives what registers a schema, and gives its id. `level` is the subject's own compatibility level, null for none; it
 * is left as it is. Rejects, in bounded time, with the registry's reason.
 */
export const registrar = (options: RegistryOptions, clock: Clock) => {
  const { url, ca } = options;
  const agentOptions = { timeout: TIMEOUT_MS, ...(ca !== undefined && { ca }) };
  return async (subject: string, schema: Schema, level: string | null): Promise<number> => {
    const headers = await requestHeaders(options).catch((error: unknown) => {
      throw new RegistryError(`the schema registry cannot be asked: ${messageOf(error)}`, { cause: error });
    });
    const client = new SchemaRegistry({
      host: url,
      retry: { retries: 0 },
      agent: url.startsWith("https:") ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions),
      middlewares: [() => ({ prepareRequest: async (next) => (await next()).enhance({ headers }) })],
    });
    const compatibility =
      Object.values(COMPATIBILITY).find((known) => known === level) ?? COMPATIBILITY.BACKWARD;
    const wire = { type: SchemaType.AVRO as const, schema: JSON.stringify(schema.json) };
    try {
      const { id } = await clock.withDeadline(TIMEOUT_MS, undefined, () =>
        // It would set the level of each subject that a registry, just started, does not know yet.
        client.register(wire, { subject, compatibility, updateConfig: false }),
      );
      return id;
    } catch (error) {
      const status = statusOf(error);
      if (status === 404) throw new RegistryError(NOT_FOUND, { status });
      // Without the cause: its message is the registry's, unredacted.
      const reason = redacted(
        messageOf(error).replace(/^Confluent_Schema_Registry - /, ""),
        secretsOf(options, headers),
      );
      throw new RegistryError(`the schema registry answered ${status ?? "nothing"} (${reason})`, { status });
    }
  };
};
