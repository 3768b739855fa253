import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calculation, CALCULATIONS } from './market-responses.js';
import { folder, lines, market } from './running-poller.js';

/** The settings have no access of a participant. */
export const OWN_ACCESS = {
  PARTICIPANT: '',
  TOKEN_CLIENT_ID: '',
  TOKEN_CLIENT_SECRET: '',
  TLS_RELOAD_INTERVAL_MS: '50',
  POLL_SETTLEMENT_INTERVAL_MS: '1000',
};

export interface TestParticipant {
  readonly code: string;
  readonly access: Readonly<Record<string, string>>;
}

/** The file with the secret of an account. */
export const fileOf = (account: string): string => join(folder, 'access', `${account.toLowerCase()}.secret`);

/**
 * Participants with accounts that the market knows.
 * @param account default: the code in lower case. The paths are relative to the configuration file.
 */
export function participantOf(code: string, account = code.toLowerCase()): TestParticipant {
  mkdirSync(join(folder, 'access'), { recursive: true });
  market.secrets.set(account, `secret of ${account}`);
  writeFileSync(fileOf(account), `secret of ${account}\n`);
  return { code, access: { clientId: account, clientSecretFile: `access/${account}.secret` } };
}

export const participantsOf = (codes: readonly string[]): TestParticipant[] =>
  codes.map((code) => participantOf(code));

/** The operator's response about the position of a participant. */
export function setMargin(code: string, tradingMargin: string, account = code.toLowerCase()): void {
  const rows = `[${calculation('09:00:00', tradingMargin, code)}]`;
  market.responses.set(`${account} ${CALCULATIONS}`, rows);
}

/** The number of requests for calculations. */
export const requestsOf = (account: string): number =>
  market.clients.filter(({ clientId, path }) => clientId === account.toLowerCase() && path === CALCULATIONS)
    .length;

/** Codes of the participants whose leases the replica at this address holds. */
export async function heldAt(url: string): Promise<string[]> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return [...metrics.matchAll(/^settlement_bridge_poller_leader\{participant="(\w+)"\} 1$/gm)].map(
    ([, code = '']) => code,
  );
}

/** Codes of the participants whose leases have ended, in order. */
export const endedLeases = (): unknown[] =>
  lines.flatMap(({ msg, participant }) => (msg === 'lease ended' ? [participant] : []));
