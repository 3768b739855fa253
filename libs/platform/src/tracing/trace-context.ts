import { randomBytes } from 'node:crypto';
import { isSpanContextValid, TraceFlags, type SpanContext } from '@opentelemetry/api';

/** A version after 00 may append fields (W3C Trace Context §4.3). */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

const MAX_LENGTH = 255;

/** Reads a `traceparent` of an event or a header. Undefined for anything that is not valid, so that it is ignored. */
export function parseTraceparent(value: unknown): SpanContext | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(value) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const context = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** A new trace without a decision of a sampler: each app with tracing decides by the trace id. */
export function randomContext(): SpanContext {
  const ids = nextRandomBytes().toString('hex');
  return { traceId: ids.slice(0, 32), spanId: ids.slice(32), traceFlags: TraceFlags.SAMPLED };
}

/** Bytes of a trace id and a span id. */
const CONTEXT_BYTES = 24;
/** A response can have many thousand calculations, and one call of `randomBytes` costs as much as an event. */
const POOL_BYTES = CONTEXT_BYTES * 256;
let pool = Buffer.alloc(0);

/** Never the same bytes twice. */
function nextRandomBytes(): Buffer {
  if (pool.length === 0) pool = randomBytes(POOL_BYTES);
  const bytes = pool.subarray(0, CONTEXT_BYTES);
  pool = pool.subarray(CONTEXT_BYTES);
  return bytes;
}
