import {
  listTlsFiles,
  parseTlsFiles,
  UnusableTlsFilesError,
  type ClientCertificate,
  type LoadedTls,
  type TlsFileNames,
  type TlsMaterial,
} from '@ssb/net';
import { readConfiguredFiles } from '../files/configured-file.js';
import { FileWatcher } from '../files/file-watcher.js';
import type { Logger } from '../logging/logger.js';

const DAY_MS = 86_400_000;

/** A client that is notified of renewed certificates. */
interface TlsClient {
  renewTls(tls: TlsMaterial): Promise<void>;
}

interface Labels {
  readonly interface: string;
  readonly participant?: string;
}

export interface ClientTlsMetrics {
  readonly daysLeft: { set(labels: Labels, days: number): void; remove(labels: Labels): void };
  readonly reloads: { inc(labels: Labels & { readonly outcome: string }): void };
}

export interface ClientTlsFilesOptions {
  /** The service that is connected to, for the log and the metrics. */
  readonly name: string;
  /** Whose connections they are; undefined for those of the whole app. */
  readonly participant?: string | undefined;
  readonly files: TlsFileNames;
  readonly intervalMs: number;
  readonly metrics: ClientTlsMetrics;
  readonly log: Logger;
}

/** The TLS files of the connections to one service, loaded again when they change. Unusable files leave the previous ones in use. */
export class ClientTlsFiles {
  private current: LoadedTls | undefined;
  private client: TlsClient | undefined;
  private reading: Promise<void> = Promise.resolve();
  private onChecked = (): void => undefined;
  private expiryLogged = false;
  private refused: unknown;
  private readonly watcher: FileWatcher;
  private readonly labels: Labels;

  private constructor(private readonly options: ClientTlsFilesOptions) {
    const { name, participant, files, intervalMs, metrics, log } = options;
    this.labels = { ...(participant !== undefined && { participant }), interface: name };
    const { labels } = this;
    this.watcher = new FileWatcher({
      paths: listTlsFiles(files),
      intervalMs,
      apply: (contents) => this.apply(contents),
      onApplied: () => {
        metrics.reloads.inc({ ...labels, outcome: 'applied' });
        log.info({ ...labels, expiresAt: this.certificate?.expiresAt }, 'client certificates reloaded');
      },
      onRefused: (error) => {
        this.refused = error;
        metrics.reloads.inc({ ...labels, outcome: 'refused' });
        const err = toUnusableFiles(files, error);
        log.error({ ...labels, err }, 'client certificate reload failed');
      },
      onRecovered: () => {
        this.refused = undefined;
      },
      onChecked: () => {
        this.reportExpiry();
        this.onChecked();
      },
    });
  }

  /** @throws UnusableTlsFilesError, or the file system's error */
  static async open(options: ClientTlsFilesOptions): Promise<ClientTlsFiles> {
    const files = new ClientTlsFiles(options);
    await files.watcher.start().catch((error: unknown) => {
      // The error of the file system names the file that is missing.
      throw error instanceof Error && 'path' in error ? error : toUnusableFiles(options.files, error);
    });
    return files;
  }

  /** As `open`, but the files may be missing or unusable: then they are refused, and tried again at each check. */
  static openOptional(options: ClientTlsFilesOptions): ClientTlsFiles {
    const files = new ClientTlsFiles(options);
    files.reading = files.watcher.startOptional();
    return files;
  }

  /** The end of the first reading. */
  get firstReading(): Promise<void> {
    return this.reading;
  }

  /** Whether the files were usable once. */
  get isLoaded(): boolean {
    return this.current !== undefined;
  }

  get material(): TlsMaterial {
    return this.current?.material ?? {};
  }

  /** The client certificate in use; undefined without one. */
  get certificate(): ClientCertificate | undefined {
    return this.current?.certificate;
  }

  /** Why the present files are not used, although earlier ones are; undefined when they are used. */
  get refusal(): unknown {
    return this.refused;
  }

  /** Passes changed files to this client from now on. A refused change is one that the client rejects. */
  renewOn(client: TlsClient): void {
    this.client = client;
  }

  /** Calls the listener after each check of the files. */
  notifyChecks(listener: () => void): void {
    this.onChecked = listener;
  }

  async stop(): Promise<void> {
    await this.watcher.stop();
    this.options.metrics.daysLeft.remove(this.labels);
  }

  private async apply(contents: readonly Buffer[]): Promise<void> {
    const loaded = parseTlsFiles(this.options.files, contents);
    // An app starts with an expired certificate, so that its other work continues.
    if (this.current !== undefined) refuseExpired(loaded);
    await this.client?.renewTls(loaded.material);
    this.current = loaded;
  }

  private reportExpiry(): void {
    const { metrics, log } = this.options;
    if (this.certificate === undefined) return;
    const { file, expiresAt } = this.certificate;
    metrics.daysLeft.set(this.labels, (expiresAt.getTime() - Date.now()) / DAY_MS);
    const expired = hasExpired(this.certificate);
    if (expired && !this.expiryLogged)
      log.error({ ...this.labels, path: file, expiresAt }, 'client certificate expired');
    this.expiryLogged = expired;
  }
}

/**
 * Reads files that would replace those in use. An expired certificate may replace one that has expired too.
 * @throws UnusableTlsFilesError, or the file system's error
 */
export async function assertUsableTlsFiles(
  files: TlsFileNames,
  inUse: ClientCertificate | undefined,
): Promise<void> {
  const contents = await readConfiguredFiles(listTlsFiles(files));
  const loaded = parseTlsFiles(files, contents);
  if (!hasExpired(inUse)) refuseExpired(loaded);
}

function hasExpired(certificate: ClientCertificate | undefined): certificate is ClientCertificate {
  return certificate !== undefined && certificate.expiresAt.getTime() <= Date.now();
}

function refuseExpired({ certificate }: LoadedTls): void {
  if (!hasExpired(certificate)) return;
  const { file, expiresAt } = certificate;
  throw new UnusableTlsFilesError([file], `the client certificate expired at ${expiresAt.toISOString()}`);
}

function toUnusableFiles(files: TlsFileNames, error: unknown): UnusableTlsFilesError {
  if (error instanceof UnusableTlsFilesError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new UnusableTlsFilesError(listTlsFiles(files), reason, { cause: error });
}
