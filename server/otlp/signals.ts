/** Reads the requests of the three signals, and builds their answers. */
import { type DescMessage, fromJson } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { isRecord } from '../../core/protocol/compile-schema';
import type { SpanPlace, TracedSpan } from './agent-spans';
import { type Attributes, readAttributes, textOf, UnusableField } from './attributes';
import { OWN_SERVICES, readClientEvent } from './client-events';
import { decode, type Encoding, encode, idText, parseJson } from './codec';
import { findLeftOut, GENAI_EVENT, readAgentSpan, readCallKind, readGenAiCall } from './genai';
import type { LeftOutRecord } from './left-out';
import {
  ExportLogsServiceRequestSchema,
  ExportLogsServiceResponseSchema,
} from './proto/opentelemetry/proto/collector/logs/v1/logs_service_pb';
import {
  ExportTraceServiceRequestSchema,
  ExportTraceServiceResponseSchema,
} from './proto/opentelemetry/proto/collector/trace/v1/trace_service_pb';
import type { LogRecord } from './proto/opentelemetry/proto/logs/v1/logs_pb';
import type { Resource } from './proto/opentelemetry/proto/resource/v1/resource_pb';
import type { Span } from './proto/opentelemetry/proto/trace/v1/trace_pb';
import type { Report } from './report';

/** A report with its sender and the place of its record in the request. */
export interface Found {
  report: Report;
  resource: Attributes;
  place: string;
  /** The span of a call; null: the report is not of a span. */
  span: SpanPlace | null;
  /** The record states no operation. It counts unless a call below it counts. */
  isImplied: boolean;
}

export interface Reading {
  found: Found[];
  spans: TracedSpan[];
  /** One sentence for each record that cannot be used. */
  rejected: string[];
  /** Records that have token counts and are no calls. */
  leftOut: LeftOutRecord[];
  /** A sentence about records that were accepted, but are not used. Empty: there are none. */
  warning: string;
}

/** Encoding and time of a received request. */
interface Receipt {
  encoding: Encoding;
  /** The server's time, milliseconds. */
  now: number;
}

export interface Signal {
  /** @throws TooManyMessages, or another error if the body is not a message of this signal */
  read(body: Buffer, receipt: Receipt): Reading;
  /** `message` is empty if there is nothing to report. */
  answer(rejected: number, message: string, encoding: Encoding): Buffer;
}

/** `field`: the name of the count of rejected records. */
function answerer(schema: DescMessage, field: string): Signal['answer'] {
  return (rejected, errorMessage, encoding) => {
    const answer = errorMessage === '' ? {} : { partialSuccess: { [field]: rejected, errorMessage } };
    return encode(schema, fromJson(schema, answer), encoding);
  };
}

const NANOSECONDS = 1_000_000n;
/** A record from further in the future would remain the newest record of its session until that time. */
const MAX_LEAD_MS = 24 * 3_600_000;

function timeFrom(nanoseconds: bigint, field: string, now: number): number {
  if (nanoseconds === 0n) throw new UnusableField(field, 'is missing');
  const at = Number(nanoseconds / NANOSECONDS);
  if (at > now + MAX_LEAD_MS)
    throw new UnusableField(field, 'is more than a day after the time of the server');
  return at;
}

/** Read each record on its own: an unusable record does not affect the others. */
function readEach<R>(
  reading: Reading,
  resource: Resource | undefined,
  records: readonly R[],
  place: string,
  read: (record: R, resource: Attributes) => Pick<Found, 'report' | 'span' | 'isImplied'> | null,
): void {
  const attributes = readAttributes(resource?.attributes ?? []);
  for (const [index, record] of records.entries()) {
    const where = `${place}[${index}]`;
    try {
      const found = read(record, attributes);
      if (found) reading.found.push({ ...found, resource: attributes, place: where });
    } catch (error) {
      if (!(error instanceof UnusableField)) throw error;
      reading.rejected.push(`${where}: ${error.message}`);
    }
  }
}

const emptyReading = (): Reading => ({ found: [], spans: [], leftOut: [], rejected: [], warning: '' });

const logs: Signal = {
  read(body, receipt) {
    const reading = emptyReading();
    const { resourceLogs } = decode(ExportLogsServiceRequestSchema, body, receipt.encoding);
    for (const [r, { resource, scopeLogs }] of resourceLogs.entries()) {
      for (const [s, { scope, logRecords }] of scopeLogs.entries()) {
        const place = `resourceLogs[${r}].scopeLogs[${s}].logRecords`;
        const isClaude = scope?.name.startsWith('com.anthropic.claude_code') === true;
        readEach(reading, resource, logRecords, place, (record, from) =>
          readLog(record, from, isClaude ? 'claude_code.' : '', reading, receipt),
        );
      }
    }
    return reading;
  },
  answer: answerer(ExportLogsServiceResponseSchema, 'rejectedLogRecords'),
};

const isOwnService = (resource: Attributes) => OWN_SERVICES.test(textOf(resource, 'service.name') ?? '');

const placeOf = ({ traceId, spanId }: LogRecord | Span, encoding: Encoding): SpanPlace => ({
  trace: idText(traceId, encoding),
  span: idText(spanId, encoding),
});

function readLog(
  record: LogRecord,
  resource: Attributes,
  prefix: string,
  { leftOut }: Reading,
  { encoding, now }: Receipt,
) {
  const attributes = readAttributes(record.attributes);
  const own = textOf(attributes, 'event.name') ?? '';
  const body = record.body?.value;
  const names = [record.eventName, own, `${prefix}${own}`, body?.case === 'stringValue' ? body.value : ''];
  const time = record.timeUnixNano || record.observedTimeUnixNano;
  const at = () => timeFrom(time, 'timeUnixNano', now);
  if (names.includes(GENAI_EVENT) && !isOwnService(resource)) {
    const span = placeOf(record, encoding);
    return readGenAi({ attributes, resource, span, name: '', at }, leftOut);
  }
  const read = readClientEvent(names, attributes);
  return read && { report: { ...read, at: at() }, span: null, isImplied: false };
}

const traces: Signal = {
  read(body, receipt) {
    const reading = emptyReading();
    const { resourceSpans } = decode(ExportTraceServiceRequestSchema, body, receipt.encoding);
    for (const [r, { resource, scopeSpans }] of resourceSpans.entries()) {
      for (const [s, { spans }] of scopeSpans.entries()) {
        const place = `resourceSpans[${r}].scopeSpans[${s}].spans`;
        readEach(reading, resource, spans, place, (span, from) =>
          isOwnService(from) ? null : readSpan(span, from, reading, receipt),
        );
      }
    }
    return reading;
  },
  answer: answerer(ExportTraceServiceResponseSchema, 'rejectedSpans'),
};

function readSpan(span: Span, resource: Attributes, { spans, leftOut }: Reading, { encoding, now }: Receipt) {
  const place = placeOf(span, encoding);
  const attributes = readAttributes(span.attributes);
  const parent = idText(span.parentSpanId, encoding);
  if (place.trace !== '') spans.push({ ...place, resource, parent, agent: readAgentSpan(attributes) });
  const at = () => timeFrom(span.endTimeUnixNano, 'endTimeUnixNano', now);
  return readGenAi({ attributes, resource, span: place, name: span.name, at }, leftOut);
}

interface GenAiRecord {
  attributes: Attributes;
  resource: Attributes;
  span: SpanPlace;
  name: string;
  /** @throws UnusableField */
  at(): number;
}

function readGenAi({ attributes, resource, span, name, at }: GenAiRecord, leftOut: LeftOutRecord[]) {
  const kind = readCallKind(attributes, name);
  const reason = kind === null ? findLeftOut(attributes) : null;
  if (reason !== null) leftOut.push({ resource, span, reason });
  const read = kind === null ? null : readGenAiCall(attributes, span);
  return read && { report: { ...read, at: at() }, span, isImplied: kind === 'implied' };
}

const UNUSED =
  'The metrics were accepted and not used: metrics cannot give the size of a context. Export logs or traces too.';

/**
 * Metrics are sums over calls and sessions, so they give neither a call nor the size of a context. Only the outer
 * message is read. No data point is rejected, so metrics get the same answer as log records.
 */
const metrics: Signal = {
  read(body, { encoding }) {
    return { ...emptyReading(), warning: hasMetrics(body, encoding) ? UNUSED : '' };
  },
  answer: logs.answer,
};

/** @throws Error if the body is not a request */
function hasMetrics(body: Buffer, encoding: Encoding): boolean {
  if (encoding === 'application/json') {
    const request = parseJson(body);
    const { resourceMetrics = [] } = isRecord(request) ? request : { resourceMetrics: null };
    if (!Array.isArray(resourceMetrics)) throw new Error('resourceMetrics must be a list');
    return resourceMetrics.length > 0;
  }
  const reader = new BinaryReader(body);
  while (reader.pos < body.length) {
    const [number, type] = reader.tag();
    reader.skip(type, number);
  }
  return body.length > 0;
}

export const SIGNALS: Readonly<Record<string, Signal>> = {
  '/v1/logs': logs,
  '/v1/metrics': metrics,
  '/v1/traces': traces,
};
