import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { eventually } from "./eventually.ts";
import { listen } from "./listen.ts";

// An OTLP collector that shares no code with the exporter. It decodes the protobuf fields that tests need, by
// their numbers in opentelemetry/proto/trace/v1/trace.proto.

type Fields = Map<number, (bigint | Buffer)[]>;

/** The fields of a protobuf message by number. */
const fieldsOf = (bytes: Buffer): Fields => {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error("a message that is cut off");
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    const value =
      wire === 0 ? varint() : take(wire === 1 ? 8 : wire === 5 ? 4 : Number(wire === 2 ? varint() : -1));
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
};

const all = (fields: Fields, field: number): Buffer[] =>
  (fields.get(field) ?? []).filter((value) => Buffer.isBuffer(value));
const one = (fields: Fields, field: number): Buffer => all(fields, field)[0] ?? Buffer.alloc(0);
const text = (fields: Fields, field: number): string => one(fields, field).toString();
const hex = (fields: Fields, field: number): string => one(fields, field).toString("hex");
const number = (fields: Fields, field: number): number => Number(fields.get(field)?.[0] ?? 0);

type Attributes = Record<string, string | number | boolean>;

const attributesOf = (fields: Fields, field: number): Attributes =>
  Object.fromEntries(
    all(fields, field).map((bytes): [string, string | number | boolean] => {
      const pair = fieldsOf(bytes);
      const value = fieldsOf(one(pair, 2));
      if (value.has(1)) return [text(pair, 1), text(value, 1)];
      if (value.has(2)) return [text(pair, 1), number(value, 2) === 1];
      if (value.has(3)) return [text(pair, 1), number(value, 3)];
      return [text(pair, 1), one(value, 4).readDoubleLE()];
    }),
  );

const KINDS = ["unspecified", "internal", "server", "client", "producer", "consumer"] as const;

export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  /** Empty for a root span. */
  parentSpanId: string;
  traceState: string;
  name: string;
  kind: (typeof KINDS)[number] | undefined;
  startNs: bigint;
  endNs: bigint;
  attributes: Attributes;
  links: { traceId: string; spanId: string; traceState: string }[];
  isError: boolean;
  resource: Attributes;
};

const spanOf = (bytes: Buffer, resource: Attributes): ReceivedSpan => {
  const span = fieldsOf(bytes);
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    traceState: text(span, 3),
    parentSpanId: hex(span, 4),
    name: text(span, 5),
    kind: KINDS[number(span, 6)],
    startNs: one(span, 7).readBigUInt64LE(),
    endNs: one(span, 8).readBigUInt64LE(),
    attributes: attributesOf(span, 9),
    links: all(span, 13).map((link) => {
      const fields = fieldsOf(link);
      return { traceId: hex(fields, 1), spanId: hex(fields, 2), traceState: text(fields, 3) };
    }),
    isError: number(fieldsOf(one(span, 15)), 3) === 2,
    resource,
  };
};

const spansOf = (request: Buffer): ReceivedSpan[] =>
  all(fieldsOf(request), 1).flatMap((bytes) => {
    const ofResource = fieldsOf(bytes);
    const resource = attributesOf(fieldsOf(one(ofResource, 1)), 1);
    return all(ofResource, 2).flatMap((scope) =>
      all(fieldsOf(scope), 2).map((span) => spanOf(span, resource)),
    );
  });

export type Export = { path: string; headers: IncomingHttpHeaders; body: Buffer };

/** The HTTP status of every answer, or what answers; null: requests are read but never answered. */
export type Answer = number | null | ((response: ServerResponse) => void);

export const openReceiver = async (answer: Answer = 200) => {
  const spans: ReceivedSpan[] = [];
  const exports: Export[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const sent = Buffer.concat(chunks);
      const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
      exports.push({ path: request.url ?? "", headers: request.headers, body });
      if (answer === 200) spans.push(...spansOf(body));
      if (typeof answer === "function") answer(response);
      else if (answer !== null)
        response.writeHead(answer, { "content-type": "application/x-protobuf" }).end();
    });
  });
  const url = `http://${await listen(server)}`;
  return {
    url,
    spans,
    exports,
    /** Waits for `count` spans that fit. */
    until: async (
      fits: (span: ReceivedSpan) => boolean,
      count = 1,
      withinMs?: number,
    ): Promise<ReceivedSpan[]> => {
      const found = () => spans.filter(fits);
      await eventually(
        () => found().length >= count,
        `${count} such spans among ${spans.map(({ name }) => name).join(", ")}`,
        withinMs,
      );
      return found();
    },
    close: async (): Promise<void> => {
      server.close().closeAllConnections();
      await once(server, "close");
    },
  };
};

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;
