import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { objectOf, parseJson } from "../../runtime/json-object.ts";
import { registrar } from "./registrar.ts";
import { askRegistry, type RegistryOptions } from "./registry-http.ts";
import type { Schema } from "./schemas.ts";
import { parseSchema, type RegisteredSchema } from "./writer-schema.ts";

/**
 * The schema registry. Every request is bounded in time; rejects when the registry does not answer or answers
 * with an error.
 */
export type Registry = {
  /** The id of this schema under the subject, whatever its formatting; null when it is not registered. */
  find(subject: string, schema: Schema): Promise<number | null>;
  /** Why this schema cannot read records of the subject's latest schema; null when it can. */
  incompatibility(subject: string, schema: Schema): Promise<string | null>;
  register(subject: string, schema: Schema): Promise<number>;
  /** The writer's schema by its id; null when the registry does not know the id. */
  writer(id: number): Promise<RegisteredSchema | null>;
};

/** 30 seconds in all: a registry that has just started, or copies another one, knows late what it has. */
const AGAIN_AFTER_MS = [500, 1_000, 2_000, 4_000, 8_000, 14_500];

/** Waits for a schema that the registry does not know yet. All who ask for the same id meanwhile share one wait. */
export const patientWriter = (
  { writer }: Pick<Registry, "writer">,
  clock: Pick<Clock, "sleep">,
): Registry["writer"] => {
  const underWay = new Map<number, Promise<RegisteredSchema | null>>();
  const untilKnown = async (id: number): Promise<RegisteredSchema | null> => {
    for (const waitMs of AGAIN_AFTER_MS) {
      const registered = await writer(id);
      if (registered !== null) return registered;
      await clock.sleep(waitMs);
    }
    return writer(id);
  };
  return (id) => {
    const same = underWay.get(id);
    if (same) return same;
    const answer = untilKnown(id).finally(() => underWay.delete(id));
    underWay.set(id, answer);
    return answer;
  };
};

const idOf = (answer: unknown): number => {
  const id = objectOf(answer)?.id;
  if (typeof id === "number") return id;
  throw new Error("the schema registry answered without an id");
};

const schemaOf = (answer: unknown): RegisteredSchema => {
  const { schema, schemaType } = objectOf(answer) ?? {};
  if (typeof schema !== "string") throw new Error("the schema registry answered without a schema");
  return { text: schema, kind: typeof schemaType === "string" ? schemaType : null };
};

/** A schema without its `doc` attributes: a patch of the bridge may word them anew. */
const withoutDocs = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDocs);
  const object = objectOf(value);
  if (object === null) return value;
  const entries = Object.entries(object).filter(([name]) => name !== "doc");
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutDocs(inner)]));
};

export const connectRegistry = (options: RegistryOptions, clock: Clock): Registry => {
  const ask = askRegistry(options, clock);
  const register = registrar(options, clock);
  const pathOf = (subject: string): string => `/subjects/${encodeURIComponent(subject)}`;
  /** A subject's compatibility level; null if it has none, or the registry does not know it. */
  const levelOf = async (subject: string): Promise<string | null> => {
    const answer = objectOf(await ask("GET", `/config/${encodeURIComponent(subject)}`));
    const level = answer?.compatibilityLevel ?? answer?.compatibility;
    return typeof level === "string" ? level.toUpperCase() : null;
  };
  const latest = async (subject: string) => {
    const answer = await ask("GET", `${pathOf(subject)}/versions/latest`);
    if (answer === null) return null;
    const { text } = schemaOf(answer);
    return { id: idOf(answer), text, json: parseJson(text) };
  };
  const bodyOf = (schema: Schema) => ({ schema: JSON.stringify(schema.json) });

  return {
    writer: async (id) => {
      const answer = await ask("GET", `/schemas/ids/${id}`);
      return answer === null ? null : schemaOf(answer);
    },
    find: async (subject, schema) => {
      const match = await ask("POST", `${pathOf(subject)}?normalize=true`, bodyOf(schema));
      if (match !== null) return idOf(match);
      // Not every registry supports `normalize`.
      const latestSchema = await latest(subject);
      const isSame = isDeepStrictEqual(withoutDocs(latestSchema?.json), withoutDocs(schema.json));
      return latestSchema && isSame ? latestSchema.id : null;
    },
    incompatibility: async (subject, schema) => {
      const latestSchema = await latest(subject);
      if (latestSchema === null) return null;
      try {
        schema.type.createResolver(parseSchema(latestSchema.text).type);
        return null;
      } catch (error) {
        return `it does not read what schema ${latestSchema.id} wrote (${messageOf(error)})`;
      }
    },
    register: async (subject, schema) => register(subject, schema, await levelOf(subject)),
  };
};
