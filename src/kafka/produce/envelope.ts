import type { Headers } from "../record.ts";

/** What all CloudEvents 1.0 events of a writer have in common. */
export type EventKind = {
  type: string;
  /** A URI reference. */
  source: string;
};

/** Context attributes of one event. */
export type Envelope = {
  id: string;
  subject: string;
  timeMs: number;
  /** W3C trace context, where there is one. */
  traceparent: string | null;
};

export type EnvelopeHeaders = { common: Readonly<Headers>; headersOf: (envelope: Envelope) => Headers };

/** Header names and values of the CloudEvents Kafka binding in binary mode. */
export const envelopeHeaders = ({ type, source }: EventKind): EnvelopeHeaders => ({
  common: Object.freeze({
    ce_specversion: "1.0",
    ce_source: source,
    ce_type: type,
    "content-type": "application/avro",
  }),
  headersOf: ({ id, subject, timeMs, traceparent }) => ({
    ce_id: id,
    ce_time: new Date(timeMs).toISOString(),
    ce_subject: subject,
    ...(traceparent !== null && { traceparent }),
  }),
});
