import avro from "avsc";

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

/**
 * Parses Avro schemas, the last of which may refer to those before it.
 * @throws when one is not valid JSON or Avro
 */
export const parseSchema = (texts: readonly string[]): ParsedSchema => {
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
  for (const text of texts) type = avro.Type.forSchema(JSON.parse(text) as avro.Schema, options);
  if (!type) throw new Error("no schema");
  return { type, meaning };
};

const { RecordType, WrappedUnionType, UnwrappedUnionType } = avro.types;

const branchesOf = (type: avro.Type): readonly avro.Type[] =>
  type instanceof WrappedUnionType || type instanceof UnwrappedUnionType ? type.types : [type];

const kindOf = ({ typeName, name }: avro.Type): string =>
  name === undefined ? typeName : `${typeName} ${name}`;

const fieldOf = ({ fields }: avro.types.RecordType, name: string): avro.types.Field | undefined =>
  fields.find((field) => field.name === name);

/** Renamed, or without a word on what its absence means: then what a field says cannot be told, or would be ignored. */
const fieldsMisfit = (
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
  return missing[0] && first ? `${path} lacks ${missing[0].name} but has ${first.name}` : null;
};

/**
 * Why reading this writer's records would mean to guess; null when it would not. Stricter than Avro's own resolution, because what is
 * read moves money:
 * - every value keeps its type: no promotions (an amount that is a double, bytes that are taken for text), no branch that has no place
 * - numbers keep their logical type, where the writer says one: microseconds are not milliseconds
 * - an older schema may lack fields that have a default, a newer one may add some; one that does both may have renamed a field
 */
export const misfit = (reader: ParsedSchema, writer: ParsedSchema): string | null => {
  const compare = (ours: avro.Type, theirs: avro.Type, path: string): string | null => {
    if (kindOf(ours) !== kindOf(theirs)) return `${path} is ${kindOf(theirs)} and not ${kindOf(ours)}`;
    const [meant, said] = [reader.meaning.get(ours), writer.meaning.get(theirs)];
    if (ours.typeName !== "string" && said !== undefined && said !== meant) return `${path} is ${said}`;
    if (!(ours instanceof RecordType && theirs instanceof RecordType)) return null;
    const problem = fieldsMisfit(ours, theirs, path);
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
