import { once } from "node:events";
import { createServer } from "node:http";

/**
 * A trace collector that discards everything.
 * @param {import("../../dev/program.mjs").Scope} scope
 * @param {string} part share of the traces that are sampled, 0 to 1
 * @returns {Promise<Record<string, string>>} the settings of a bridge that exports to it
 */
export async function startCollector(scope, part) {
  const server = createServer((request, response) => request.resume().on("end", () => response.end()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  scope.defer(async () => void server.close().closeAllConnections());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the collector has no port");
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${address.port}`,
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: part,
  };
}
