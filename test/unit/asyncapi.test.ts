import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv, type SchemaObject } from "ajv";
import { describe, expect, test } from "vitest";
import { checkFor } from "../../src/commands-to-results/check.ts";
import { rows } from "../../src/config/settings.ts";
import { topicPlans, type TopicPlan } from "../../src/kafka/cluster/topics.ts";
import { readAsyncApi, takesJsonCommand } from "../support/asyncapi.ts";

const document = readAsyncApi();

const specification = (): SchemaObject => {
  const path = createRequire(import.meta.url).resolve("@asyncapi/specs/schemas/3.0.0.json");
  return JSON.parse(readFileSync(path, "utf8")) as SchemaObject;
};

/** Every reference in the document, and what it leads to. */
const references = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return [];
  const own = "$ref" in value && typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
};
const lookUp = (reference: string): unknown =>
  reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);

const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name);

const topicsByDefault = (): Parameters<typeof topicPlans>[0] => {
  const names = rows.filter(({ group }) => group === "topics").map(({ key, fallback }) => [key, fallback]);
  return Object.fromEntries(names) as Parameters<typeof topicPlans>[0];
};

describe("docs/asyncapi.yaml", () => {
  test("is a valid AsyncAPI 3.0 document", () => {
    // The specification brings the schema of schemas along.
    const validate = new Ajv({
      strict: false,
      validateFormats: false,
      meta: false,
      validateSchema: false,
    }).compile(specification());
    validate(document);
    expect(validate.errors).toBeNull();
    expect(validate({ ...document, channels: { x: { adress: "x" } } }), "the check finds faults").toBe(false);
  });

  test("has references that lead somewhere", () => {
    const all = references(document);
    expect(all.length).toBeGreaterThan(10);
    expect(all.filter((reference) => lookUp(reference) === undefined)).toEqual([]);
  });

  test("has the topics as `setup` creates them", () => {
    const topics = topicPlans(topicsByDefault());
    const config = (plan: TopicPlan): Record<string, string> => ({ ...plan.config });
    const documented = Object.values(document.channels).map(({ address, bindings }) => {
      const { partitions, topicConfiguration } = bindings.kafka;
      const values = Object.entries(topicConfiguration).map(([key, value]) => [key, String(value)]);
      return { name: address, partitions, config: Object.fromEntries(values) as Record<string, string> };
    });
    expect(documented.toSorted(byName)).toEqual(
      topics
        .map((plan) => ({ name: plan.name, partitions: plan.partitions, config: config(plan) }))
        .toSorted(byName),
    );
  });
});

const accept = { type: "AcceptQuote", quoteId: "q-1", counterpartyId: "cp-1" };
const create = {
  direction: "INBOUND",
  purpose: "COMEX",
  quotedAmount: "1000.50",
  baseCurrencyIso: "BRL",
  quotedCurrencyIso: "USD",
};
const commands: [string, object][] = [
  ["the least", { commandId: "c", request: accept }],
  [
    "all",
    { commandId: "c", issuedAt: 1, expiresAt: null, request: { ...accept, amount: "1.5", externalId: "" } },
  ],
  ["wrapped by the short name", { commandId: "c", request: { CreateQuote: create } }],
  ["wrapped by the full name", { commandId: "c", request: { "cambio.bridge.v1.CreateQuote": create } }],
  [
    "wrapped optional values",
    {
      ...{ commandId: "c", expiresAt: { long: 5 } },
      request: { ...accept, amount: { string: "1.5" }, externalId: { string: "x" } },
    },
  ],
  ["a value in a wrapper of another type", { commandId: "c", request: { ...accept, amount: { long: 1 } } }],
  ["told apart by type", { commandId: "c", request: { type: "CreateQuote", ...create } }],
  ["RFC 3339", { commandId: "c", issuedAt: "2026-11-21T12:00:00Z", request: accept }],
  ["an amount in exponents", { commandId: "c", request: { ...accept, amount: "1e3" } }],
  ["a misspelt field", { commandId: "c", request: { ...accept, ammount: "1" } }],
  ["two requests", { commandId: "c", request: { CreateQuote: create, AcceptQuote: accept } }],
  ["no type", { commandId: "c", request: create }],
  ["no request", { commandId: "c" }],
  ["an empty commandId", { commandId: "", request: accept }],
  ["a local time", { commandId: "c", issuedAt: "2026-11-21T12:00:00", request: accept }],
  ["a field that is missing", { commandId: "c", request: { type: "AcceptQuote", quoteId: "q" } }],
  ["a dot segment", { commandId: "c", request: { ...accept, quoteId: ".." } }],
  ["white space in a quoteId", { commandId: "c", request: { ...accept, quoteId: "q 1" } }],
];

test.each(commands)("document and bridge agree on a command in JSON: %s", (_, command) => {
  const text = JSON.stringify(command);
  const check = checkFor({ purposes: [], currencies: [] });
  expect(takesJsonCommand(document)(text)).toBe(check.json(Buffer.from(text), 0).ok);
});
