import { expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { answer, serve } from "../partner/hostile-server.ts";
import { examine, httpServer, NOWHERE } from "./faults.ts";

const SECRET = "webhook-secret-of-tests";

test("without a collector nothing is said of traces", async () => {
  expect((await examine({})).of("traces")).toEqual([]);
  const off = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://${NOWHERE}`, OTEL_TRACES_EXPORTER: "none" };
  expect((await examine(off)).of("traces")).toEqual([]);
});

test("a collector that takes spans is asked once, with our headers and without a span", async () => {
  const server = await httpServer(() => answer("200 OK", "", "Content-Type: application/x-protobuf\r\n"));
  const { line } = await examine({
    OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
    OTEL_EXPORTER_OTLP_HEADERS: `api-key=${SECRET}`,
  });
  expect(line("traces")).toBe("ok takes spans (200 to an export of none): ");
  const asked = server.seen.map(({ text }) => text).filter((text) => text !== "");
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/^POST \/v1\/traces HTTP\/1\.1\r\n/);
  expect(asked[0]).toMatch(/\r\ncontent-type: application\/x-protobuf\r\n/i);
  expect(asked[0]).toContain(`api-key: ${SECRET}\r\n`);
  expect(asked[0]).toMatch(/\r\n\r\n$/);
});

test.each([
  ["401 Unauthorized", "", /^warn it refuses us \(401\); .* lost: see OTEL_EXPORTER_OTLP_HEADERS/],
  [
    "404 Not Found",
    "",
    /^warn it answers 404 at \/v1\/traces; .*: correct OTEL_EXPORTER_OTLP_ENDPOINT: .*4318/,
  ],
  ["200 OK", "Content-Type: text/html\r\n", /^warn a web page answers there \(text\/html\), not a collector/],
  ["400 Bad Request", "", /^ok takes spans \(400/],
  ["503 Service Unavailable", "", /^warn it answers 503 to an export; .*: see the collector's log/],
])("a collector that answers %s %s", async (status, header, said) => {
  const { url } = await httpServer(() => answer(status, "", header));
  expect((await examine({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).line("traces")).toMatch(said);
});

test("a path of its own is named by its own setting", async () => {
  const server = await httpServer((_, path) =>
    answer(path === "/v1/traces" ? "200 OK" : "404 Not Found", ""),
  );
  const { line } = await examine({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${server.url}/traces` });
  expect(line("traces")).toMatch(/404 at that path; .*: correct OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: /);
});

test("a collector that cannot be reached, that speaks another protocol, or that does not answer", async () => {
  const warned = async (url: string): Promise<string> =>
    (await examine({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).line("traces");
  expect(await warned(`http://${NOWHERE}`)).toMatch(
    /^warn .*ECONNREFUSED.*until then spans are lost: start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT/,
  );
  // As a server of gRPC does with HTTP/1.1: frames of HTTP/2.
  const grpc = await serve({
    onRequest: (socket) => socket.end(Buffer.from("00000604000000000000054000010000", "hex")),
  });
  expect(await warned(grpc.url)).toMatch(/^warn .* cannot be reached .*: correct .*gRPC, .* at 4317/);
  const silent = await serve({});
  expect(await warned(silent.url)).toMatch(/^warn .* does not answer \(no answer within 4000 ms\)/);
});

test("an answer whose body does not end", async () => {
  const server = await serve({
    onRequest: (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n"),
  });
  const { line } = await examine({ OTEL_EXPORTER_OTLP_ENDPOINT: server.url });
  expect(line("traces")).toMatch(/^ok takes spans \(200/);
  await eventually(() => server.seen.every(({ closed }) => closed), "the end of the connections");
});

test("a setting that cannot be read is named and left out, and nothing is asked", async () => {
  const { line, of } = await examine({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" });
  expect(line("settings", "OTEL_EXPORTER_OTLP_ENDPOINT")).toMatch(/^warn is left out/);
  expect(of("traces")).toEqual([]);
});
