import {
  parseTlsFiles,
  listTlsFiles,
  UnusableTlsFilesError,
  type LoadedTls,
  type TlsFileNames,
  type TlsMaterial,
} from '@ssb/market';
import { FileWatcher, type Logger } from '@ssb/platform';
import type { ClientCertificate } from '../domain/failure-classification.js';
import type { PollerMetrics } from '../poller-metrics.js';
import type { Settings } from '../settings.js';

const DAY_MS = 86_400_000;

/** A client whose TLS files can be replaced while it runs. */
interface TlsClient {
  renewTls(tls: TlsMaterial): Promise<void>;
}

/** The TLS files of one interface, loaded again when they change. */
export interface TlsWatcher {
  readonly material: TlsMaterial;
  /** The client certificate in use; undefined without one. */
  readonly certificate: ClientCertificate | undefined;
  /** Passes changed files to this client from now on. */
  renewOn(client: TlsClient): void;
  stop(): Promise<void>;
}

/** @throws UnusableTlsFilesError, or the file system's error, when the files cannot be used at the start */
export async function watchTlsFiles(
  name: 'prudential' | 'settlement' | 'token',
  files: TlsFileNames,
  settings: Settings,
  { metrics, log, onChecked }: { metrics: PollerMetrics; log: Logger; onChecked: () => void },
): Promise<TlsWatcher> {
  let client: TlsClient | undefined;
  let current: LoadedTls | undefined;
  let expiryLogged = false;
  const logExpiry = (expiresAt: Date): void => {
    const expired = expiresAt.getTime() <= Date.now();
    if (expired && !expiryLogged)
      log.error({ interface: name, path: files.cert, expiresAt }, 'client certificate expired');
    expiryLogged = expired;
  };
  const watched = new FileWatcher({
    paths: listTlsFiles(files),
    intervalMs: settings.TLS_RELOAD_INTERVAL_MS,
    apply: async (contents) => {
      const loaded = parseTlsFiles(files, contents);
      if (current !== undefined) refuseExpired(files, loaded);
      await client?.renewTls(loaded.material);
      current = loaded;
    },
    onApplied: () => {
      metrics.certificateReloads.inc({ interface: name, outcome: 'applied' });
      log.info({ interface: name, expiresAt: current?.expiresAt }, 'client certificates reloaded');
    },
    // The old certificates stay in use.
    onRefused: (error) => {
      metrics.certificateReloads.inc({ interface: name, outcome: 'refused' });
      log.error({ interface: name, err: toUnusableFiles(files, error) }, 'client certificate reload failed');
    },
    onChecked: () => {
      if (current?.expiresAt === undefined) return;
      const daysLeft = (current.expiresAt.getTime() - Date.now()) / DAY_MS;
      metrics.certificateDaysLeft.set({ interface: name }, daysLeft);
      logExpiry(current.expiresAt);
      onChecked();
    },
  });
  await watched.start().catch((error: unknown) => {
    // The error of the file system names the file that is missing.
    throw error instanceof Error && 'path' in error ? error : toUnusableFiles(files, error);
  });
  return {
    get material() {
      return current?.material ?? {};
    },
    get certificate() {
      return toCertificate(files, current);
    },
    renewOn: (given) => {
      client = given;
    },
    stop: () => watched.stop(),
  };
}

function toCertificate({ cert }: TlsFileNames, loaded: LoadedTls | undefined): ClientCertificate | undefined {
  if (cert === undefined || loaded?.expiresAt === undefined) return undefined;
  return { file: cert, commonName: loaded.commonName, expiresAt: loaded.expiresAt };
}

function refuseExpired({ cert = '' }: TlsFileNames, { expiresAt }: LoadedTls): void {
  if (expiresAt !== undefined && expiresAt.getTime() <= Date.now())
    throw new UnusableTlsFilesError([cert], `the new certificate expired at ${expiresAt.toISOString()}`);
}

function toUnusableFiles(files: TlsFileNames, error: unknown): UnusableTlsFilesError {
  if (error instanceof UnusableTlsFilesError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new UnusableTlsFilesError(listTlsFiles(files), reason, { cause: error });
}
