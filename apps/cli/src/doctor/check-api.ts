import { X509Certificate } from 'node:crypto';
import type { ApiClient } from '../api/api-client.js';
import { withApi, type ApiOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { REQUEST_TIMEOUT_MS, resultsOf, type CheckResult } from './check-result.js';
import { checkStatus } from './check-status.js';

const api = resultsOf('Archive API');
const DAY_MS = 86_400_000;
const CERTIFICATE_WARNING_DAYS = 30;
const CLOCK_WARNING_MS = 2_000;

/** Connection, credential, rights and clock of the archive API, and what its status says. */
export async function checkApi(options: ApiOptions): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  try {
    await withApi(
      options,
      async (client) => {
        results.push(...checkCertificate(client));
        const [rights, status] = await Promise.all([checkRights(client), readStatus(client)]);
        results.push(api('connection', 'ok', client.access.url), rights, ...status);
      },
      REQUEST_TIMEOUT_MS,
    );
    return results;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { status, message } = error;
    return [...results, api(status === EXIT.notPermitted ? 'credential' : 'connection', 'wrong', message)];
  }
}

async function readStatus(client: ApiClient): Promise<readonly CheckResult[]> {
  const sentAt = Date.now();
  try {
    const status = await client.get('/v1/status');
    const readAt = Date.now();
    return [checkClock(Date.parse(status.at), sentAt, readAt), ...checkStatus(status)];
  } catch (error) {
    if (!(error instanceof CommandError) || error.status !== EXIT.notPermitted) throw error;
    const hint = 'Use a token that may see all participants: the apps are not checked without it.';
    return [api('status', 'not-checked', `${error.message} ${hint}`)];
  }
}

/** Several callers share one status for a second. */
const STATUS_AGE_MS = 1_000;

function checkClock(apiMs: number, sentAt: number, readAt: number): CheckResult {
  const aheadMs = Math.max(0, apiMs - readAt, sentAt - STATUS_AGE_MS - apiMs);
  return aheadMs > CLOCK_WARNING_MS
    ? api(
        'clock',
        'warning',
        `The clocks of the API and of this machine differ by ${Math.round(aheadMs / 1_000)} s: synchronise both (docs/operate/clocks.md).`,
      )
    : api('clock', 'ok', 'that of the API agrees with that of this machine');
}

async function checkRights(client: ApiClient): Promise<CheckResult> {
  const { role, participants } = await client.get('/v1/caller');
  const about = participants === undefined ? 'all participants' : participants.join(', ');
  return api('rights', 'ok', `may read${role === 'operator' ? ' and act on' : ''} ${about}`);
}

function checkCertificate({ access }: ApiClient): CheckResult[] {
  const cert = access.connection.tls?.cert;
  if (cert === undefined) return [];
  const { validTo } = new X509Certificate(Buffer.from(String(cert)));
  const daysLeft = Math.floor((Date.parse(validTo) - Date.now()) / DAY_MS);
  if (daysLeft >= CERTIFICATE_WARNING_DAYS) return [api('client certificate', 'ok', `${daysLeft} days left`)];
  return [
    api(
      'client certificate',
      daysLeft < 0 ? 'wrong' : 'warning',
      daysLeft < 0 ? 'It has expired: renew its files.' : `It expires in ${daysLeft} days: renew its files.`,
    ),
  ];
}
