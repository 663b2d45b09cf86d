import { pathToFileURL } from "node:url"; import { resolve } from "node:path"; import { createHmac } from "node:crypto";
const dist = process.argv[2] ?? "dist"; const at = (p) => import(pathToFileURL(resolve(dist, p)).href);
const { createLog } = await at("ops/log.js"); const { createMetrics } = await at("ops/metrics.js"); const { hmacKey, hmacSha256 } = await at("webhooks-to-events/hmac.js");
const { parse } = await at("webhooks-to-events/parse.js"); const { translate } = await at("webhooks-to-events/translate.js"); const { occurredAtOf } = await at("webhooks-to-events/occurred-at.js"); const { eventIdOf } = await at("webhooks-to-events/event-id.js");
const { envelopeHeaders } = await at("kafka/produce/envelope.js"); const { sizeOf } = await at("kafka/produce/waiting.js"); const { recordBatch } = await at("kafka/produce/record-batch.js"); const { encoder } = await at("kafka/schema/codec.js"); const { readSchema } = await at("kafka/schema/schemas.js"); const { eventWindow } = await at("webhooks-to-events/event-window.js"); const { InFlight } = await at("webhooks-to-events/in-flight.js"); const { verification } = await at("webhooks-to-events/verify.js"); const { crc32c } = await at("kafka/produce/crc32c.js");
let bytes = 0; const log = createLog("info", { write: (l) => { bytes += l.length; } }); const b2 = Buffer.alloc(1<<20); let e2=0; const logw = createLog("info", { write: (l) => { if (e2>1e6) e2=0; e2 += b2.write(l, e2); } });
const m = createMetrics({ publisherWaiting: () => ({}), kafkaUp: () => ({}), commands: () => ({}) });
const N = 20000; const createdAt = new Date().toISOString();
const bodies = Array.from({ length: N }, (_, i) => Buffer.from(`{"transactionId":"${Math.random().toString(16).slice(2, 14)}-${String(i).padStart(10, "0")}","status":"PAYMENT_CONFIRMED","createdAt":"${createdAt}","eventType":"TRANSACTION_STATUS_UPDATED"}`));
const sigs = bodies.map((b) => createHmac("sha256", "s3cret").update(b).digest("hex"));
const notes = bodies.map((b) => parse({ body: b }).notification); const known = { direction: "UNKNOWN", latestOccurredAt: null };
const events = notes.map((n) => translate(n, { receivedAt: Date.now(), source: "WEBHOOK", known })); const key = hmacKey(Buffer.from("s3cret"));
const headersOf = envelopeHeaders(); const hd = (e) => headersOf({ id: e.eventId, type: "cambio.bridge.v1.TransactionStatusUpdated", source: "http://127.0.0.1:9", subject: e.transactionId, timeMs: e.occurredAt, traceparent: null });
const encode = encoder(readSchema("transaction-status-updated"), 7); const recs = events.map((e) => ({ key: Buffer.from(e.transactionId), value: encode(e), headers: hd(e) }));
const win = eventWindow({ windowMs: 7200000, maxBytes: 72e6 }); const ver = verification({ auth: { kind: "hmac", headerName: "x-signature", prefix: "" }, secrets: (() => { const s = ["s3cret"]; return () => s; })(), allowedCidrs: [], trustedProxyCidrs: [] });
const fl = new InFlight(); const ps = m.publishSeconds.labels("t");
const parts = {
  log: (i) => { const e = events[i]; log.info({ code: 200, kind: "published", eventId: e.eventId, transactionId: e.transactionId, status: e.status, partition: 3, offset: i, ms: 12.3, reason: undefined }, "webhook.served"); },
  logwrite: (i) => { const e = events[i]; logw.info({ code: 200, kind: "published", eventId: e.eventId, transactionId: e.transactionId, status: e.status, partition: 3, offset: i, ms: 12.3, reason: undefined }, "webhook.served"); },
  counter: () => m.webhookRequests.inc({ code: 200 }), hist: (i) => m.webhookSeconds.observe((i % 300) / 10000), histl: (i) => ps.observe((i % 300) / 10001.1),
  verify: (i) => ver({ body: bodies[i], headers: { "x-signature": sigs[i] }, peerAddress: "127.0.0.1" }, 1), hmac: (i) => hmacSha256(key, bodies[i]),
  parse: (i) => parse({ body: bodies[i] }), translate: (i) => translate(notes[i], { receivedAt: 1, source: "WEBHOOK", known }), occurredAt: (i) => occurredAtOf(notes[i].createdAt), eventId: (i) => eventIdOf(notes[i]),
  about: (i) => win.about(events[i].transactionId, 1e12), seen: (i) => win.seen(events[i].eventId, 1e12), note: (i) => win.note(events[i], 1e12, { place: i * 1000, high: i, low: 4*i }),
  headers: (i) => hd(events[i]), encode: (i) => encode(events[i]), key: (i) => Buffer.from(events[i].transactionId), sizeOf: (i) => sizeOf(recs[i]), inflight: (i) => { fl.find(events[i].eventId); fl.add(events[i].eventId, 1); fl.remove(events[i].eventId); },
};
const rb = recs.slice(0, 40); const one = Object.fromEntries(Object.keys(parts).map((k) => [k, 1e9]));
let rbBest = 1e9, crcBest = 1e9; const big = recordBatch(rb, 1);
for (let r = 0; r < 12; r++) { for (const k in parts) { const f = parts[k]; const t = performance.now(); for (let i = 0; i < N; i++) f(i); one[k] = Math.min(one[k], (performance.now() - t) * 1000 / N); }
 let t = performance.now(); for (let i = 0; i < 500; i++) recordBatch(rb, 1); rbBest = Math.min(rbBest, (performance.now() - t) * 1000 / 500 / 40); t = performance.now(); for (let i = 0; i < 500; i++) crc32c(big); crcBest = Math.min(crcBest, (performance.now() - t) * 1000 / 500 / 40); }
one.recordBatch = rbBest; one.ofWhichCrc = crcBest;
for (const k in one) console.log(k.padEnd(12), one[k].toFixed(2));
