import type { ClientConnection } from '@ssb/net';

export interface TracingOptions {
  /** `service.name`. */
  readonly service: string;
  /** `service.version`. */
  readonly version: string;
  /** `service.instance.id`: differs between replicas. */
  readonly instance: string;
  /** OTLP over HTTP, with its path. */
  readonly endpoint: URL;
  /** Share of the traces that are recorded, 0 to 1. */
  readonly sampleRatio: number;
  /** Additional headers of each request, such as an authorization. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly connection: ClientConnection;
  /** Called after each batch that was not accepted. Its spans are lost. */
  readonly onFailure: (error: unknown) => void;
}
