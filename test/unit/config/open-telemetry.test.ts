import { expect, test } from "vitest";
import { configOf, problemsOf, warningsOf } from "./environment.ts";

const only = (env: Record<string, string>): string => {
  const warnings = warningsOf(env);
  expect(warnings).toHaveLength(1);
  expect(warningsOf(env, "tool")).toEqual(warnings);
  return warnings[0] ?? "";
};

test.each([
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "is none of http/protobuf"],
  ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc", "is none of http/protobuf"],
  ["OTEL_TRACES_EXPORTER", "zipkin", "none of otlp, none"],
  ["OTEL_TRACES_EXPORTER", "otlp,console", "none of otlp, none"],
  ["OTEL_PROPAGATORS", "tracecontext,b3", "is none of tracecontext, baggage, none"],
  ["OTEL_SDK_DISABLED", "1", "neither true nor false"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "http or https"],
])("values that are left out, each with a warning: %s=%s", (variable, value, reason) => {
  const warning = only({ [variable]: value });
  expect(warning).toContain(`${variable} is left out: it `);
  expect(warning).toContain(reason);
  expect(configOf({ [variable]: value }).traces, "as if it were not set").toEqual(configOf({}).traces);
});

test("values are read as the specification says", () => {
  const { traces } = configOf({
    OTEL_SDK_DISABLED: "True",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/",
    OTEL_PROPAGATORS: "none",
  });
  expect(traces).toMatchObject({
    disabled: true,
    endpoint: "http://collector:4318",
    propagators: ["none"],
  });
});

test("unknown variables of OpenTelemetry are ignored", () => {
  const strangers = {
    OTEL_METRICS_EXPORTER: "none",
    OTEL_EXPORTER_OTLP_ENDPOIN: "x",
    OTEL_LOG_LEVEL: "info",
  };
  expect(problemsOf(strangers)).toEqual([]);
  expect(warningsOf(strangers)).toEqual([]);
});
