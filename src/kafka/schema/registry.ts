import { isDeepStrictEqual } from "node:util";
import { COMPATIBILITY } from "@kafkajs/confluent-schema-registry";
import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { objectOf, parseJson } from "../../runtime/json.ts";
import { askRegistry, registrar, type RegistryOptions } from "./registry-http.ts";
import type { Schema } from "./schemas.ts";
import { parseSchema } from "./writer-schema.ts";

export type Registry = ReturnType<typeof connectRegistry>;

/** 30 seconds in all: a registry that has just started, or copies another one, knows late what it has. */
const AGAIN_AFTER_MS = [500, 1_000, 2_000, 4_000, 8_000, 14_500];

/** Waits for a schema that the registry does not know yet. All who ask for the same id meanwhile share one wait. */
export const patientWriter = ({ writer }: Pick<Registry, "writer">, clock: Pick<Clock, "sleep">) => {
  const underWay = new Map<number, Promise<string | null>>();
  const untilKnown = async (id: number): Promise<string | null> => {
    for (const waitMs of AGAIN_AFTER_MS) {
      const text = await writer(id);
      if (text !== null) return text;
      await clock.sleep(waitMs);
    }
    return writer(id);
  };
  return (id: number): Promise<string | null> => {
    const answer = underWay.get(id) ?? untilKnown(id).finally(() => underWay.delete(id));
    underWay.set(id, answer);
    return answer;
  };
};

const idOf = (answer: unknown): number => {
  const id = objectOf(answer)?.["id"];
  if (typeof id === "number") return id;
  throw new Error("the schema registry answered without an id");
};

const textOf = (answer: unknown): string => {
  const text = objectOf(answer)?.["schema"];
  if (typeof text === "string") return text;
  throw new Error("the schema registry answered without a schema");
};

/** A schema without its `doc` attributes: a patch of the bridge may word them anew. */
const withoutDocs = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (name, part: unknown) => (name === "doc" ? undefined : part));

export const connectRegistry = (options: RegistryOptions, clock: Clock) => {
  const ask = askRegistry(options, clock);
  const register = registrar(options, clock);
  const pathOf = (subject: string): string => `/subjects/${encodeURIComponent(subject)}`;
  const latest = async (subject: string) => {
    const answer = await ask(`${pathOf(subject)}/versions/latest`);
    return answer === null ? null : { id: idOf(answer), text: textOf(answer) };
  };

  return {
    /** The text of the writer's schema by its id; null when the registry does not know the id. */
    writer: async (id: number): Promise<string | null> => {
      const answer = await ask(`/schemas/ids/${id}`);
      return answer === null ? null : textOf(answer);
    },
    /** The id of this schema under the subject, whatever its formatting; null when it is not registered. */
    find: async (subject: string, schema: Schema): Promise<number | null> => {
      const match = await ask(`${pathOf(subject)}?normalize=true`, { schema: JSON.stringify(schema.json) });
      if (match !== null) return idOf(match);
      // Not every registry supports `normalize`.
      const newest = await latest(subject);
      if (newest === null) return null;
      const isSame = isDeepStrictEqual(withoutDocs(parseJson(newest.text)), withoutDocs(schema.json));
      return isSame ? newest.id : null;
    },
    /** Why this schema cannot read records of the subject's latest schema; null when it can. */
    incompatibility: async (subject: string, schema: Schema): Promise<string | null> => {
      const newest = await latest(subject);
      if (newest === null) return null;
      try {
        schema.type.createResolver(parseSchema(newest.text).type);
        return null;
      } catch (error) {
        return `it does not read what schema ${newest.id} wrote (${messageOf(error)})`;
      }
    },
    register: async (subject: string, schema: Schema): Promise<number> => {
      // The library refuses any other level than the subject's.
      const config = objectOf(await ask(`/config/${encodeURIComponent(subject)}`));
      const { compatibilityLevel = COMPATIBILITY.BACKWARD } = config ?? {};
      return register(subject, schema, compatibilityLevel as COMPATIBILITY);
    },
  };
};
