export {
  eventAttributes,
  isTracing,
  startSpan,
  startTrace,
  type RootSpan,
  type SpanAttributes,
  type SpanOptions,
  type TraceSpan,
} from './spans.js';
export { startTracing, type Tracing } from './start-tracing.js';
export type { TracingOptions } from './tracing-options.js';
