import avro from "avsc";

const { ArrayType, MapType, RecordType, WrappedUnionType, UnwrappedUnionType } = avro.types;

export const branchesOf = (type: avro.Type): readonly avro.Type[] =>
  type instanceof WrappedUnionType || type instanceof UnwrappedUnionType ? type.types : [type];

/**
 * How many values a reader has to pass over, at most, to skip one value of this type. Infinity where the schema sets no limit: the items of
 * an array or a map are counted by the record itself, which may claim 2^40 of them in five bytes, and a type that contains itself goes on
 * for as long as it likes.
 */
export const skippedValues = (type: avro.Type, known = new Map<avro.Type, number>()): number => {
  const counted = known.get(type);
  if (counted !== undefined) return counted;
  // Until the parts are counted: a type that is met again among its own parts contains itself.
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
