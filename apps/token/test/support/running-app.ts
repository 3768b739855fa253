import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuiltApp, buildApp, createLogger, readSettings } from '@ssb/platform';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { parseScopes } from '../../src/domain/scopes.js';
import { definition } from '../../src/settings.js';
import { tokenApp } from '../../src/token.app.js';
import { createTokenDatabase } from './token-database.js';

export const CLIENT_ID = 'part1';
export const CLIENT_SECRET = 'the secret of participant one';
export const HELD = 'PRUDENTIAL|PART1|R SETTLEMENT|PART1|CR SETTLEMENT|PART2|R';
export const ADMIN_SECRET = 'an admin secret of 32 bytes or more';

export interface TestAccount {
  readonly clientId: string;
  readonly secret: string;
  readonly scopes: string;
  readonly bound?: boolean;
}

/** The real app on free ports, with one account and its own folder. */
export interface RunningApp {
  readonly url: string;
  readonly adminUrl: string;
  readonly managementUrl: string;
  readonly folder: string;
  readonly adminSecretFile: string;
  readonly app: BuiltApp;
  addAccount(account: TestAccount): Promise<void>;
  stop(): Promise<void>;
}

/** @param environment more settings; without DATABASE_URL the app gets its own test database */
export async function startTokenApp(environment: Record<string, string> = {}): Promise<RunningApp> {
  const database = environment['DATABASE_URL'] === undefined ? await createTokenDatabase() : undefined;
  const folder = await mkdtemp(join(tmpdir(), 'token-'));
  const release = async (): Promise<void> => {
    await rm(folder, { recursive: true });
    await database?.close();
  };
  try {
    const running = await startIn(folder, {
      ...(database && { DATABASE_URL: database.url }),
      ...environment,
    });
    const stop = async (): Promise<void> => {
      await running.app.close();
      await release();
    };
    return { ...running, stop };
  } catch (error) {
    await release();
    throw error;
  }
}

async function startIn(
  folder: string,
  environment: Record<string, string>,
): Promise<Omit<RunningApp, 'stop'>> {
  const adminSecretFile = join(folder, 'admin-secret');
  await writeFile(join(folder, 'key-secret'), 'a secret of at least thirty-two bytes');
  await writeFile(adminSecretFile, `${ADMIN_SECRET}\n`);
  const settings = readSettings(definition, {
    PORT: '0',
    ADMIN_PORT: '0',
    ISSUER: 'https://tokens.example',
    AUDIENCE: 'urn:test',
    TOKEN_LIFETIME_SECONDS: '1800',
    KEY_SECRET_FILE: join(folder, 'key-secret'),
    ADMIN_SECRET_FILE: adminSecretFile,
    ...environment,
    MANAGEMENT_PORT: '0',
  });
  const log = createLogger({ name: 'token', level: 'silent', format: 'json' });
  const app = await buildApp(tokenApp, settings, log);
  const {
    urls: [url = '', adminUrl = ''],
    managementUrl,
  } = await app.listen();
  const accounts = app.nest.get(AccountsService);
  const addAccount = async ({ clientId, secret, scopes, bound = false }: TestAccount): Promise<void> => {
    await accounts.create({ clientId, secret, bound, scopes: parseScopes(scopes), ifExists: 'replace' });
  };
  await addAccount({ clientId: CLIENT_ID, secret: CLIENT_SECRET, scopes: HELD });
  return { url, adminUrl, managementUrl, folder, adminSecretFile, app, addAccount };
}
