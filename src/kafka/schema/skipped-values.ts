import avro from "avsc";

const { ArrayType, MapType, RecordType, WrappedUnionType, UnwrappedUnionType } = avro.types;

export const branchesOf = (type: avro.Type): readonly avro.Type[] =>
  type instanceof WrappedUnionType || type instanceof UnwrappedUnionType ? type.types : [type];

/**
 * The largest number of values that a decoder passes to skip one value of this type. Infinity if the schema sets no
 * limit: an array or map states its own length, and may claim 2^40 items in five bytes; a type that contains itself
 * has no bound.
 */
export const skippedValues = (type: avro.Type, known = new Map<avro.Type, number>()): number => {
  const counted = known.get(type);
  if (counted !== undefined) return counted;
  // Holds until the parts are counted: a type found among its own parts contains itself.
  known.set(type, Infinity);
  const count = (part: avro.Type): number => skippedValues(part, known);
  const sum = (parts: readonly avro.Type[]): number => parts.reduce((total, part) => total + count(part), 1);
  const most = (parts: readonly avro.Type[]): number =>
    parts.reduce((largest, part) => Math.max(largest, count(part)), 0);

  let values = 1;
  if (type instanceof ArrayType || type instanceof MapType) values = Infinity;
  else if (type instanceof RecordType) values = sum(type.fields.map((field) => field.type));
  else if (type instanceof WrappedUnionType || type instanceof UnwrappedUnionType)
    values = 1 + most(type.types);
  known.set(type, values);
  return values;
};
