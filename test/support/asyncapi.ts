import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import avro from "avsc";
import { parse } from "yaml";
import type { TopicRecord } from "./follow-topics.ts";

// Reads docs/asyncapi.yaml as any other user does: with ajv and avsc, and no code of the bridge.

type Schema = Record<string, unknown>;
type Message = {
  headers?: { required?: string[]; properties?: Schema };
  payload?: Schema & { schemaFormat?: string; schema?: avro.Schema };
};
type Reference = { $ref: string };
type Channel = {
  address: string;
  messages: Record<string, Reference>;
  bindings: { kafka: { partitions?: number; topicConfiguration: Record<string, unknown> } };
};
export type AsyncApi = {
  info: { version: string };
  channels: Record<string, Channel>;
  components: { messages: Record<string, Message>; schemas: Schema };
};

const DOCUMENT = new URL("../../docs/asyncapi.yaml", import.meta.url);

/** The document, with the Avro schemas that it refers to in their places. */
export const readAsyncApi = (): AsyncApi => {
  const document = parse(readFileSync(DOCUMENT, "utf8")) as AsyncApi;
  for (const { payload } of Object.values(document.components.messages)) {
    const { $ref } = (payload?.schema ?? {}) as Partial<Reference>;
    if (payload && $ref)
      payload.schema = JSON.parse(readFileSync(new URL($ref, DOCUMENT), "utf8")) as avro.Schema;
  }
  return document;
};

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: {
    "date-time": (text: string) => RFC_3339.test(text) && !Number.isNaN(Date.parse(text)),
    uri: (text: string) => URL.canParse(text),
    "uri-reference": (text: string) => URL.canParse(text, "https://example.org"),
  },
});

/** A check by a schema of the document, whose references are to the document itself. */
const compile = ({ components: { schemas } }: AsyncApi, schema: object): ValidateFunction => {
  if (!ajv.getSchema("asyncapi")) ajv.addSchema({ components: { schemas } }, "asyncapi");
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"asyncapi#/')) as object);
};

const problemsOf = (validate: ValidateFunction, value: unknown): string[] =>
  validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);

const named = (document: AsyncApi, name: string): Message => {
  const message = document.components.messages[name];
  if (!message) throw new Error(`docs/asyncapi.yaml has no message ${name}`);
  return message;
};

const WIRE_HEADER_BYTES = 5;

const payloadProblems = (document: AsyncApi, { payload }: Message, value: Buffer | null): string[] => {
  if (!payload) return [];
  if (value === null) return ["there is no value"];
  if (payload.schema === undefined)
    return problemsOf(compile(document, payload), JSON.parse(value.toString()));
  if (value[0] !== 0) return ["the value is not in Confluent's wire format"];
  // Throws for a missing or an additional byte.
  avro.Type.forSchema(payload.schema).fromBuffer(value.subarray(WIRE_HEADER_BYTES));
  return [];
};

/**
 * How a record differs from the document's message.
 * @param ownHeaders headers that the test added
 */
export const problemsOfRecord = (
  document: AsyncApi,
  name: string,
  { headers, value }: Pick<TopicRecord, "headers" | "value">,
  ownHeaders: readonly string[] = [],
): string[] => {
  const message = named(document, name);
  const known = [...Object.keys(message.headers?.properties ?? {}), ...ownHeaders];
  const unknown = Object.keys(headers).filter((header) => !known.includes(header));
  return [
    ...unknown.map((header) => `the header ${header} is not documented`),
    ...(message.headers ? problemsOf(ajv.compile(message.headers), headers) : []),
    ...payloadProblems(document, message, value),
  ];
};

/** Whether a text is a valid JSON command by the document. */
export const takesJsonCommand = (document: AsyncApi): ((text: string) => boolean) => {
  const { payload } = named(document, "JsonCommand");
  if (!payload) throw new Error("docs/asyncapi.yaml does not say what a JSON command is");
  const validate = compile(document, payload);
  return (text) => validate(JSON.parse(text));
};
