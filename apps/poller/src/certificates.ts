import { TlsFileWatch, type TlsFileNames, type TlsMaterial } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import type { PollerMetrics } from './metrics.js';
import type { Settings } from './settings.js';

const DAY_MS = 86_400_000;

/** Whatever shows a certificate and can show another. */
interface Renewable {
  renewTls(tls: TlsMaterial): Promise<void>;
}

/** The certificates of one interface, read again when their files change. */
export interface WatchedCertificates {
  readonly material: TlsMaterial;
  /** Begins to watch; this one is told of a change. */
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
  const watch = await TlsFileWatch.open({
    files,
    everyMs: settings.TLS_RELOAD_INTERVAL_MS,
    onChange: async ({ material, expiresAt }) => {
      await renewable?.renewTls(material);
      metrics.certificateReloads.inc({ interface: name, outcome: 'taken' });
      log.info({ interface: name, expiresAt }, `${name}: other certificates are in use`);
    },
    onRefused: (error) => {
      metrics.certificateReloads.inc({ interface: name, outcome: 'refused' });
      log.error(
        { interface: name, err: error },
        `${name}: the old certificates stay in use: ${error.message}`,
      );
    },
    onLook: ({ expiresAt }) => {
      if (expiresAt === undefined) return;
      metrics.certificateDaysLeft.set({ interface: name }, (expiresAt.getTime() - Date.now()) / DAY_MS);
    },
  });
  return {
    material: watch.inUse.material,
    renewOn: (given) => {
      renewable = given;
      watch.start();
    },
    stop: () => watch.stop(),
  };
}
