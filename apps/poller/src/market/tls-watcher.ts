import {
  parseTlsFiles,
  listTlsFiles,
  UnusableTlsFilesError,
  type LoadedTls,
  type TlsFileNames,
  type TlsMaterial,
} from '@ssb/market';
import { FileWatcher, type Logger } from '@ssb/platform';
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
  /** Passes changed files to this client from now on. */
  renewOn(client: TlsClient): void;
  stop(): Promise<void>;
}

/** @throws UnusableTlsFilesError when the files cannot be used at the start */
export async function watchTlsFiles(
  name: 'prudential' | 'settlement' | 'token',
  files: TlsFileNames,
  settings: Settings,
  { metrics, log }: { metrics: PollerMetrics; log: Logger },
): Promise<TlsWatcher> {
  let client: TlsClient | undefined;
  let current: LoadedTls | undefined;
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
    },
  });
  await watched.start().catch((error: unknown) => {
    throw toUnusableFiles(files, error);
  });
  return {
    get material() {
      return current?.material ?? {};
    },
    renewOn: (given) => {
      client = given;
    },
    stop: () => watched.stop(),
  };
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
