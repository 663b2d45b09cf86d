import avro from "avsc";
import { objectOf } from "../../runtime/json.ts";

type Tap = { buf: Buffer; pos: number; readLong: () => number; readString: () => string };
type Values = { _read: (tap: Tap) => unknown };

/** How many entries come next. @throws when the value has no bytes for them: each takes at least one */
const entriesNext = (tap: Tap): number => {
  const count = tap.readLong();
  if (count < 0) tap.readLong();
  const entries = Math.abs(count);
  if (entries > tap.buf.length - tap.pos) throw new Error("a map claims more entries than there are bytes");
  return entries;
};

/** Reads no more entries than the value has bytes. avsc believes what a map claims: 2^28 entries take it 12 s. */
class BoundedMap extends avro.types.MapType {
  /** `this` may be a resolver of avsc, whose values are those of the writer. */
  _read(this: { valuesType: Values }, tap: Tap): unknown {
    const entries: [string, unknown][] = [];
    for (let left = entriesNext(tap); left > 0; left = entriesNext(tap))
      for (; left > 0; left -= 1) entries.push([tap.readString(), this.valuesType._read(tap)]);
    return Object.fromEntries(entries);
  }

  _skip(tap: Tap): void {
    this._read(tap);
  }
}

/** `meaning`: the logical types, by the type that they annotate. avsc drops those that it has no class for. */
export type ParsedSchema = { type: avro.Type; meaning: ReadonlyMap<avro.Type, string> };

/** Our schemas are a twentieth as long. */
const MAX_TEXT_LENGTH = 262_144;

/** Refuses a default that is an object or an array, but for an empty map: avsc takes forever over nested ones. */
const checkDefaults = (part: unknown): void => {
  if (typeof part !== "object" || part === null) return;
  const { name, type, default: value } = part as { name?: string; type?: unknown; default?: unknown };
  const isMap = objectOf(type)?.["type"] === "map";
  if (name !== undefined && typeof value === "object" && value !== null)
    if (!isMap || Object.keys(value).length > 0)
      throw new Error(`the default of ${name} is not a plain value`);
  for (const inner of Object.values(part)) checkDefaults(inner);
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

/** Whether bytes bound the time to skip a value: a list may claim 2^40 items of no bytes, a record may hold itself. */
const isPlain = (type: avro.Type): boolean =>
  branchesOf(type).every((each) =>
    each instanceof MapType
      ? isPlain(each.valuesType as avro.Type)
      : !(each instanceof RecordType || each instanceof ArrayType),
  );

/** Refuses a field that may be renamed, and one without a default that only one of the schemas has. */
const checkFields = (reader: avro.types.RecordType, writer: avro.types.RecordType, path: string): void => {
  const isRequired = (field: avro.types.Field): boolean => (field.defaultValue() as unknown) === undefined;
  const missing = reader.fields.filter(({ name }) => !fieldOf(writer, name));
  const added = writer.fields.filter(({ name }) => !fieldOf(reader, name));
  const missingField = missing.find(isRequired) ?? missing[0];
  const addedField = added.find(isRequired) ?? added[0];
  if (missingField && isRequired(missingField)) throw new Error(`${path} lacks ${missingField.name}`);
  if (addedField && isRequired(addedField))
    throw new Error(`${path} has the unknown field ${addedField.name}, which is not optional`);
  if (missingField && addedField)
    throw new Error(`${path} lacks ${missingField.name} but has ${addedField.name}`);
  // avsc confuses a name like `toString` with an inherited property, and does not pass the field over.
  const unskippable = added.find((field) => !isPlain(field.type) || field.name in Object.prototype);
  if (unskippable)
    throw new Error(`${path} has the unknown field ${unskippable.name}, which cannot be passed over`);
};

/**
 * Refuses a writer whose records cannot be read without guessing. Stricter than Avro's schema resolution, because these
 * records move money:
 * - every value keeps its type: no promotions (a double for an amount, bytes for text), no further union branch
 * - numbers keep their logical type, if the writer states one: microseconds are not milliseconds
 * - an older schema may lack fields that have a default, a newer one may add some; both may be a field renamed
 * - added fields are plain values, or maps of them: otherwise a record of 22 bytes could stop the process
 * @throws an error that says what differs
 */
export const checkWriter = (reader: ParsedSchema, writer: ParsedSchema): void => {
  const check = (ours: avro.Type, theirs: avro.Type, path: string): void => {
    for (const branch of branchesOf(theirs)) {
      const match = branchesOf(ours).find((candidate) => kindOf(candidate) === kindOf(branch));
      if (!match) {
        const kinds = branchesOf(ours).map(kindOf).join(" or ");
        throw new Error(`${path} may be ${kindOf(branch)} and not only ${kinds}`);
      }
      const meaning = writer.meaning.get(branch);
      if (branch.typeName !== "string" && meaning !== undefined && meaning !== reader.meaning.get(match))
        throw new Error(`${path} is ${meaning}`);
      if (match instanceof MapType && branch instanceof MapType)
        check(match.valuesType as avro.Type, branch.valuesType as avro.Type, `${path}.*`);
      if (!(match instanceof RecordType && branch instanceof RecordType)) continue;
      checkFields(match, branch, path);
      for (const { name, type } of match.fields) {
        const field = fieldOf(branch, name);
        if (field) check(type, field.type, `${path}.${name}`);
      }
    }
  };
  check(reader.type, writer.type, reader.type.name?.split(".").at(-1) ?? "it");
};
