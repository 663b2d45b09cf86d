import { decode } from "./avro.ts";
import type { Seen } from "./follow.ts";

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

export const decodeResult = ({ value }: Seen): Result => decode("command-result", value) as Result;

export const finalOf = (results: readonly Result[]): Result | undefined =>
  results.find((result) => result.final);
