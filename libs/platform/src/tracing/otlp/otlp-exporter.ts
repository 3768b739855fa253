import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { ServerConnections, backoffDelayMs, retry } from '@ssb/net';
import type { TracingOptions } from '../tracing-options.js';

const EXPORT_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 4;
const BACKOFF = { baseMs: 500, maxMs: 4_000 };
const MAX_RESPONSE_BYTES = 65_536;

/** Statuses after which a client repeats the request (OTLP 1.x, "Retryable Response Codes"). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The collector refused a batch. */
class ExportRefusedError extends Error {
  override readonly name = 'ExportRefusedError';

  constructor(readonly status: number) {
    super(`the collector responded with status ${status}`);
  }
}

/** Posts spans as OTLP/HTTP in JSON, over the connections of this project: proxy, certificates and timeouts. */
export class OtlpExporter implements SpanExporter {
  private readonly connections: ServerConnections;
  private readonly pending = new Set<Promise<void>>();

  /** @param stopping aborted when failed requests are no longer repeated */
  constructor(
    private readonly options: TracingOptions,
    private readonly stopping: AbortSignal,
  ) {
    this.connections = new ServerConnections(options.endpoint, options.connection, {
      connections: 2,
      timeoutMs: EXPORT_TIMEOUT_MS,
    });
  }

  /** Never throws. Also a failure counts as done: the batch is dropped. */
  export(spans: ReadableSpan[], onResult: (result: ExportResult) => void): void {
    const sent = this.send(spans)
      .catch((error: unknown) => this.options.onFailure(error))
      .finally(() => {
        this.pending.delete(sent);
        onResult({ code: ExportResultCode.SUCCESS });
      });
    this.pending.add(sent);
  }

  async shutdown(): Promise<void> {
    await Promise.all(this.pending);
    await this.connections.destroy();
  }

  private async send(spans: ReadableSpan[]): Promise<void> {
    const body = JsonTraceSerializer.serializeRequest(spans);
    if (body === undefined) return;
    const timeout = AbortSignal.timeout(EXPORT_TIMEOUT_MS);
    await retry(() => this.post(body, timeout), {
      signal: AbortSignal.any([timeout, this.stopping]),
      delayMs: (error, failures) =>
        failures < MAX_ATTEMPTS && isTemporary(error)
          ? backoffDelayMs(failures, BACKOFF, Math.random())
          : undefined,
    });
  }

  private async post(body: Uint8Array, signal: AbortSignal): Promise<void> {
    const { endpoint, headers } = this.options;
    const response = await this.connections.request({
      method: 'POST',
      path: endpoint.pathname + endpoint.search,
      headers: { ...(await headers()), 'content-type': 'application/json' },
      body,
      signal,
    });
    await response.body.dump({ limit: MAX_RESPONSE_BYTES });
    const { statusCode: status } = response;
    if (status < 200 || status > 299) throw new ExportRefusedError(status);
  }
}

function isTemporary(error: unknown): boolean {
  return !(error instanceof ExportRefusedError) || RETRYABLE.has(error.status);
}
