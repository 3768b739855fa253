import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@ssb/testing';
import { AppProcess, createAuthority, ensureSchemas, reserveSystemPorts, REPOSITORY_ROOT } from '@ssb/tools';
import { Agent } from 'undici';

/** The token service in a process of its own, with one account. */
export interface RunningTokenService {
  readonly url: string;
  readonly process: AppProcess;
  /** Trusts the service's certificate. */
  readonly client: Agent;
  readonly account: { readonly id: string; readonly secret: string };
  stop(): Promise<void>;
}

export async function startTokenService(
  scopes: readonly string[],
  connections: number,
): Promise<RunningTokenService> {
  const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-bench-'));
  const writeFile = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const authority = await createAuthority({ name: 'Test authority', now: new Date() });
  const { cert, key } = await authority.issue({
    commonName: 'token service',
    hosts: ['127.0.0.1'],
    usage: 'server',
  });
  const ports = await reserveSystemPorts();
  const database = await createTestDatabase();
  const databaseUrls = await ensureSchemas(database.adminUrl, join(folder, 'secrets'));
  const adminSecretFile = writeFile('admin.secret', randomBytes(32).toString('hex'));
  const process = new AppProcess({
    name: 'token',
    app: 'token',
    logFolder: join(folder, 'logs'),
    environment: {
      PORT: String(ports.token),
      MANAGEMENT_PORT: '0',
      ADMIN_PORT: String(ports['token-admin']),
      ADMIN_SECRET_FILE: adminSecretFile,
      TLS_CERT_FILE: writeFile('server.pem', cert),
      TLS_KEY_FILE: writeFile('server.key', key),
      KEY_SECRET_FILE: writeFile('key.secret', randomBytes(32).toString('hex')),
      DATABASE_URL: databaseUrls.token,
    },
  });
  const client = new Agent({ connections, connect: { ca: authority.cert } });
  const stop = async (): Promise<void> => {
    await process.stop();
    await client.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await process.start();
    const account = { id: 'bench', secret: randomBytes(24).toString('base64url') };
    const adminOptions = [
      '--url',
      `http://127.0.0.1:${ports['token-admin']}`,
      '--secret-file',
      adminSecretFile,
    ];
    execFileSync(
      globalThis.process.execPath,
      [
        join(REPOSITORY_ROOT, 'apps/token/dist/src/accounts.js'),
        'create',
        ...['--client-id', account.id, ...scopes.flatMap((scope) => ['--scope', scope])],
        ...['--client-secret-stdin', ...adminOptions],
      ],
      { input: account.secret, stdio: ['pipe', 'ignore', 'inherit'] },
    );
    return { url: `https://127.0.0.1:${ports.token}`, process, client, account, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
