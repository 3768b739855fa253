import { choice, exactHttpUrl, optional, ratio, text } from './schemas.js';
import { defineSettings } from './settings.js';

/** The settings of the traces, for every app. */
export const tracingSettings = defineSettings({
  TRACES_EXPORTER: {
    schema: choice(['none', 'otlp']),
    default: 'none',
    doc: 'Whether spans are recorded and sent to an OpenTelemetry collector. With none, the SDK is not loaded.',
  },
  TRACES_OTLP_ENDPOINT: {
    schema: exactHttpUrl({ credentials: false }),
    default: 'http://127.0.0.1:4318/v1/traces',
    doc: 'Where spans are posted (OTLP over HTTP, JSON), with the path. Credentials go into TRACES_OTLP_HEADERS_FILE.',
  },
  TRACES_SAMPLE_RATIO: {
    schema: ratio(),
    default: '1',
    doc: 'Share of the traces that are recorded, decided by the trace id; the same for all apps.',
  },
  TRACES_OTLP_HEADERS_FILE: {
    schema: optional(text('the path of a file')),
    doc: 'File with headers for the collector, such as an authorization: one `name: value` a line; read again before each request.',
  },
  TRACES_CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: "Certificate authorities of the collector (PEM); the system's when unset.",
  },
});
