import {
  tlsOf,
  tlsPaths,
  UnusableTlsFilesError,
  type LoadedTls,
  type TlsFileNames,
  type TlsMaterial,
} from '@ssb/market';
import { WatchedFiles, type Logger } from '@ssb/platform';
import type { PollerMetrics } from '../poller-metrics.js';
import type { Settings } from '../settings.js';

const DAY_MS = 86_400_000;

/** Whatever shows a certificate and can show another. */
interface Renewable {
  renewTls(tls: TlsMaterial): Promise<void>;
}

/** The certificates of one interface, read again when their files change. */
export interface WatchedCertificates {
  readonly material: TlsMaterial;
  /** From now on this one is given changed certificates. */
  renewOn(renewable: Renewable): void;
  stop(): Promise<void>;
}

/** @throws UnusableTlsFilesError when they cannot be used to begin with */
export async function watchCertificates(
  name: 'prudential' | 'settlement' | 'token',
  files: TlsFileNames,
  settings: Settings,
  { metrics, log }: { metrics: PollerMetrics; log: Logger },
): Promise<WatchedCertificates> {
  let renewable: Renewable | undefined;
  let inUse: LoadedTls | undefined;
  const watched = new WatchedFiles({
    paths: tlsPaths(files),
    intervalMs: settings.TLS_RELOAD_INTERVAL_MS,
    take: async (contents) => {
      const found = tlsOf(files, contents);
      if (inUse !== undefined) refuseExpired(files, found);
      await renewable?.renewTls(found.material);
      inUse = found;
    },
    changed: () => {
      metrics.certificateReloads.inc({ interface: name, outcome: 'taken' });
      log.info({ interface: name, expiresAt: inUse?.expiresAt }, `${name}: changed certificates are in use`);
    },
    refused: (error) => {
      const { message } = unusable(files, error);
      metrics.certificateReloads.inc({ interface: name, outcome: 'refused' });
      log.error({ interface: name, err: error }, `${name}: the old certificates stay in use: ${message}`);
    },
    looked: () => {
      if (inUse?.expiresAt === undefined) return;
      metrics.certificateDaysLeft.set({ interface: name }, (inUse.expiresAt.getTime() - Date.now()) / DAY_MS);
    },
  });
  await watched.start().catch((error: unknown) => {
    throw unusable(files, error);
  });
  return {
    get material() {
      return inUse?.material ?? {};
    },
    renewOn: (given) => {
      renewable = given;
    },
    stop: () => watched.stop(),
  };
}

function refuseExpired({ cert = '' }: TlsFileNames, { expiresAt }: LoadedTls): void {
  if (expiresAt !== undefined && expiresAt.getTime() <= Date.now())
    throw new UnusableTlsFilesError([cert], `the new certificate expired at ${expiresAt.toISOString()}`);
}

function unusable(files: TlsFileNames, error: unknown): UnusableTlsFilesError {
  if (error instanceof UnusableTlsFilesError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new UnusableTlsFilesError(tlsPaths(files), reason, { cause: error });
}
