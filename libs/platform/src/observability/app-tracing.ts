import { hostname } from 'node:os';
import { NoProxyList } from '@ssb/net';
import { startTracing, type Tracing } from '../tracing/start-tracing.js';
import { ClientTlsFiles } from '../connections/client-tls-files.js';
import { parseConfiguredFile, readConfiguredFile } from '../files/configured-file.js';
import type { Logger } from '../logging/logger.js';
import type { tracingSettings } from '../settings/tracing-settings.js';
import type { SettingsOf } from '../settings/settings.js';
import { VERSION } from '../version.js';

/** Apps that are not part of the bridge have no proxy settings. */
type Settings = SettingsOf<typeof tracingSettings> & {
  readonly TLS_RELOAD_INTERVAL_MS: number;
  readonly HTTPS_PROXY?: string | undefined;
  readonly NO_PROXY?: NoProxyList | undefined;
};

/** A collector that is down fails every request, so its failures are grouped. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Starts the traces of an app. Undefined with TRACES_EXPORTER=none.
 * @throws ConfiguredFileError, UnusableTlsFilesError, or the file system's error
 */
export async function startAppTracing(
  app: string,
  settings: Settings,
  log: Logger,
): Promise<Tracing | undefined> {
  if (settings.TRACES_EXPORTER === 'none') return undefined;
  const { TRACES_OTLP_HEADERS_FILE: headersFile, HTTPS_PROXY: url } = settings;
  const readHeaders = () => (headersFile === undefined ? Promise.resolve({}) : readHeadersFile(headersFile));
  await readHeaders();
  const files = await ClientTlsFiles.open({
    name: 'traces',
    files: { ca: settings.TRACES_CA_FILE },
    intervalMs: settings.TLS_RELOAD_INTERVAL_MS,
    // The metrics of certificates are those of the app's own connections.
    metrics: {
      daysLeft: { set: () => undefined, remove: () => undefined },
      reloads: { inc: () => undefined },
    },
    log,
  });
  const tracing = await startTracing({
    service: `settlement-bus-bridge-${app}`,
    version: VERSION,
    instance: `${hostname()}:${process.pid}`,
    endpoint: new URL(settings.TRACES_OTLP_ENDPOINT),
    sampleRatio: settings.TRACES_SAMPLE_RATIO,
    headers: readHeaders,
    connection: {
      proxy: url === undefined ? undefined : { url, except: settings.NO_PROXY ?? NoProxyList.EMPTY },
      get tls() {
        return files.material;
      },
    },
    onFailure: logFailures(log),
  });
  return {
    stop: async (timeoutMs) => {
      await tracing.stop(timeoutMs);
      await files.stop();
    },
  };
}

/** Logs the first failure, then one line a minute with the number of failures since the last line. */
function logFailures(log: Logger): (error: unknown) => void {
  let failures = 0;
  let silentUntil = -Infinity;
  return (err) => {
    failures += 1;
    const now = performance.now();
    if (now < silentUntil) return;
    log.warn({ err, failures }, 'trace export failed');
    failures = 0;
    silentUntil = now + LOG_INTERVAL_MS;
  };
}

/** A header name (RFC 9110 §5.1), a colon, and a value without control characters. */
const HEADER = /^([!#$%&'*+.^_`|~\dA-Za-z-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;

async function readHeadersFile(path: string): Promise<Record<string, string>> {
  const lines = String(await readConfiguredFile(path)).split(/\r?\n/);
  return parseConfiguredFile(path, () =>
    Object.fromEntries(lines.filter((line) => line !== '').map(parseHeader)),
  );
}

function parseHeader(line: string, index: number): [name: string, value: string] {
  const [, name, value] = HEADER.exec(line) ?? [];
  // The line may hold a secret.
  if (name === undefined || value === undefined)
    throw new Error(`Line ${index + 1} is not a header. Write one "name: value" a line.`);
  return [name.toLowerCase(), value];
}
