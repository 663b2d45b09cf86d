import type { CommandResult } from "../../src/records.ts";
import { decode } from "./avro.ts";
import type { TopicRecord } from "./follow-topics.ts";

export type Result = CommandResult;

export const decodeResult = ({ value }: Pick<TopicRecord, "value">): Result =>
  decode("command-result", value) as CommandResult;

export const finalOf = (results: readonly Result[]): Result | undefined =>
  results.find((result) => result.final);
