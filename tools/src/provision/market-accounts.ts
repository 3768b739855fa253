import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { REPOSITORY } from '../system/app-process.js';
import type { SystemPlan } from '../system/environments.js';

/** The token service's accounts command refused. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

/**
 * Gives the participant and the operator's loader their accounts at the token service, which must be running; again and again
 * is harmless, and an account that somebody has disabled stays disabled.
 */
export async function ensureMarketAccounts(plan: SystemPlan): Promise<void> {
  const { participant, secrets } = plan;
  const reading = [`PRUDENTIAL|${participant}|R`, `SETTLEMENT|${participant}|R`];
  const loading = ['MARKETRECORDS|OPERATOR|CR', 'MARKETTROUBLE|OPERATOR|CRD'];
  // Both are waited for, so that no command is still running when the failure of the other ends us.
  const created = await Promise.allSettled([
    createAccount(plan, secrets.participantClient, reading),
    createAccount(plan, secrets.operatorClient, loading),
  ]);
  const failed = created.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function createAccount(
  { ports, secrets }: SystemPlan,
  { id, secret }: { readonly id: string; readonly secret: string },
  scopes: readonly string[],
): Promise<void> {
  const command = join(REPOSITORY, 'apps/token/dist/accounts.js');
  const door = ['--url', `http://127.0.0.1:${ports['token-admin']}`, '--secret-file', secrets.tokenAdminFile];
  const account = ['--client-id', id, ...scopes.flatMap((scope) => ['--scope', scope]), '--replace'];
  const child = spawn(
    process.execPath,
    [command, 'create', ...account, '--client-secret-stdin', ...door],
    // Nothing of our own environment: settings meant for the service must not send the command elsewhere.
    { stdio: ['pipe', 'ignore', 'pipe'], env: {} },
  );
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  child.stdin.end(secret);
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new AccountError(`the account ${id} could not be made: ${complaint.trim()}`);
}
