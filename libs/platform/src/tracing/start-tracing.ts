import { trace } from '@opentelemetry/api';
import { TimeoutError, withTimeout } from '@ssb/net';
import { setTracing } from './spans.js';
import type { TracingOptions } from './tracing-options.js';

export interface Tracing {
  /** Sends the waiting spans, within `timeoutMs`, and records no more. Never rejects. */
  readonly stop: (timeoutMs: number) => Promise<void>;
}

/** Records spans from now on. Only this loads the SDK of OpenTelemetry. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { createTracerProvider } = await import('./otlp/tracer-provider.js');
  const stopping = new AbortController();
  const provider = createTracerProvider(options, stopping.signal);
  trace.setGlobalTracerProvider(provider);
  setTracing(true);
  return {
    stop: async (timeoutMs) => {
      setTracing(false);
      trace.disable();
      stopping.abort();
      // The exporter has reported its own failures.
      await withTimeout(provider.shutdown(), timeoutMs).catch((error: unknown) => {
        if (error instanceof TimeoutError) options.onFailure(error);
      });
    },
  };
}
