import { decode } from "./avro.ts";
import type { TopicRecord } from "./follow-topics.ts";

export type Result = {
  resultId: string;
  commandId: string;
  outcome: "SUCCEEDED" | "REJECTED" | "FAILED" | "IN_DOUBT";
  final: boolean;
  quoteId: string | null;
  transactionId: string | null;
  /** Null where none came whole. */
  response: string | null;
  error: { code: string; message: string } | null;
  attempts: number;
  decidedBy: string;
};

export const decodeResult = ({ value }: Pick<TopicRecord, "value">): Result =>
  decode("command-result", value) as Result;

export const finalOf = (results: readonly Result[]): Result | undefined =>
  results.find((result) => result.final);
