// node bench/inproc.tmp.mjs dist [n] — own code of the webhooks' path, without sockets
import { createHmac } from "node:crypto"; import { pathToFileURL } from "node:url"; import { resolve } from "node:path"; import fs from "node:fs";
const dist = process.argv[2] ?? "dist"; const N = Number(process.argv[3] ?? 100000); const C = Number(process.argv[4] ?? 64);
const at = (p) => import(pathToFileURL(resolve(dist, p)).href);
const { webhooksToEvents } = await at("webhooks-to-events/flow.js"); const { verification } = await at("webhooks-to-events/verify.js");
const { eventWindow } = await at("webhooks-to-events/event-window.js"); const { encoder } = await at("kafka/schema/codec.js"); const { readSchema } = await at("kafka/schema/schemas.js");
const { envelopeHeaders } = await at("kafka/produce/envelope.js"); const { createPublisher } = await at("kafka/produce/publisher.js"); const { recordBatch } = await at("kafka/produce/record-batch.js");
const clk = await at("runtime/clock.js"); const clock = clk.systemClock ?? clk.createClock?.() ?? Object.values(clk).find((x) => x?.withDeadline);
const { createMetrics } = await at("ops/metrics.js").catch(() => ({}));
const { pino } = await import("pino"); const { createLog } = await at("ops/log.js");
let bytes = 0; const log = createLog("info", { write: (l) => { bytes += l.length; } });
const SECRET = "s3cret"; const OLD = dist.includes("-o"); const metrics = createMetrics({ publisherWaiting: () => ({}), kafkaUp: () => ({}), commands: () => ({}) }); const ps = metrics.publishSeconds.labels("t"); const createdAt = new Date().toISOString();
const make = (k) => Array.from({ length: k }, (_, i) => { const body = Buffer.from(`{"transactionId":"${Math.random().toString(16).slice(2, 14)}-${String(i).padStart(10, "0")}","status":"PAYMENT_CONFIRMED","createdAt":"${createdAt}","eventType":"TRANSACTION_STATUS_UPDATED"}`); return { body, sig: createHmac("sha256", SECRET).update(body).digest("hex") }; });
const session = { leaders: async () => [1, 1, 1, 1, 1, 1], close: async () => {}, send: async (batch) => {
  const by = new Map(); for (const { partition, record } of batch) { const l = by.get(partition); if (l) l.push(record); else by.set(partition, [record]); }
  const off = new Map(); for (const [p, l] of by) { recordBatch(l, Date.now()); off.set(p, next[p] ?? 0); next[p] = (next[p] ?? 0) + l.length; } await new Promise(setImmediate); return off; } };
const next = [];
const publisher = createPublisher({ topic: "t", maxWaiting: 2048, maxWaitingBytes: 1e8, sendTimeoutMs: 5000, acknowledged: (ms) => ps.observe(ms / 1000) }, { open: async () => session, clock, log, random: Math.random });
const encode = encoder(readSchema("transaction-status-updated"), 7); const env = envelopeHeaders({ type: "cambio.bridge.v1.TransactionStatusUpdated", source: "http://127.0.0.1:9" }); const common = env.common, headersOf = env.headersOf ?? env;
const window = eventWindow({ windowMs: 7200000, maxBytes: 72_000_000 });
const receive = webhooksToEvents({ clock, now: clock.now, verify: verification({ auth: { kind: "hmac", headerName: "x-signature", prefix: "" }, secrets: () => S, allowedCidrs: [], trustedProxyCidrs: [] }),
  publish: (event, traceparent) => { const t0 = OLD ? clock.monotonic() : 0; const headers = headersOf({ id: event.eventId, type: "cambio.bridge.v1.TransactionStatusUpdated", source: "http://127.0.0.1:9", subject: event.transactionId, timeMs: event.occurredAt ?? event.receivedAt, traceparent });
    const p = publisher.publish({ key: Buffer.from(event.transactionId), value: encode(event), headers, ...(common && { common }) }, 5000); return OLD ? p.then((x) => { ps.observe((clock.monotonic() - t0) / 1000); return x; }) : p; },
  park: async () => { throw new Error("park"); }, memory: { seen: window.seen.bind(window), about: window.about.bind(window), note: (e, b, d) => window.note(e, typeof b === "number" ? b : clock.now(), d) } });
const S = [SECRET];
const one = async (r) => { const startedAt = clock.monotonic(); const d = { pathToken: null, headers: { host: "localhost", "content-type": "application/json", "x-signature": r.sig, "content-length": "1" }, body: r.body, peerAddress: "127.0.0.1", receivedAt: clock.now() };
  const reception = await receive(d); if (reception.kind !== "published") throw new Error(JSON.stringify(reception));
  const { event, place } = reception; metrics.webhookRequests.inc({ code: 200 }); metrics.webhookSeconds.observe((clock.monotonic() - startedAt) / 1000); log.info({ code: 200, kind: reception.kind, eventId: event.eventId, transactionId: event.transactionId, status: event.status, partition: place.partition, offset: place.offset, ms: Math.round((clock.monotonic() - startedAt) * 10) / 10, reason: undefined }, "webhook.served"); };
const all = make(N); const res = [];
const play = async (list) => { let i = 0; await Promise.all(Array.from({ length: C }, async () => { while (i < list.length) await one(list[i++]); })); };
const rounds = 40; const per = Math.floor(N / rounds);
for (let k = 0; k < rounds; k++) { const c0 = process.cpuUsage(), t0 = performance.now(); await play(all.slice(k * per, (k + 1) * per)); const c = process.cpuUsage(c0); if (k > 0) res.push([(performance.now() - t0) * 1000 / per, (c.user + c.system) / per]); }
const med = (a) => a.sort((x, y) => x - y)[Math.floor(a.length * 0.1)];
console.log(dist, "wall", med(res.map((r) => r[0])).toFixed(2), "cpu", med(res.map((r) => r[1])).toFixed(2), "µs each");
process.exit(0);
