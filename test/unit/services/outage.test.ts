import { describe, expect, it } from "vitest";
import {
  outageAdvice,
  isRegistryError,
  describeOutage,
  explainOutage,
} from "../../../src/services/outage.ts";
import { errorOfCode } from "../../../src/kafka/errors.ts";
import { RegistryError } from "../../../src/kafka/schema/registry-http.ts";
import { SignInError } from "../../../src/kafka/sign-in/sign-in-error.ts";
import { OutageError, UsageError } from "../../../src/runtime/errors.ts";
import type { Config } from "../../../src/config/config.ts";

const config = {
  kafka: { brokers: ["one:9092", "two:9092"] },
  registry: { url: "http://registry:8081" },
} as unknown as Config;
const ofRegistry = new RegistryError("the schema registry does not answer: refused");

describe("what does not answer", () => {
  it.each([
    ["the registry's error", ofRegistry, true],
    [
      "what the registry's error caused, however far",
      new UsageError("no schemas", { cause: new Error("x", { cause: ofRegistry }) }),
      true,
    ],
    ["an error with another cause", new Error("no broker", { cause: new Error("refused") }), false],
    ["an error of another kind with the same words", new Error(ofRegistry.message), false],
    ["no error at all", "refused", false],
    ["nothing", undefined, false],
  ])("is told from each other: %s", (_, error, expected) => {
    expect(isRegistryError(error)).toBe(expected);
  });

  it("is describeOutage with the setting that says where the registry is", () => {
    expect(describeOutage(ofRegistry, config)).toBe(
      "SCHEMA_REGISTRY_URL (http://registry:8081): the schema registry does not answer: refused",
    );
  });

  it("is the sign-in where it is that which fails", () => {
    const error = new Error("x", { cause: new SignInError("refused") });
    expect(
      describeOutage(error, { ...config, kafka: { ...config.kafka, saslMechanism: "oauthbearer" } }),
    ).toBe("KAFKA_SASL_MECHANISM (oauthbearer): x (refused)");
    expect(outageAdvice(error)).not.toBe(outageAdvice(new Error("refused")));
  });

  it("is Kafka otherwise, with all of its brokers", () => {
    expect(describeOutage(new Error("refused"), config)).toBe("KAFKA_BROKERS (one:9092,two:9092): refused");
  });
});

describe("a failed request to Kafka", () => {
  const explained = (error: Error): Promise<unknown> =>
    explainOutage(config, Promise.reject(error)).catch((thrown: unknown) => thrown);

  it("is explained as an outage", async () => {
    const thrown = await explained(new Error("no broker"));
    expect(thrown).toBeInstanceOf(OutageError);
    expect(thrown).toHaveProperty(
      "message",
      "Kafka does not answer. KAFKA_BROKERS (one:9092,two:9092): no broker.",
    );
  });

  it("is told from an answer that refuses", async () => {
    const TOPIC_AUTHORIZATION_FAILED = 29;
    const refused = errorOfCode(TOPIC_AUTHORIZATION_FAILED);
    expect(await explained(refused)).toHaveProperty(
      "message",
      expect.stringMatching(/^Kafka refuses it\. KAFKA_BROKERS \(.*\): Not authorized to access topics/),
    );
    expect(outageAdvice(refused)).toContain("rights");
    expect(outageAdvice(new Error("no broker"))).not.toContain("rights");
  });

  it("is explained without a word on Kafka where the registry is the cause", async () => {
    expect(await explained(ofRegistry)).toHaveProperty(
      "message",
      "SCHEMA_REGISTRY_URL (http://registry:8081): the schema registry does not answer: refused.",
    );
  });

  it.each([
    new UsageError("Too many."),
    new TypeError("x is undefined"),
    new RangeError("Invalid time value"),
  ])("is passed on as it is where Kafka is not the cause: %s", async (error) => {
    expect(await explained(error)).toBe(error);
  });
});
