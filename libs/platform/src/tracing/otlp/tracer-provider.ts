import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingOptions } from '../tracing-options.js';
import { OtlpExporter } from './otlp-exporter.js';

/** Above this number of waiting spans further ones are dropped. A span takes about 1 kB. */
const MAX_WAITING_SPANS = 4_096;
const MAX_SPANS_PER_REQUEST = 512;
const EXPORT_INTERVAL_MS = 2_000;
const MAX_ATTRIBUTE_LENGTH = 512;

/**
 * Reads no OTEL_ variables, because the settings of the app are the only configuration.
 * @param stopping aborted when the provider is about to be shut down
 */
export function createTracerProvider(options: TracingOptions, stopping: AbortSignal): TracerProvider {
  const ratio = new TraceIdRatioBasedSampler(options.sampleRatio);
  const processor = new BatchSpanProcessor({
    exporter: new OtlpExporter(options, stopping),
    maxQueueSize: MAX_WAITING_SPANS,
    maxExportBatchSize: MAX_SPANS_PER_REQUEST,
    scheduledDelayMillis: EXPORT_INTERVAL_MS,
  });
  return new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.service,
      'service.version': options.version,
      'service.instance.id': options.instance,
    }),
    // The ratio also bounds the traces that a client or an app without tracing has marked as sampled.
    sampler: new ParentBasedSampler({ root: ratio, remoteParentSampled: ratio }),
    spanLimits: { attributeCountLimit: 32, attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
    spanProcessors: [processor],
  });
}
