import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { collectorOf, type Collector } from "../bridge/traces/open.ts";
import type { Config } from "../config/config.ts";
import { ok, warn, type Bounds, type Check } from "./check.ts";
import { explainFailure, expiresSoon, missingTls, reach, type Fault, type Target } from "./connection.ts";

const ANSWER_MS = 4_000;
const PORTS =
  "collectors take OTLP over HTTP at port 4318, and gRPC, which the bridge does not send, at 4317";

type Answer = { status: number; type: string };

/** Exports no spans: an empty body is an export request without any. */
const exportNothing = ({ url, headers, ca }: Collector, { clock, signal }: Bounds): Promise<Answer> =>
  clock.withDeadline(
    ANSWER_MS,
    signal,
    (own) =>
      new Promise<Answer>((resolve, reject) => {
        const request = url.startsWith("https:") ? requestHttps : requestHttp;
        const sent = { ...headers(), "content-type": "application/x-protobuf", "content-length": 0 };
        request(url, { method: "POST", headers: sent, ca, signal: own, agent: false }, (answer) => {
          resolve({ status: answer.statusCode ?? 0, type: answer.headers["content-type"] ?? "" });
          // A body may never end, and would keep the process alive.
          answer.destroy();
        })
          .on("error", reject)
          .end();
      }),
  );

/** What the collector's answer says. It is never a failure: the bridge works without traces. */
const judge = (name: string, { status, type }: Answer, setting: string): Check => {
  const lost = "until then spans are lost";
  // A collector may refuse an empty request, but not before it knows the address and us.
  if (status === 400 || (status >= 200 && status < 300 && !/html/i.test(type)))
    return ok(name, `takes spans (${status} to an export of none)`);
  if (status >= 200 && status < 300)
    return warn(
      name,
      `a web page answers there (${type}), not a collector; ${lost}`,
      `correct ${setting}: ${PORTS}`,
    );
  if (status === 401 || status === 403)
    return warn(
      name,
      `it refuses us (${status}); ${lost}`,
      "see OTEL_EXPORTER_OTLP_HEADERS and OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    );
  if (status === 404 || status === 405)
    return warn(
      name,
      `it answers ${status} at ${setting.endsWith("TRACES_ENDPOINT") ? "that path" : "/v1/traces"}; ${lost}`,
      `correct ${setting}: ${PORTS}`,
    );
  return warn(name, `it answers ${status} to an export; ${lost}`, "see the collector's log");
};

/** Checks that the collector of traces takes spans. Nothing where traces are off. */
export const checkTraces = async (config: Config, bounds: Bounds): Promise<Check[]> => {
  const collector = collectorOf(config);
  if (collector === null) return [];
  const { tracesEndpoint } = config.traces;
  const setting = tracesEndpoint ? "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" : "OTEL_EXPORTER_OTLP_ENDPOINT";
  const url = new URL(collector.url);
  const caSetting = "OTEL_EXPORTER_OTLP_CERTIFICATE";
  const target: Target = { url, tls: { ca: collector.ca }, setting, caSetting };
  const name = `collector ${url.host}`;
  const notReached = ({ detail, remedy }: Fault): Check =>
    warn(name, `${detail}; until then spans are lost`, remedy);
  const reached = await reach(target, bounds);
  if (!reached.ok) return [notReached(reached)];
  const soon = expiresSoon(reached.expiresMs, bounds.clock);
  if (soon !== null) return [warn(name, soon, "have it renewed")];
  try {
    const answer = await exportNothing(collector, bounds);
    // Some servers answer a request without TLS with 400.
    const noTls = answer.status === 400 ? await missingTls(target, bounds) : null;
    return [noTls ? notReached(noTls) : judge(name, answer, setting)];
  } catch (error) {
    bounds.signal.throwIfAborted();
    const noTls = await missingTls(target, bounds);
    if (noTls) return [notReached(noTls)];
    const { detail } = explainFailure(error, target);
    return [notReached({ detail, remedy: `correct ${setting}: ${PORTS}` })];
  }
};
