import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { COMPATIBILITY, SchemaRegistry, SchemaType } from "@kafkajs/confluent-schema-registry";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { redacted } from "../sign-in/sign-in-error.ts";
import { secretsOf, requestHeaders } from "./registry-headers.ts";
import { RegistryError, type RegistryOptions } from "./registry-http.ts";
import type { Schema } from "./schemas.ts";

/**
 * Registers a schema and gives its id. `level` is the subject's own compatibility level; a subject without
 * one (null) gets BACKWARD. Rejects, in bounded time, with the registry's reason.
 */
export type RegisterSchema = (subject: string, schema: Schema, level: string | null) => Promise<number>;

const TIMEOUT_MS = 10_000;

const statusOf = (error: unknown): string =>
  error instanceof Error && "status" in error ? ` ${String(error.status)}` : "";

/**
 * Uses the client library for registration only: its look-ups have no time limit and take every 404 for an
 * answer.
 */
export const registrar = (options: RegistryOptions, clock: Clock): RegisterSchema => {
  const { url, ca } = options;
  const agentOptions = { timeout: TIMEOUT_MS, ...(ca !== undefined && { ca }) };
  return async (subject, schema, level) => {
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
        client.register(wire, { subject, compatibility }),
      );
      return id;
    } catch (error) {
      // Without the cause: its message is the registry's, unredacted.
      const reason = redacted(messageOf(error), secretsOf(options, headers));
      throw new RegistryError(`the schema registry answered${statusOf(error)} (${reason})`);
    }
  };
};
