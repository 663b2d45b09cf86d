import avro from "avsc";
import { branchesOf, skippedValues } from "./skipped-values.ts";

/** A schema as the registry holds it. */
export type RegisteredSchema = {
  /** Null where the registry says none: then it is Avro. */
  kind: string | null;
  text: string;
  /** The texts of the schemas that it refers to, each after those that it needs itself. */
  references: readonly string[];
};

/** avsc drops the logical types that it has no class for; they are kept here, by the type that they stand at. */
export type ParsedSchema = { type: avro.Type; meaning: ReadonlyMap<avro.Type, string> };

/** Of a schema with all that it refers to. Ours have a twentieth of it. */
const MAX_TEXT_LENGTH = 262_144;
/** Values that are passed over in each record, in all of its unknown fields. */
const MAX_SKIPPED_VALUES = 1_000;

/**
 * Refuses a default that is an object or an array. avsc puts a record's default together from those of its fields as soon as it parses
 * them: thirty records in each other, ten fields each, would take it for ever.
 */
const checkDefaults = (schema: unknown): void => {
  if (typeof schema !== "object" || schema === null) return;
  if (
    "name" in schema &&
    "default" in schema &&
    typeof schema.default === "object" &&
    schema.default !== null
  )
    throw new Error(`the default of ${String(schema.name)} is not a plain value`);
  for (const part of Object.values(schema)) checkDefaults(part);
};

/**
 * Parses Avro schemas, the last of which may refer to those before it.
 * @throws when one is not valid JSON or Avro, or would take long to parse
 */
export const parseSchema = (texts: readonly string[]): ParsedSchema => {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length > MAX_TEXT_LENGTH) throw new Error(`it is ${length} characters long`);
  const meaning = new Map<avro.Type, string>();
  const typeHook = (schema: avro.Schema, options: avro.ForSchemaOptions): avro.Type | undefined => {
    if (typeof schema !== "object" || !("logicalType" in schema)) return undefined;
    const { logicalType, ...physical } = schema;
    const type = avro.Type.forSchema(physical, options);
    meaning.set(type, logicalType);
    return type;
  };
  const options = { registry: {}, typeHook } as Partial<avro.ForSchemaOptions>;
  let type: avro.Type | undefined;
  for (const text of texts) {
    const schema = JSON.parse(text) as avro.Schema;
    checkDefaults(schema);
    type = avro.Type.forSchema(schema, options);
  }
  if (!type) throw new Error("no schema");
  return { type, meaning };
};

const { RecordType } = avro.types;

const kindOf = ({ typeName, name }: avro.Type): string =>
  name === undefined ? typeName : `${typeName} ${name}`;

const fieldOf = ({ fields }: avro.types.RecordType, name: string): avro.types.Field | undefined =>
  fields.find((field) => field.name === name);

/** Unknown fields are passed over in each record, and what a record costs must follow from its size. */
const skippedFieldsMismatch = (added: readonly avro.types.Field[], path: string): string | null => {
  // avsc takes such a name for one of its own, and reads on within the field.
  const odd = added.find(({ name }) => name in Object.prototype);
  if (odd) return `${path} has the unknown field ${odd.name}, which cannot be passed over`;
  const values = added.map(({ type }) => skippedValues(type));
  const endless = added[values.indexOf(Infinity)];
  if (endless) return `${path} has the unknown field ${endless.name}, which may be endless`;
  const all = values.reduce((sum, count) => sum + count, 0);
  return all > MAX_SKIPPED_VALUES ? `${path} has unknown fields of ${all} values` : null;
};

/** Renamed, or without a word on what its absence means: then what a field says cannot be told, or would be ignored. */
const fieldsMismatch = (
  reader: avro.types.RecordType,
  writer: avro.types.RecordType,
  path: string,
): string | null => {
  const missing = reader.fields.filter(({ name }) => !fieldOf(writer, name));
  const added = writer.fields.filter(({ name }) => !fieldOf(reader, name));
  const required = (field: avro.types.Field): boolean => (field.defaultValue() as unknown) === undefined;
  const lacking = missing.find(required);
  if (lacking) return `${path} lacks ${lacking.name}`;
  const unheard = added.find(required);
  if (unheard) return `${path} has the unknown field ${unheard.name}, which is not optional`;
  const [first] = added;
  if (missing[0] && first) return `${path} lacks ${missing[0].name} but has ${first.name}`;
  return skippedFieldsMismatch(added, path);
};

/**
 * Why reading this writer's records would mean to guess; null when it would not. Stricter than Avro's own resolution, because what is
 * read moves money:
 * - every value keeps its type: no promotions (an amount that is a double, bytes that are taken for text), no branch that has no place
 * - numbers keep their logical type, where the writer says one: microseconds are not milliseconds
 * - an older schema may lack fields that have a default, a newer one may add some; one that does both may have renamed a field
 * - added fields hold no arrays, maps or types that contain themselves, and few values altogether: a record of 22 bytes could stop the
 *   process otherwise
 */
export const schemaMismatch = (reader: ParsedSchema, writer: ParsedSchema): string | null => {
  const compare = (ours: avro.Type, theirs: avro.Type, path: string): string | null => {
    if (kindOf(ours) !== kindOf(theirs)) return `${path} is ${kindOf(theirs)} and not ${kindOf(ours)}`;
    const [meant, said] = [reader.meaning.get(ours), writer.meaning.get(theirs)];
    if (ours.typeName !== "string" && said !== undefined && said !== meant) return `${path} is ${said}`;
    if (!(ours instanceof RecordType && theirs instanceof RecordType)) return null;
    const problem = fieldsMismatch(ours, theirs, path);
    if (problem !== null) return problem;
    for (const { name, type } of ours.fields) {
      const field = fieldOf(theirs, name);
      const inner = field ? compareBranches(type, field.type, `${path}.${name}`) : null;
      if (inner !== null) return inner;
    }
    return null;
  };
  const compareBranches = (ours: avro.Type, theirs: avro.Type, path: string): string | null => {
    const wanted = branchesOf(ours);
    for (const branch of branchesOf(theirs)) {
      const match = wanted.find((candidate) => kindOf(candidate) === kindOf(branch));
      if (!match) return `${path} may be ${kindOf(branch)} and not only ${wanted.map(kindOf).join(" or ")}`;
      const inner = compare(match, branch, path);
      if (inner !== null) return inner;
    }
    return null;
  };
  const { name } = writer.type;
  if (name !== reader.type.name) return `it is ${kindOf(writer.type)}`;
  return compare(reader.type, writer.type, name?.split(".").at(-1) ?? "it");
};
