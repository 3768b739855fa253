import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { REPOSITORY } from '../system/app-process.js';
import type { SystemPlan } from '../system/environments.js';

/** The token service's accounts command refused. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

/** Gives the participant and the operator's loader their accounts at the token service; again and again is harmless. */
export async function ensureMarketAccounts({ folder, participant, secrets }: SystemPlan): Promise<void> {
  const file = join(folder, 'token', 'accounts.json');
  const { participantClient, operatorClient } = secrets;
  // One after the other: each rewrites the file.
  await createAccount(file, participantClient, [
    `PRUDENTIAL|${participant}|R`,
    `SETTLEMENT|${participant}|R`,
  ]);
  await createAccount(file, operatorClient, ['MARKETRECORDS|OPERATOR|CR']);
}

async function createAccount(
  file: string,
  { id, secret }: { readonly id: string; readonly secret: string },
  scopes: readonly string[],
): Promise<void> {
  const command = join(REPOSITORY, 'apps/token/dist/accounts.js');
  const options = ['--file', file, '--client-id', id, ...scopes.flatMap((scope) => ['--scope', scope])];
  const child = spawn(process.execPath, [command, 'create', ...options, '--secret-stdin', '--replace'], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  child.stdin.end(secret);
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new AccountError(`the account ${id} could not be made: ${complaint.trim()}`);
}
