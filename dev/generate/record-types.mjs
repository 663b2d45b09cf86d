// TypeScript types for the Avro records in schemas/, in the shape avsc gives and takes: a union of null and one
// other type is unwrapped, a union of several records is wrapped by full name, timestamp-millis is a number.
import { readFileSync, readdirSync } from "node:fs";

/** @typedef {string | Schema | (string | Schema)[]} Type */
/** @typedef {{ type: Type, name: string, namespace?: string, doc?: string, symbols?: string[], items?: Type, logicalType?: string, fields?: { name: string, type: Type, doc?: string }[] }} Schema */

const primitives = new Map([
  ["null", "null"],
  ["string", "string"],
  ["boolean", "boolean"],
  ["int", "number"],
  ["long", "number"],
  ["double", "number"],
  ["bytes", "Buffer"],
]);

/** @param {string} folder @returns {string} the text of src/records.ts */
export function recordTypes(folder) {
  /** @type {Map<string, string>} */
  const declared = new Map();

  /** @param {string | undefined} doc @param {string} indent */
  const comment = (doc, indent) => (doc ? `${indent}/** ${doc} */\n` : "");

  /** @param {Type} type @param {string} namespace @returns {string} */
  const reference = (type, namespace) => {
    if (Array.isArray(type)) {
      const branches = type.filter((branch) => branch !== "null");
      const texts = branches.map((branch) => {
        const text = reference(branch, namespace);
        return branches.length > 1 ? `{ "${namespace}.${text}": ${text} }` : text;
      });
      return (type.includes("null") ? [...texts, "null"] : texts).join(" | ");
    }
    if (typeof type === "string") return primitives.get(type) ?? type.slice(type.lastIndexOf(".") + 1);
    if (type.type === "record" || type.type === "enum") return declare(type, type.namespace ?? namespace);
    return reference(type.type, namespace);
  };

  /** @param {Schema} schema @param {string} namespace @returns {string} */
  const declare = (schema, namespace) => {
    if (declared.has(schema.name)) return schema.name;
    declared.set(schema.name, "");
    const body = schema.symbols
      ? schema.symbols.map((symbol) => `"${symbol}"`).join(" | ")
      : `{\n${(schema.fields ?? [])
          .map(
            (field) => `${comment(field.doc, "  ")}  ${field.name}: ${reference(field.type, namespace)};\n`,
          )
          .join("")}}`;
    declared.set(schema.name, `${comment(schema.doc, "")}export type ${schema.name} = ${body};\n`);
    return schema.name;
  };

  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith(".avsc")) continue;
    const schema = JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
    declare(schema, schema.namespace);
  }
  const head = "// Generated from schemas/*.avsc by `npm run generate`. Change the schemas, not this file.\n";
  return [head, ...declared.values()].join("\n");
}
