import { isoTimes } from "../../runtime/iso-time.ts";
import type { Headers } from "../record.ts";

/** Context attributes of a CloudEvents 1.0 event. */
export type Envelope = {
  id: string;
  type: string;
  /** A URI reference. */
  source: string;
  subject: string;
  timeMs: number;
  /** W3C trace context, where there is one. */
  traceparent: string | null;
};

/** Gives what writes header names and values of the CloudEvents Kafka binding in binary mode. Made once by whoever publishes: it is quick for times that ascend. */
export const envelopeHeaders = (): ((envelope: Envelope) => Headers) => {
  const timeOf = isoTimes();
  return ({ id, type, source, subject, timeMs, traceparent }) => ({
    ce_specversion: "1.0",
    ce_id: id,
    ce_source: source,
    ce_type: type,
    ce_time: timeOf(timeMs),
    ce_subject: subject,
    "content-type": "application/avro",
    ...(traceparent !== null && { traceparent }),
  });
};
