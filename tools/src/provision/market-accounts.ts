import { readSecretFile } from '@ssb/platform';
import { request } from 'undici';
import type { SystemPlan } from '../system/environments.js';

/**
 * Creates the accounts of the participants and the operator at the running token service. May be repeated; a disabled account stays
 * disabled.
 * @throws Error when the token service's admin API refuses an account
 */
export async function ensureMarketAccounts({
  participant,
  furtherParticipants,
  ports,
  secrets,
}: SystemPlan): Promise<void> {
  const url = `http://127.0.0.1:${ports['token-admin']}/admin/v1/accounts`;
  const authorization = `Bearer ${(await readSecretFile(secrets.tokenAdminFile)).toString()}`;
  const accounts = [
    { ...secrets.participantClient, scopes: scopesOf(participant) },
    ...furtherParticipants.map(({ code, client: { id, secret } }) => ({
      id,
      secret,
      scopes: scopesOf(code),
    })),
    { ...secrets.operatorClient, scopes: ['MARKETRECORDS|OPERATOR|CR', 'MARKETFAULTS|OPERATOR|CRD'] },
  ];
  for (const { id: clientId, secret, scopes } of accounts) {
    const response = await request(url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, secret, scopes, bound: false, ifExists: 'replace' }),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300)
      throw new Error(`the account ${clientId} could not be created: ${response.statusCode} ${text}`);
  }
}

function scopesOf(participant: string): string[] {
  return [`PRUDENTIAL|${participant}|R`, `SETTLEMENT|${participant}|R`];
}
