import avro from "avsc";
import { objectOf } from "../../runtime/json-object.ts";
import { BoundedMap } from "./bounded-map.ts";

/** A schema as the registry has it. */
export type RegisteredSchema = {
  /** The registry's schemaType; null when absent, which means Avro. */
  kind: string | null;
  text: string;
};

/**
 * `meaning` holds the logical types, by the type that they annotate: avsc drops those that it has no class
 * for.
 */
export type ParsedSchema = { type: avro.Type; meaning: ReadonlyMap<avro.Type, string> };

/** Characters of a schema. Ours have a twentieth of it. */
const MAX_TEXT_LENGTH = 262_144;

const isEmptyMap = (schema: object, value: object): boolean =>
  "type" in schema && objectOf(schema.type)?.["type"] === "map" && Object.keys(value).length === 0;

/**
 * Refuses a default that is an object or an array, but for an empty map: avsc would take forever over thirty nested
 * records of ten fields.
 */
const checkDefaults = (schema: unknown): void => {
  if (typeof schema !== "object" || schema === null) return;
  if (
    "name" in schema &&
    "default" in schema &&
    typeof schema.default === "object" &&
    schema.default !== null &&
    !isEmptyMap(schema, schema.default)
  )
    throw new Error(`the default of ${String(schema.name)} is not a plain value`);
  for (const part of Object.values(schema)) checkDefaults(part);
};

/**
 * Parses an Avro schema. One that refers to others in the registry is not understood.
 * @throws when the text is not valid JSON or Avro, or could take long to parse
 */
export const parseSchema = (text: string): ParsedSchema => {
  if (text.length > MAX_TEXT_LENGTH) throw new Error(`it is ${text.length} characters long`);
  const meaning = new Map<avro.Type, string>();
  const typeHook = (schema: avro.Schema, options: avro.ForSchemaOptions): avro.Type | undefined => {
    if (typeof schema === "object" && "type" in schema && schema.type === "map")
      return new BoundedMap(schema, options);
    if (typeof schema !== "object" || !("logicalType" in schema)) return undefined;
    const { logicalType, ...physical } = schema;
    const type = avro.Type.forSchema(physical, options);
    meaning.set(type, logicalType);
    return type;
  };
  const options = { registry: {}, typeHook } as Partial<avro.ForSchemaOptions>;
  const schema = JSON.parse(text) as avro.Schema;
  checkDefaults(schema);
  return { type: avro.Type.forSchema(schema, options), meaning };
};

const { RecordType, ArrayType, MapType, WrappedUnionType, UnwrappedUnionType } = avro.types;

const branchesOf = (type: avro.Type): readonly avro.Type[] =>
  type instanceof WrappedUnionType || type instanceof UnwrappedUnionType ? type.types : [type];

const kindOf = ({ typeName, name }: avro.Type): string =>
  name === undefined ? typeName : `${typeName} ${name}`;

const fieldOf = ({ fields }: avro.types.RecordType, name: string): avro.types.Field | undefined =>
  fields.find((field) => field.name === name);

/**
 * One that is passed over in a time that its bytes bound: a list may claim 2^40 items of no bytes, a record hold
 * itself.
 */
const isPlain = (type: avro.Type): boolean =>
  branchesOf(type).every((each) =>
    each instanceof MapType
      ? isPlain(each.valuesType as avro.Type)
      : !(each instanceof RecordType || each instanceof ArrayType),
  );

/** Refuses a field that may be renamed, and one without a default that only one of the schemas has. */
const fieldsMismatch = (
  reader: avro.types.RecordType,
  writer: avro.types.RecordType,
  path: string,
): string | null => {
  const missing = reader.fields.filter(({ name }) => !fieldOf(writer, name));
  const added = writer.fields.filter(({ name }) => !fieldOf(reader, name));
  const required = (field: avro.types.Field): boolean => (field.defaultValue() as unknown) === undefined;
  const missingRequired = missing.find(required);
  if (missingRequired) return `${path} lacks ${missingRequired.name}`;
  const addedRequired = added.find(required);
  if (addedRequired) return `${path} has the unknown field ${addedRequired.name}, which is not optional`;
  const [first] = added;
  if (missing[0] && first) return `${path} lacks ${missing[0].name} but has ${first.name}`;
  // avsc confuses a name like `toString` with an inherited property, and does not pass the field over.
  const skipped = added.find((field) => !isPlain(field.type) || field.name in Object.prototype);
  return skipped ? `${path} has the unknown field ${skipped.name}, which cannot be passed over` : null;
};

/**
 * Why records of this writer cannot be read without guessing; null when they can. Stricter than Avro's schema
 * resolution, because these records move money:
 * - every value keeps its type: no promotions (a double for an amount, bytes for text), no further union branch
 * - numbers keep their logical type, if the writer states one: microseconds are not milliseconds
 * - an older schema may lack fields that have a default, a newer one may add some; both may be a field renamed
 * - added fields are plain values, or maps of them: otherwise a record of 22 bytes could stop the process
 */
export const schemaMismatch = (reader: ParsedSchema, writer: ParsedSchema): string | null => {
  const compare = (ours: avro.Type, theirs: avro.Type, path: string): string | null => {
    if (kindOf(ours) !== kindOf(theirs)) return `${path} is ${kindOf(theirs)} and not ${kindOf(ours)}`;
    const [expected, actual] = [reader.meaning.get(ours), writer.meaning.get(theirs)];
    if (ours.typeName !== "string" && actual !== undefined && actual !== expected)
      return `${path} is ${actual}`;
    if (ours instanceof MapType && theirs instanceof MapType)
      return compareBranches(ours.valuesType as avro.Type, theirs.valuesType as avro.Type, `${path}.*`);
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
    const ourBranches = branchesOf(ours);
    for (const branch of branchesOf(theirs)) {
      const match = ourBranches.find((candidate) => kindOf(candidate) === kindOf(branch));
      if (!match)
        return `${path} may be ${kindOf(branch)} and not only ${ourBranches.map(kindOf).join(" or ")}`;
      const inner = compare(match, branch, path);
      if (inner !== null) return inner;
    }
    return null;
  };
  const { name } = writer.type;
  if (name !== reader.type.name) return `it is ${kindOf(writer.type)}`;
  return compare(reader.type, writer.type, name?.split(".").at(-1) ?? "it");
};
