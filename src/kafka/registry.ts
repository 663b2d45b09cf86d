import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { COMPATIBILITY, SchemaRegistry, SchemaType } from "@kafkajs/confluent-schema-registry";
import type avro from "avsc";
import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import type { Schema } from "./schemas.ts";

export type RegistryOptions = {
  url: string;
  auth: { username: string; password: string } | null;
  /** CA certificates, PEM. */
  ca: string | undefined;
};

/** The schema registry, every question bounded in time. Rejects when it cannot be reached. */
export type Registry = {
  /** The id under which exactly this schema is registered for the subject; null when it is not. */
  find(subject: string, schema: Schema): Promise<number | null>;
  /** Why readers with this schema could not read what the subject's latest schema wrote; null when they can. */
  incompatibility(subject: string, schema: Schema): Promise<string | null>;
  /** Registers the schema; a subject without a compatibility level of its own gets BACKWARD. */
  register(subject: string, schema: Schema): Promise<number>;
  /** The schema that a producer wrote with; null when the registry knows no such id. */
  writer(id: number): Promise<avro.Type | null>;
};

const TIMEOUT_MS = 5_000;

/** BACKWARD first: it is what a subject without a level gets. */
const LEVELS = [
  COMPATIBILITY.BACKWARD,
  ...Object.values(COMPATIBILITY).filter((level) => level !== COMPATIBILITY.BACKWARD),
];

/** The client does not export its error classes. */
const isAboutLevel = (error: unknown): boolean =>
  error instanceof Error && error.name === "ConfluentSchemaRegistryCompatibilityError";

const isNotFound = (error: unknown): boolean =>
  error instanceof Error &&
  // The client wraps a 404 of a look-up, and nothing else, in its base class.
  (("status" in error && error.status === 404) || error.name === "ConfluentSchemaRegistryError");

/** Two schemas that say the same, whatever their white space and documentation. */
const isSame = (a: avro.Type, b: avro.Type): boolean =>
  JSON.stringify(a.schema()) === JSON.stringify(b.schema());

export const connectRegistry = (options: RegistryOptions, clock: Clock): Registry => {
  const agentOptions = {
    keepAlive: false,
    timeout: TIMEOUT_MS,
    ...(options.ca !== undefined && { ca: options.ca }),
  };
  const client = new SchemaRegistry({
    host: options.url,
    retry: { retries: 0 },
    agent: options.url.startsWith("https:") ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions),
    ...(options.auth && { auth: options.auth }),
  });
  const bounded = <T>(ask: () => Promise<T>): Promise<T> => clock.withDeadline(TIMEOUT_MS, undefined, ask);
  const orNull = async <T>(ask: () => Promise<T>): Promise<T | null> => {
    try {
      return await bounded(ask);
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  };
  const wire = (schema: Schema) => ({ type: SchemaType.AVRO as const, schema: JSON.stringify(schema.json) });
  // Of this library's schema types only Avro's is an avsc type.
  const writer = async (id: number): Promise<avro.Type | null> =>
    (await orNull(() => client.getSchema(id))) as avro.Type | null;

  const latest = async (subject: string): Promise<{ id: number; type: avro.Type } | null> => {
    const id = await orNull(() => client.getLatestSchemaId(subject));
    const type = id === null ? null : await writer(id);
    return id === null || type === null ? null : { id, type };
  };

  return {
    writer,
    find: async (subject, schema) => {
      const exact = await orNull(() => client.getRegistryIdBySchema(subject, wire(schema)));
      if (exact !== null) return exact;
      // Some registries compare texts. Somebody else may have registered the same schema formatted differently.
      const there = await latest(subject);
      return there !== null && isSame(there.type, schema.type) ? there.id : null;
    },
    incompatibility: async (subject, schema) => {
      const there = await latest(subject);
      if (there === null) return null;
      try {
        schema.type.createResolver(there.type);
        return null;
      } catch (error) {
        return `it does not read what schema ${there.id} wrote (${messageOf(error)})`;
      }
    },
    register: async (subject, schema) => {
      // The client refuses to register unless it is told the level that the subject has, and cannot be asked for it.
      for (const compatibility of LEVELS) {
        try {
          return (await bounded(() => client.register(wire(schema), { subject, compatibility }))).id;
        } catch (error) {
          if (!isAboutLevel(error)) throw error;
        }
      }
      throw new Error(`subject ${subject} has a compatibility level that is not known`);
    },
  };
};
