import { type Received, startScriptedServer, type ScriptedServer } from './scripted-server.js';

export interface CollectedSpan {
  /** `service.name` and `service.instance.id` of its resource. */
  readonly service: string;
  readonly instance: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined for a root. */
  readonly parentSpanId: string | undefined;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A receiver of OTLP/HTTP in JSON (OpenTelemetry protocol 1.x) on loopback. */
export interface OtlpCollector {
  readonly endpoint: string;
  /** Options of `startTracing`, with which every span is sent to this receiver. */
  readonly tracing: TracingOptions;
  readonly spans: CollectedSpan[];
  readonly server: ScriptedServer;
  stop(): Promise<void>;
}

interface TracingOptions {
  readonly service: string;
  readonly version: string;
  readonly instance: string;
  readonly endpoint: URL;
  readonly sampleRatio: number;
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly connection: object;
  readonly onFailure: (error: unknown) => void;
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const server = await startScriptedServer();
  const spans: CollectedSpan[] = [];
  server.respond = (request) => {
    spans.push(...readSpans(request));
    return { status: 200, body: '{}' };
  };
  const endpoint = `${server.url}/v1/traces`;
  const tracing: TracingOptions = {
    service: 'test',
    version: '1.2.3',
    instance: 'host:1',
    endpoint: new URL(endpoint),
    sampleRatio: 1,
    headers: () => Promise.resolve({}),
    connection: {},
    onFailure: () => undefined,
  };
  return { endpoint, tracing, spans, server, stop: () => server.stop() };
}

/** The fields of `ExportTraceServiceRequest` in its JSON form that tests read. */
interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly code?: number };
}

const STATUS_CODE_ERROR = 2;

/** @throws TypeError for a request that is not OTLP */
function readSpans({ method, url, headers, body }: Received): CollectedSpan[] {
  if (method !== 'POST' || url !== '/v1/traces' || headers['content-type'] !== 'application/json')
    throw new TypeError(`not a request of OTLP/HTTP in JSON: ${method} ${url}`);
  const { resourceSpans } = JSON.parse(body) as ExportRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const { 'service.name': service = '', 'service.instance.id': instance = '' } = toRecord(
      resource.attributes,
    );
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ service, instance, ...readSpan(span) })));
  });
}

function readSpan(span: OtlpSpan): Omit<CollectedSpan, 'service' | 'instance'> {
  const { name, traceId, spanId, parentSpanId, attributes, status } = span;
  if (!/^[\da-f]{32}$/.test(traceId) || !/^[\da-f]{16}$/.test(spanId))
    throw new TypeError(`not the ids of a span: ${traceId} ${spanId}`);
  return {
    name,
    traceId,
    spanId,
    parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
    startNanos: BigInt(span.startTimeUnixNano),
    endNanos: BigInt(span.endTimeUnixNano),
    failed: status.code === STATUS_CODE_ERROR,
    attributes: toRecord(attributes),
  };
}

function toRecord(attributes: readonly KeyValue[]): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, String(value.stringValue ?? value.intValue)]),
  );
}
