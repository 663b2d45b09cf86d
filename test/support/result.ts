import { readFileSync } from "node:fs";
import avro from "avsc";
import type { Seen } from "./topic.ts";

export type Result = {
  resultId: string;
  commandId: string;
  outcome: "SUCCEEDED" | "REJECTED" | "FAILED" | "IN_DOUBT";
  final: boolean;
  quoteId: string | null;
  /** Null where none came whole. */
  response: string | null;
  error: { code: string; message: string } | null;
  attempts: number;
  decidedBy: string;
};

const WIRE_HEADER_BYTES = 5;

/** A type of schemas/, built with avsc alone: no code of the bridge comes into it. */
export const avroType = (file: string): avro.Type => {
  const schema: unknown = JSON.parse(
    readFileSync(new URL(`../../schemas/${file}.avsc`, import.meta.url), "utf8"),
  );
  return avro.Type.forSchema(schema as avro.Schema);
};

const resultType = avroType("command-result");

/** The Avro of a record, behind the id of its schema. */
export const bodyOf = ({ value }: Seen): Buffer =>
  (value ?? Buffer.alloc(WIRE_HEADER_BYTES)).subarray(WIRE_HEADER_BYTES);

export const decodeResult = (record: Seen): Result => resultType.fromBuffer(bodyOf(record)) as Result;

export const finalOf = (results: readonly Result[]): Result | undefined =>
  results.find((result) => result.final);
