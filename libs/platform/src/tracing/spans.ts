import {
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Span,
} from '@opentelemetry/api';
import { formatTraceparent, parseTraceparent, randomContext } from './trace-context.js';

/** What a span may contain. There is no place for a payload, an amount or a secret. */
export interface SpanAttributes {
  readonly eventId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly participant?: string | undefined;
  readonly subject?: string | undefined;
  readonly channel?: string | undefined;
  readonly topic?: string | undefined;
  readonly messageId?: string | undefined;
  readonly sink?: string | undefined;
  readonly attempt?: number | undefined;
}

/** Names of the OpenTelemetry semantic conventions where they have one. */
const ATTRIBUTE_NAMES: Readonly<Record<keyof SpanAttributes, string>> = {
  eventId: 'cloudevents.event_id',
  eventType: 'cloudevents.event_type',
  subject: 'cloudevents.event_subject',
  channel: 'messaging.destination.name',
  messageId: 'messaging.message.id',
  topic: 'settlement_bus.topic',
  participant: 'settlement_bus.participant',
  sink: 'settlement_bus.sink',
  attempt: 'settlement_bus.attempt',
};

const OUTCOME = 'settlement_bus.outcome';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

export interface SpanOptions {
  /** Default `internal`. */
  readonly kind?: keyof typeof KINDS;
  /** `traceparent` of the parent, from an event or a header. An invalid one is ignored. */
  readonly parent?: unknown;
  /** Default: now. */
  readonly startTime?: Date;
  readonly attributes?: SpanAttributes;
}

let tracing = false;

/** Called by `startTracing`. */
export function setTracing(on: boolean): void {
  tracing = on;
}

/** Whether this process records spans. */
export function isTracing(): boolean {
  return tracing;
}

/** One step on the way of an event. Without tracing it records nothing, and passes the context of its parent on. */
export class TraceSpan {
  constructor(private readonly span: Span) {}

  /** The context for the next step; undefined when this step has none. */
  get traceparent(): string | undefined {
    const context = this.span.spanContext();
    return isSpanContextValid(context) ? formatTraceparent(context) : undefined;
  }

  /** The context if it is sampled, for a store: no later step records another one. */
  get sampledTraceparent(): string | undefined {
    const { traceFlags } = this.span.spanContext();
    return (traceFlags & TraceFlags.SAMPLED) === 0 ? undefined : this.traceparent;
  }

  /** The request header of a step of this process; none without tracing. */
  get headers(): Readonly<Record<string, string>> {
    const { traceparent } = this;
    return tracing && traceparent !== undefined ? { traceparent } : {};
  }

  /** Adds what was not known at the start. */
  add(attributes: SpanAttributes): void {
    if (this.span.isRecording()) this.span.setAttributes(toAttributes(attributes));
  }

  /** Ends the span. */
  succeed(outcome: string, attributes: SpanAttributes = {}): void {
    this.end(outcome, attributes);
  }

  /** Ends the span as an error. */
  fail(outcome: string, attributes: SpanAttributes = {}): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.end(outcome, attributes);
  }

  /** Ends the span with the work: with this outcome, or as an error. */
  async during<T>(work: Promise<T>, outcome: string): Promise<T> {
    try {
      const result = await work;
      this.succeed(outcome);
      return result;
    } catch (error) {
      this.fail('failed');
      throw error;
    }
  }

  private end(outcome: string, attributes: SpanAttributes): void {
    if (this.span.isRecording()) this.span.setAttributes({ ...toAttributes(attributes), [OUTCOME]: outcome });
    this.span.end();
  }
}

/** A span with a valid context, also without tracing. */
export type RootSpan = TraceSpan & { readonly traceparent: string };

/** Starts the trace of an event. */
export function startTrace(name: string, options: Omit<SpanOptions, 'parent'> = {}): RootSpan {
  const span = startSpan(name, options);
  const hasContext = span.traceparent !== undefined;
  return (hasContext ? span : new TraceSpan(trace.wrapSpanContext(randomContext()))) as RootSpan;
}

/** @param name one of few, such as `event publish` */
export function startSpan(
  name: string,
  { kind = 'internal', parent, startTime, attributes = {} }: SpanOptions = {},
): TraceSpan {
  const parentContext = parseTraceparent(parent);
  const context = parentContext ? trace.setSpanContext(ROOT_CONTEXT, parentContext) : ROOT_CONTEXT;
  const options = tracing ? { kind: KINDS[kind], startTime, attributes: toAttributes(attributes) } : {};
  return new TraceSpan(trace.getTracer('settlement-bus-bridge').startSpan(name, options, context));
}

/** What the spans of an event state about it. */
export function eventAttributes({
  id,
  type,
  participant,
  subject,
}: Readonly<Record<'id' | 'type' | 'participant' | 'subject', string>>): SpanAttributes {
  return { eventId: id, eventType: type, participant, subject };
}

function toAttributes(attributes: SpanAttributes): Attributes {
  const named: Attributes = {};
  for (const name of Object.keys(attributes) as (keyof SpanAttributes)[])
    named[ATTRIBUTE_NAMES[name]] = attributes[name];
  return named;
}
