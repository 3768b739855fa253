import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@ssb/testing/in-process';
import { createLogger } from '../logging/logger.js';
import { ManagementAccess } from './management-access.js';

const STATUS = 'the token of those who see the state';
const OPERATE = 'the token of those who may also act';

const folder = mkdtempSync(join(tmpdir(), 'management-access-'));
const reply = { header: () => undefined };
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(`${path}.next`, content);
  chmodSync(`${path}.next`, 0o600);
  renameSync(`${path}.next`, path);
  return path;
}

const open = (files: object): Promise<ManagementAccess> =>
  ManagementAccess.open(
    { TLS_RELOAD_INTERVAL_MS: 10, ...files },
    createLogger({ name: 'sample', level: 'silent', format: 'json' }),
  );

/** Whether a request with this token sees the state, and the status of its action. */
function rights(access: ManagementAccess, token?: string): readonly [boolean, number] {
  const authorization = token && `Bearer ${token}`;
  try {
    access.requireOperate(authorization, reply);
    return [access.isAllowed(authorization), 200];
  } catch (error) {
    return [access.isAllowed(authorization), (error as { status: number }).status];
  }
}

it('without a token file all see the state, and nobody acts', async () => {
  const access = await open({});
  expect([rights(access), rights(access, OPERATE)]).toEqual([
    [true, 403],
    [true, 403],
  ]);
});

it('the token for actions allows both, the other one only the state', async () => {
  const access = await open({
    MANAGEMENT_TOKEN_FILE: write('status', STATUS),
    MANAGEMENT_OPERATE_TOKEN_FILE: write('operate', OPERATE),
  });
  expect([undefined, STATUS, OPERATE, `${OPERATE}.`].map((token) => rights(access, token))).toEqual([
    [false, 401],
    [true, 401],
    [true, 200],
    [false, 401],
  ]);
});

it('a changed token for actions replaces the previous one', async () => {
  const access = await open({ MANAGEMENT_OPERATE_TOKEN_FILE: write('operate', OPERATE) });
  await access.onApplicationBootstrap();
  const next = OPERATE.toUpperCase();
  write('operate', next);
  await waitFor('the new token', () => rights(access, next)[1] === 200);
  expect(rights(access, OPERATE)).toEqual([true, 401]);
  await access.onApplicationShutdown();
});
