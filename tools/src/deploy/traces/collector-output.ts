import type { TracedSpan } from '../../traces/event-steps.js';

export interface CollectorSpan extends TracedSpan {
  /** CloudEvents type of the event; undefined for a step that does not know it. */
  readonly eventType: string | undefined;
}

/** Reads what the debug exporter of an OpenTelemetry collector writes with `verbosity: detailed`. An incomplete last span is left out. */
export function parseCollectorOutput(output: string): CollectorSpan[] {
  return output
    .split(/^ResourceSpans #\d+$/m)
    .slice(1)
    .flatMap(parseResource);
}

function parseResource(text: string): CollectorSpan[] {
  const [resource = '', ...spans] = text.split(/^Span #\d+$/m);
  const service = readAttribute(resource, 'service.name') ?? '';
  return spans.flatMap((span) => {
    const [traceId, spanId, name] = ['Trace ID', 'ID', 'Name'].map((label) => readField(span, label));
    if (!traceId || !spanId || !name || !span.includes('\nAttributes:')) return [];
    const parentSpanId = readField(span, 'Parent ID') || undefined;
    const eventType = readAttribute(span, 'cloudevents.event_type');
    return [{ service, name, traceId, spanId, parentSpanId, eventType }];
  });
}

function readField(text: string, label: string): string | undefined {
  return new RegExp(`^ +${label} *: ?(.*)$`, 'm').exec(text)?.[1]?.trim();
}

function readAttribute(text: string, name: string): string | undefined {
  return new RegExp(`^ +-> ${name.replaceAll('.', '\\.')}: Str\\((.*)\\)$`, 'm').exec(text)?.[1];
}
