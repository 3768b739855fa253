import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@ssb/dev/free-ports';
import { createAccessToken, type AccessRole } from '@ssb/keys';
import { type EndedProcess, waitFor } from '@ssb/testing';
import { stringify } from 'yaml';
import { CONFIG } from './example.js';
import { runCommand } from './run-command.js';
import type { SubscriberTables } from './subscriber-tables.js';

const API = new URL('../../../../../bundles/api.js', import.meta.url).pathname;
const DAY_MS = 86_400_000;

/** The archive API as a process of its own on the tables of a subscriber. */
export interface RunningApi {
  readonly url: string;
  /** Tokens of an operator and a viewer of all participants, and of an operator of WPGENCO. */
  readonly tokens: Readonly<Record<'olivia' | 'victor' | 'wendy', string>>;
  /** Runs a command as olivia. */
  run(...args: string[]): Promise<EndedProcess>;
  runAs(name: keyof RunningApi['tokens'], ...args: string[]): Promise<EndedProcess>;
  /** Runs a command, and ends its request as a subscriber does. */
  carryOut(
    args: readonly string[],
    outcome: string,
    result: object,
  ): Promise<EndedProcess & { request: object }>;
  /** Ends the process, does the work, and starts another with the same address and tokens. */
  restart(whileDown: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export async function startApi(
  tables: SubscriberTables,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningApi> {
  const folder = mkdtempSync(join(tmpdir(), 'busbridge-api-'));
  const accesses = [
    createAccess('olivia', 'operator', 'all'),
    createAccess('victor', 'viewer', 'all'),
    createAccess('wendy', 'operator', ['WPGENCO']),
  ];
  const accessFile = join(folder, 'access.yaml');
  writeFileSync(accessFile, stringify({ tokens: accesses.map(({ entry }) => entry) }), { mode: 0o600 });
  const launch = async (port: string) => {
    const child = spawn(process.execPath, [API], {
      env: {
        PATH: process.env['PATH'],
        PORT: port,
        MANAGEMENT_PORT: '0',
        LOG_LEVEL: 'fatal',
        DATABASE_URL: tables.apiUrl,
        API_ACCESS_FILE: accessFile,
        CONFIG_FILE: CONFIG,
        ...environment,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const ended = once(child, 'close');
    const failed = ended.then(([status]) =>
      Promise.reject(new Error(`The API ended with status ${String(status)}.`)),
    );
    // The first message of an app says where it listens.
    const started = once(child, 'message') as Promise<[{ readonly urls: readonly string[] }]>;
    const [{ urls }] = await Promise.race([started, failed]);
    failed.catch(() => undefined);
    const end = async (): Promise<void> => {
      child.kill();
      await ended;
    };
    return { url: urls[0] ?? '', end };
  };
  let running = await launch(String(await freePort()));
  const { url } = running;
  const [olivia = '', victor = '', wendy = ''] = accesses.map(({ text }) => text);
  const tokens = { olivia, victor, wendy };
  const runAs = (name: keyof typeof tokens, ...args: string[]): Promise<EndedProcess> =>
    runCommand(args, { BUSBRIDGE_URL: url, BUSBRIDGE_TOKEN: tokens[name], CONFIG_FILE: CONFIG });
  const run = (...args: string[]): Promise<EndedProcess> => runAs('olivia', ...args);
  return {
    url,
    tokens,
    run,
    runAs,
    carryOut: async (args, outcome, result) => {
      const command = run(...args);
      const request = await waitFor('the request', async () => {
        const [row] = await tables.subscriber.query<{ request_id: number }>(
          'SELECT request_id, kind, parameters, author, comment, database_role FROM request WHERE finished_at IS NULL',
        );
        return row;
      });
      await tables.subscriber.query(
        'UPDATE request SET finished_at = now(), outcome = $2, result = $3::jsonb WHERE request_id = $1',
        [request.request_id, outcome, JSON.stringify(result)],
      );
      return { ...(await command), request };
    },
    restart: async (whileDown) => {
      await running.end();
      await whileDown();
      running = await launch(new URL(url).port);
    },
    stop: async () => {
      await running.end();
      rmSync(folder, { recursive: true });
    },
  };
}

function createAccess(name: string, role: AccessRole, participants: 'all' | string[]) {
  const now = new Date();
  return createAccessToken({ name, role, participants, expiresAt: new Date(now.getTime() + DAY_MS) }, now);
}
