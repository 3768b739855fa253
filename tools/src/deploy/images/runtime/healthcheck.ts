import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { get as getByTls } from 'node:https';

/** Where an app serves /health/live. */
export interface HealthPort {
  /** PORT when it is not set. */
  readonly defaultPort: number;
  /** True if the app has a management port. */
  readonly management: boolean;
}

const TIMEOUT_MS = 4_000;

/** HEALTHCHECK of an image: requests /health/live of the app in the same container. The exit status is 1 when the app is not healthy. */
export async function checkHealth(port: HealthPort): Promise<void> {
  const url = getHealthUrl(port, process.env);
  try {
    // The app's own certificate names its public address, not this one.
    const request: ClientRequest = url.startsWith('https:')
      ? getByTls(url, { rejectUnauthorized: false, timeout: TIMEOUT_MS })
      : get(url, { timeout: TIMEOUT_MS });
    request.once('timeout', () => request.destroy(new Error(`no response within ${TIMEOUT_MS} ms`)));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
  } catch (error) {
    process.stderr.write(`${url} failed: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

/** Follows the settings of the app: PORT, MANAGEMENT_PORT, their addresses, TLS of the management port. */
export function getHealthUrl(
  { defaultPort, management }: HealthPort,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const appPort = Number(environment['PORT'] || defaultPort);
  const port = management ? Number(environment['MANAGEMENT_PORT'] || appPort + 1_000) : appPort;
  const host = environment[management ? 'MANAGEMENT_HOST' : 'HOST'] || '127.0.0.1';
  const scheme = environment['MANAGEMENT_TLS_CERT_FILE'] ? 'https' : 'http';
  return `${scheme}://${toReachable(host)}:${port}/health/live`;
}

/** An address to connect to, for one to listen on. */
function toReachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
