import type { Config } from "../config/config.ts";
import { createPartner, type Partner } from "../partner/client.ts";
import type { Call } from "../partner/types.ts";
import { missingFields, type NamedField } from "../runtime/named-fields.ts";
import { secretsOfPartner } from "./own-secrets.ts";
import type { Services } from "./services.ts";

/** The flow reconcile makes one request for the log at a time. */
const LOG_CONNECTIONS = 1;

/** The partner client of this configuration. Credentials and proxy are read anew for each call. */
export const openPartner = (config: Config, { clock }: Pick<Services, "clock">): Partner => {
  const { partner, bridge } = config;
  const { accessToken, xToken, proxyUrl } = partner;
  return createPartner({
    baseUrl: new URL(partner.baseUrl ?? ""),
    credentials: {
      current: () => ({ accessToken: accessToken?.reveal() ?? "", xToken: xToken?.reveal() ?? "" }),
      reload: () => {
        accessToken?.reload();
        xToken?.reload();
      },
    },
    userAgent: `${partner.name ?? ""}-${partner.serviceName}`,
    tls: { ca: partner.tlsCa, cert: partner.tlsCert, key: partner.tlsKey?.reveal() },
    proxy: proxyUrl ? () => new URL(proxyUrl.reveal()) : null,
    connectTimeoutMs: partner.connectTimeoutMs,
    callTimeoutMs: partner.callTimeoutMs,
    maxConnections: partner.maxConnections - (bridge.flows.includes("reconcile") ? LOG_CONNECTIONS : 0),
    keepAliveMs: partner.keepAliveMs,
    maxPerSecond: partner.maxRequestsPerSecond ?? null,
    maxResponseBytes: partner.maxResponseBytes,
    acceptDoubtStatuses: partner.doubtStatuses,
    quoteIdPointer: partner.quoteIdPointer ?? null,
    transactionIdPointer: partner.transactionIdPointer ?? null,
    failedWhen: partner.failedWhen,
    resultFields: partner.resultFields,
    logEndParameter: partner.logEndParameter,
    logMaxBytes: partner.logMaxBytes,
    otherSecrets: () => secretsOfPartner(config),
    clock,
  });
};

/**
 * Counts and times every call, and the fields that a 2xx lacks. One that was not sent because it was no longer allowed has a word of its own:
 * such calls say nothing about the partner.
 */
export const measured =
  (
    call: Call,
    {
      metrics,
      clock,
      resultFields,
    }: Pick<Services, "metrics" | "clock"> & { resultFields: readonly NamedField[] },
  ): Call =>
  async (request, options) => {
    const startedAt = clock.monotonic();
    // Without any time left it cannot even connect.
    let isAllowed = options.withinMs > 0;
    const mayCall = (): boolean => (isAllowed = options.mayCall());
    const outcome = await call(request, { ...options, mayCall });
    const { operation } = request;
    const kind = outcome.kind === "notSent" && !isAllowed ? "notAllowed" : outcome.kind;
    metrics.partnerCalls.inc({ operation, outcome: kind });
    if (outcome.kind === "executed")
      for (const field of missingFields(resultFields, outcome.answer.fields ?? {}))
        metrics.fieldsMissing.inc({ kind: "result", field });
    metrics.partnerSeconds.observe({ operation }, (clock.monotonic() - startedAt) / 1_000);
    return outcome;
  };
