import { expect, test } from "vitest";
import { checkFor, leadingCommandId } from "../../src/commands-to-results/check.ts";
import { quoteKey } from "../../src/commands-to-results/quote-key.ts";
import { block, inlineText } from "../../src/console/html/text.ts";
import { decoder, encoder } from "../../src/kafka/schema/codec.ts";
import { readSchema } from "../../src/kafka/schema/schemas.ts";
import { redacted } from "../../src/kafka/sign-in/sign-in-error.ts";
import { linksToMore, readAnswer } from "../../src/log-to-events/read-answer.ts";
import { readLogEntry } from "../../src/log-to-events/read-entry.ts";
import { parseBody } from "../../src/notification/notification.ts";
import { occurredAtOf } from "../../src/notification/occurred-at.ts";
import { isSamePerson } from "../../src/operate/actor.ts";
import { partnerLogViews } from "../../src/operate/partner-log.ts";
import { bodyText, readRetryAfter } from "../../src/partner/calls/answer.ts";
import { findQuoteId, findTransactionId, quoteIdOfLocation } from "../../src/partner/calls/find-quote-id.ts";
import { headReader } from "../../src/partner/connection/status-line.ts";
import { isCidr, rangesOf } from "../../src/runtime/cidr.ts";
import { readInstant } from "../../src/runtime/instant.ts";
import { escapeInvisible, escapeInvisibleLines } from "../../src/runtime/invisible.ts";
import { membersUpToCut } from "../../src/runtime/json.ts";
import { maskFor } from "../../src/runtime/mask.ts";
import { saysFailed } from "../../src/runtime/json-pointer.ts";

import { configOf } from "./config/environment.ts";
import { verificationOf } from "./webhooks-to-events/reception.ts";
import { FORM } from "./log-to-events/answers.ts";
import { openConsole } from "./console/browser.ts";

type Take = (text: string) => unknown;

const secrets = ["s3cret-one", "s3cret-two", "s3c1", "Q+/\\%"];
const token = Buffer.from(Array.from({ length: 6_000 }, (_, i) => (i * i * 31 + (i >> 3)) & 255)).toString(
  "base64",
);
const mask = maskFor([...secrets, token]);
const head = { pathToken: null, headers: {}, peerAddress: "10.0.0.1", receivedAt: 1_800_000_000_000 };
const signed = (auth: "header" | "hmac" | "standard-webhooks", name: string): Take => {
  const admit = verificationOf({
    ...{ auth, signatureHeader: name, signaturePrefix: "sha256= , ", secrets: () => ["czNjcmV0czNjcmV0"] },
    ...{ allowedCidrs: ["10.0.0.0/8"], trustedProxyCidrs: ["10.0.0.1"] },
  });
  const headers = { "webhook-id": "1", "webhook-timestamp": "1800000000", "webhook-signature": "v1,x" };
  return (text) => admit({ ...head, headers: { ...headers, [name]: text } });
};
const byPath = verificationOf({ auth: "path-token", secrets: () => ["s3cret"] });
const check = checkFor({ purposes: [], currencies: [] });
const schema = readSchema("command");
const decode = decoder(
  schema,
  { registry: { writer: () => Promise.resolve(null) }, clock: { monotonic: () => 0 } },
  { ownId: 7 },
);
const encode = encoder(schema, 7);
const views = partnerLogViews(configOf({}), () => undefined);
const stream = (text: string) => new Blob([text]).stream() as unknown as AsyncIterable<Uint8Array>;
const logged = (text: string) =>
  readAnswer({ body: stream(text), httpStatus: 200, headers: { link: text } }, FORM, () => undefined);
const console_ = openConsole();
const fed = (text: string, bytes: number): void => {
  const { feed } = headReader();
  for (let at = 0; at < text.length; at += bytes) feed(Buffer.from(text.slice(at, at + bytes), "latin1"));
};
const json = (text: string): string => JSON.stringify(text);

/** What a stranger, the partner or the registry sends, and every function that takes it. */
const edges: Readonly<Record<string, Take>> = {
  "webhook: path token": (text) => byPath({ ...head, pathToken: text }),
  "webhook: header": signed("header", "x-signature"),
  "webhook: hmac": signed("hmac", "x-signature"),
  "webhook: X-Forwarded-For": signed("header", "x-forwarded-for"),
  "webhook: id": signed("standard-webhooks", "webhook-id"),
  "webhook: timestamp": signed("standard-webhooks", "webhook-timestamp"),
  "webhook: signature": signed("standard-webhooks", "webhook-signature"),
  "webhook: body": (text) => parseBody(Buffer.from(text)),
  "webhook: a member of the body": (text) =>
    parseBody(
      Buffer.from(`{"transactionId":${json(text)},"status":${json(text)},"createdAt":"","x":${text}}`),
    ),
  createdAt: occurredAtOf,
  "a date": readInstant,
  masks: (text) => mask(text),
  "partner: status line": (text) => fed(`HTTP/1.1 200 ${text}`, 1_000),
  "partner: 1xx answers": (text) => fed(`HTTP/1.1 103 ${text}\r\n\r\n`, 1_000),
  "partner: 1xx answers at once": (text) => fed(`HTTP/1.1 103 ${text}\r\n\r\n`, 65_536),
  "partner: header": (text) => fed(`HTTP/1.1 103 x\r\na: ${text}\r\n\r\nHTTP/1.1 200 x`, 65_536),
  "partner: Retry-After": (text) => readRetryAfter(text, 0),
  "partner: Location": (text) => quoteIdOfLocation(text, "/quotes"),
  "partner: body": (text) => bodyText(Buffer.from(text), { maxBytes: 65_536, mask }),
  "partner: answer to a create": (text) => findQuoteId(`{"x":${json(text)},"data":${text}}`, undefined),
  "partner: answer to an accept": (text) =>
    findTransactionId(`{"x":${json(text)},"data":${text}}`, undefined),
  "partner: an id at a pointer": (text) => findQuoteId(`{"x":{"y":${text}}}`, "/x/y"),
  "partner: failure": (text) => saysFailed(`{"error":${json(text)},"success":${text}`),
  "partner: log": logged,
  "partner: entries of the log": (text) => logged(`[${json(text)},{"transactionId":${text}}]`),
  "partner: an entry": (text) => readLogEntry(json(`{"x":{"y":${text}}}`), {}),
  "partner: an entry at a pointer": (text) =>
    readLogEntry(`{"x":${text},"y":[${text}]}`, { logNotificationPointer: "/y/0/z", logEventPointer: "/x" }),
  "partner: Link": linksToMore,
  "partner: log, shown": (text) => views.entries({ body: stream(`[${text}]`) }, () => Promise.resolve()),
  "command: JSON": (text) => check.json(Buffer.from(`{"commandId":${json(text)},"request":${text}}`), 0),
  "command: JSON that is broken": (text) => leadingCommandId(Buffer.from(`{"commandId":"${text}`)),
  "command: quoteId": quoteKey,
  "command: Avro": (text) => {
    const request = { "cambio.bridge.v1.AcceptQuote": { quoteId: text, counterpartyId: text } };
    const fields = { ...request["cambio.bridge.v1.AcceptQuote"], amount: null, externalId: null };
    const value = { commandId: text, issuedAt: 0, expiresAt: null };
    return decode(encode({ ...value, request: { "cambio.bridge.v1.AcceptQuote": fields } }));
  },
  "registry: message": (text) => redacted(text, secrets),
  "registry: schema": (text) =>
    decoder(schema, {
      registry: { writer: () => Promise.resolve(text) },
      clock: { monotonic: () => 0 },
    })(Buffer.from([0, 0, 0, 0, 9])),
  "an address": rangesOf(["10.0.0.0/8", "fd00::/8"]),
  "a range of addresses": isCidr,
  "a person": (text) => isSamePerson(text, "ana"),
  "what a terminal shows": (text) => escapeInvisible(text) + escapeInvisibleLines(text),
  "JSON that is cut": membersUpToCut,
  "console: parameter": (text) =>
    console_.get("ana", `/doubt?command=${text}&reason=${encodeURIComponent(text)}`),
  "console: path": (text) => console_.get("ana", `/${text}`),
  "console: password": (text) =>
    console_.send("/story", { headers: { authorization: `Basic ${btoa("x")}${text}` } }),
  "console: a page": (text) => [inlineText(text, 4_000), block(text)],
};

const CHARACTERS = [
  ...Array.from(" \t\n\0a0-_.,;:/\\%&#=+'\"`()[]{}<>"),
  ...["\u0301", "\u0664", "\u200b", "\u009b"],
];
const PIECES = [
  ...`%25|%2525|\\u00|\\"|&#x2|eyJ.|[]|[a]|a=1,|next |; rel="next |";|HTTP/1.1 100 |{"a":`.split("|"),
  ...`"transactionId":|v1,|,v1,|s3cret-one|s3cret-tw|s3c1|10.0.0.1,|/../|\u{1fbf2}|%CC%81`.split("|"),
  ...["\r\n\r\n", "HTTP/1.1 100\n\n"],
];
const PAIRS = CHARACTERS.flatMap((one) => CHARACTERS.map((other) => one + other));
const AWKWARD = [...CHARACTERS, ...PIECES, ...PAIRS];

const [SHORT, LONG, LONGEST] = [4_096, 16_384, 65_536];
const long = (piece: string, length: number): string => `x${piece.repeat(length / piece.length)}x`;

/** Processor time: the machine may be busy with other things. */
const costOf = async (take: Take, piece: string, length: number): Promise<number> => {
  const text = long(piece, length);
  const before = process.cpuUsage();
  try {
    await take(text);
  } catch {
    // What it cannot take it may refuse.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

const leastOf = async (take: Take, piece: string, length: number, runs: number): Promise<number> => {
  let least = Infinity;
  for (let run = 0; run < runs; run++) least = Math.min(least, await costOf(take, piece, length));
  return least;
};

/** What is cheaper is not judged: so much of it in quadratic time costs more. */
const FLOOR_MS = 15;
/** Six times as much for four times the length, twice. What is linear takes 16 times as much, what is quadratic 256. */
const MOST_GROWTH = 36;
/** One round within it suffices: a busy machine may disturb most of them, and what is quadratic passes none. */
const MOST_ROUNDS = 12;

/** How much more 64 kB cost than 4 kB, where that is too much however often it is measured; else null. */
const growth = async (take: Take, piece: string): Promise<number | null> => {
  // Pairs are many, so less of each is tried.
  const length = PAIRS.includes(piece) ? LONG : LONGEST;
  if ((await leastOf(take, piece, length, 1)) < FLOOR_MS) return null;
  if ((await leastOf(take, piece, length, 2)) < FLOOR_MS) return null;
  let least = Infinity;
  for (let round = 1; round <= MOST_ROUNDS && least > MOST_GROWTH; round++) {
    const ms = await leastOf(take, piece, LONGEST, 1);
    // The first measurement was disturbed: what is quadratic never costs so little.
    if (ms < FLOOR_MS) return null;
    least = Math.min(least, ms / (await leastOf(take, piece, SHORT, 2 * Math.min(round, 4))));
  }
  return least > MOST_GROWTH ? least : null;
};

test.each(Object.entries(edges))(
  "four times as much takes no more than six times as long: %s",
  async (_, take) => {
    const slow: string[] = [];
    for (const piece of AWKWARD) {
      const times = await growth(take, piece);
      if (times !== null) slow.push(`${JSON.stringify(piece)}: ${times.toFixed(1)} times`);
      if (slow.length > 2) break;
    }
    expect(slow).toEqual([]);
  },
  60_000,
);
