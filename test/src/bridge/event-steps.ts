import { PROCESSES, type SystemOptions } from '@ssb/tools';

/** What identifies a span and its place in the trace. */
export interface TracedSpan {
  /** `service.name` of the app. */
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
}

/** Every step of an alert that no hop had to repeat, with the step that is its parent (docs/operate/traces.md). */
export const EVENT_STEPS: readonly string[] = [
  'poller: event detect',
  'poller: event enqueue < poller: event detect',
  'bus-publisher: event publish < poller: event detect',
  'gateway: message send < bus-publisher: event publish',
  'broker: message append < gateway: message send',
  'broker: message deliver < broker: message append',
  'gateway: message deliver < broker: message deliver',
  'subscriber: event receive < poller: event detect',
  'subscriber: event verify < subscriber: event receive',
  'subscriber: event archive < subscriber: event receive',
  'subscriber: event deliver < poller: event detect',
];

/** The steps of one trace in the form of `EVENT_STEPS`, each once. A span whose parent is missing says so. */
export function listSteps(spans: readonly TracedSpan[]): string[] {
  const nameOf = ({ service, name }: TracedSpan): string =>
    `${service.replace('settlement-bus-bridge-', '')}: ${name}`;
  const names = new Map(spans.map((span) => [span.spanId, nameOf(span)]));
  const steps = spans.map((span) => {
    const { parentSpanId } = span;
    if (parentSpanId === undefined) return nameOf(span);
    return `${nameOf(span)} < ${names.get(parentSpanId) ?? 'unknown'}`;
  });
  return [...new Set(steps)];
}

/** Settings of every process with which it sends all its spans. */
export function traceSettings(endpoint: string): SystemOptions['overrides'] {
  const settings = { TRACES_EXPORTER: 'otlp', TRACES_OTLP_ENDPOINT: endpoint };
  return Object.fromEntries(PROCESSES.map((name) => [name, settings]));
}
