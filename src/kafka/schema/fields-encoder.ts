import { subjectOf } from "../cluster/topics.ts";
import { encoder, type Encode } from "./codec.ts";
import type { Registry } from "./registry.ts";
import { withoutFields, type Schema } from "./schemas.ts";

const NEW_FIELDS = { TransactionStatusUpdated: ["fields"], CommandResult: ["fields"] };

/** Writes empty `fields` by the older schema, if registered: replicas of version 0.3 refuse every schema with a map. */
export const fieldsEncoder = async <T extends { fields: Record<string, string> }>(
  schema: Schema,
  { topic, schemaId }: { topic: string; schemaId: number },
  registry: Pick<Registry, "find">,
): Promise<{ encode: Encode<T>; olderId: number | null }> => {
  const encode = encoder<T>(schema, schemaId);
  const older = withoutFields(schema, NEW_FIELDS);
  // A registry that stops answering must not make the start fail: this is for one roll-out only.
  const olderId = await registry.find(subjectOf(topic), older).catch(() => null);
  if (olderId === null) return { encode, olderId };
  const encodeOlder = encoder<T>(older, olderId);
  const isPlain = (value: T): boolean => Object.keys(value.fields).length === 0;
  return { encode: (value) => (isPlain(value) ? encodeOlder : encode)(value), olderId };
};
