import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { objectOf, parseJson } from "../../runtime/json-object.ts";
import { registrar } from "./registrar.ts";
import { askRegistry, type RegistryOptions } from "./registry-http.ts";
import type { Schema } from "./schemas.ts";
import { untilKnown } from "./until-known.ts";
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
  /**
   * Registers the schema. A new subject gets the compatibility level BACKWARD, unless it has one; an existing
   * one keeps what it has.
   */
  register(subject: string, schema: Schema): Promise<number>;
  /** The writer's schema by its id; null when the registry does not know the id. Asked once for all who wait. */
  writer(id: number): Promise<RegisteredSchema | null>;
};

const MAX_REFERENCES = 64;

/** Concurrent calls with the same key share one. */
const shared = <K, T>(ask: (key: K) => Promise<T>): ((key: K) => Promise<T>) => {
  const underWay = new Map<K, Promise<T>>();
  return (key) => {
    const same = underWay.get(key);
    if (same) return same;
    const asked = ask(key).finally(() => underWay.delete(key));
    underWay.set(key, asked);
    return asked;
  };
};

type Reference = { subject: string; version: number };
type LatestSchema = { id: number; text: string; kind: string | null; references: readonly Reference[] };

const referenceOf = (value: unknown): Reference => {
  const { subject, version } = objectOf(value) ?? {};
  if (typeof subject === "string" && typeof version === "number") return { subject, version };
  throw new Error("the schema registry gave a reference without a subject or version");
};

const idOf = (answer: unknown): number => {
  const id = objectOf(answer)?.id;
  if (typeof id === "number") return id;
  throw new Error("the schema registry answered without an id");
};

const schemaOf = (answer: unknown): Omit<LatestSchema, "id"> => {
  const { schema, schemaType, references } = objectOf(answer) ?? {};
  if (typeof schema !== "string") throw new Error("the schema registry answered without a schema");
  return {
    text: schema,
    kind: typeof schemaType === "string" ? schemaType : null,
    references: Array.isArray(references) ? references.map(referenceOf) : [],
  };
};

/** A schema without its `doc` attributes. */
const withoutDocs = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDocs);
  const object = objectOf(value);
  if (object === null) return value;
  const entries = Object.entries(object).filter(([name]) => name !== "doc");
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutDocs(inner)]));
};

const isSame = (text: string, schema: Schema): boolean =>
  isDeepStrictEqual(withoutDocs(parseJson(text)), withoutDocs(schema.json));

/** Some registries show their default, mostly NONE, as the level of a subject that has none. */
const WEAKER: ReadonlySet<string | null> = new Set([null, "NONE"]);

/** Waits for a schema that the registry does not know yet. All who ask for the same id meanwhile share one wait. */
export const patientWriter = (
  { writer }: Pick<Registry, "writer">,
  clock: Pick<Clock, "sleep">,
): Registry["writer"] => shared((id) => untilKnown(() => writer(id), clock));

export const connectRegistry = (options: RegistryOptions, clock: Clock): Registry => {
  const ask = askRegistry(options, clock);
  const register = registrar(options, clock);
  const pathOf = (subject: string): string => `/subjects/${encodeURIComponent(subject)}`;
  const configPathOf = (subject: string): string => `/config/${encodeURIComponent(subject)}`;

  /** A subject's own compatibility level; null if it has none, or the registry does not know it. */
  const levelOf = async (subject: string): Promise<string | null> => {
    const { compatibilityLevel, compatibility } = objectOf(await ask("GET", configPathOf(subject))) ?? {};
    const level = compatibilityLevel ?? compatibility;
    return typeof level === "string" ? level.toUpperCase() : null;
  };

  /** Adds the texts of the references to `found`, by path, dependencies first. */
  const collectReferences = async (
    references: readonly Reference[],
    found: Map<string, string>,
  ): Promise<void> => {
    for (const { subject, version } of references) {
      const path = `${pathOf(subject)}/versions/${version}`;
      if (found.has(path)) continue;
      const answer = found.size < MAX_REFERENCES ? await ask("GET", path) : null;
      // Too many, or unknown: the schema fails to parse without it, which names what is missing.
      if (answer === null) continue;
      const { text, references: inner } = schemaOf(answer);
      // Set twice: here to end cycles, and below to come after its own dependencies.
      found.set(path, text);
      await collectReferences(inner, found);
      found.delete(path);
      found.set(path, text);
    }
  };

  const registered = async ({
    text,
    kind,
    references,
  }: Omit<LatestSchema, "id">): Promise<RegisteredSchema> => {
    const found = new Map<string, string>();
    await collectReferences(references, found);
    return { text, kind, references: [...found.values()] };
  };

  const latest = async (subject: string): Promise<LatestSchema | null> => {
    const answer = await ask("GET", `${pathOf(subject)}/versions/latest`);
    return answer === null ? null : { id: idOf(answer), ...schemaOf(answer) };
  };

  const writer = async (id: number): Promise<RegisteredSchema | null> => {
    const answer = await ask("GET", `/schemas/ids/${id}`);
    return answer === null ? null : registered(schemaOf(answer));
  };

  const bodyOf = (schema: Schema) => ({ schema: JSON.stringify(schema.json) });

  return {
    writer: shared(writer),
    find: async (subject, schema) => {
      const exact = await ask("POST", `${pathOf(subject)}?normalize=true`, bodyOf(schema));
      if (exact !== null) return idOf(exact);
      // Not every registry supports `normalize`.
      const there = await latest(subject);
      return there !== null && isSame(there.text, schema) ? there.id : null;
    },
    incompatibility: async (subject, schema) => {
      const there = await latest(subject);
      if (there === null) return null;
      const { text, references } = await registered(there);
      try {
        schema.type.createResolver(parseSchema([...references, text]).type);
        return null;
      } catch (error) {
        return `it does not read what schema ${there.id} wrote (${messageOf(error)})`;
      }
    },
    register: async (subject, schema) => {
      const before = await levelOf(subject);
      const id = await register(subject, schema, before);
      if (before !== null) return id;
      // A replica of the registry knows neither versions nor levels before it has read them. So it is asked for the
      // level again when it shows the version; that a subject beyond its first has none is not believed.
      const shown = await untilKnown(() => ask("POST", pathOf(subject), bodyOf(schema)), clock);
      if (objectOf(shown)?.version === 1 && WEAKER.has(await levelOf(subject)))
        await ask("PUT", configPathOf(subject), { compatibility: "BACKWARD" });
      return id;
    },
  };
};
