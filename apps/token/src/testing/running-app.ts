import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp, createLogger, readSettings } from '@ssb/platform';
import { runAccountsCommand } from '../accounts/accounts-command.js';
import { definition } from '../settings.js';
import { tokenApp } from '../token.app.js';

export const CLIENT_ID = 'part1';
export const CLIENT_SECRET = 'the secret of participant one';
export const HELD = 'PRUDENTIAL|PART1|R SETTLEMENT|PART1|CR SETTLEMENT|PART2|R';

/** The real app on a free port, with one account and files of its own. */
export interface RunningApp {
  readonly url: string;
  readonly folder: string;
  stop(): Promise<void>;
}

export async function startTokenApp(environment: Record<string, string> = {}): Promise<RunningApp> {
  const folder = await mkdtemp(join(tmpdir(), 'token-'));
  try {
    return await startIn(folder, environment);
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
}

async function startIn(folder: string, environment: Record<string, string>): Promise<RunningApp> {
  const file = (name: string): string => join(folder, name);
  await writeFile(file('key-secret'), 'a secret of at least thirty-two bytes');
  const scopes = HELD.split(' ').flatMap((scope) => ['--scope', scope]);
  await runAccountsCommand(
    ['create', '--file', file('accounts.json'), '--client-id', CLIENT_ID, ...scopes, '--secret-stdin'],
    () => Promise.resolve(CLIENT_SECRET),
  );
  const settings = readSettings(definition, {
    PORT: '0',
    ISSUER: 'https://tokens.example',
    AUDIENCE: 'urn:test',
    TOKEN_LIFETIME_SECONDS: '1800',
    ACCOUNTS_FILE: file('accounts.json'),
    KEY_FILE: file('key'),
    KEY_SECRET_FILE: file('key-secret'),
    ...environment,
  });
  const app = await buildApp(
    tokenApp,
    settings,
    createLogger({ name: 'token', level: 'silent', format: 'json' }),
  );
  const [url = ''] = await app.listen();
  return {
    url,
    folder,
    stop: async () => {
      await app.close();
      await rm(folder, { recursive: true });
    },
  };
}
