import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-ports/free-ports.js';
import { findRedisProgram, startPrivateRedis } from './private-server.js';
import { findRunningServer, terminateProcess, writeServerFile } from './running-server.js';
import { ensurePassword } from './server-password.js';

const PASSWORD = 'a password';
const program = findRedisProgram(process.env['PATH'] ?? '') ?? 'redis-server';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'running-server-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @returns the process id of a server that may not respond yet */
function startServer(port: number): number {
  const settings = { port, bind: '127.0.0.1', dir: folder, save: '', requirepass: PASSWORD };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const pid = spawn(program, args, { cwd: folder, stdio: 'ignore' }).pid ?? 0;
  writeServerFile(folder, { pid, port });
  return pid;
}

describe('a private server that a killed starter left', () => {
  it('is found and taken over', async () => {
    const first = await startPrivateRedis({ program, folder });
    const next = await startPrivateRedis({ program, folder });
    expect([next.pid, next.url]).toEqual([first.pid, first.url]);
    await next.stop();
    expect(await findRunningServer(folder, ensurePassword(folder))).toBeUndefined();
  });

  it('is not started a second time when its password file was lost', async () => {
    const first = await startPrivateRedis({ program, folder });
    writeFileSync(first.passwordFile, 'another');
    try {
      await expect(startPrivateRedis({ program, folder })).rejects.toThrow(
        `runs as process ${first.pid} on port ${first.port} and refuses the password in ${first.passwordFile}. End that process`,
      );
    } finally {
      await first.stop();
    }
  });

  it('is found while it is still starting', async () => {
    const port = await freePort();
    const pid = startServer(port);
    try {
      expect(await findRunningServer(folder, PASSWORD)).toEqual({ pid, port });
    } finally {
      await terminateProcess(pid, 'SIGTERM');
    }
  });

  it('is not confused with the server of another folder', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    const another = await startPrivateRedis({ program, folder: other });
    try {
      writeServerFile(folder, { pid: another.pid, port: another.port });
      expect(await findRunningServer(folder, PASSWORD)).toBeUndefined();
    } finally {
      await another.stop();
    }
  });
});

it('reports why a server did not start, and leaves no record of it', async () => {
  await expect(startPrivateRedis({ program: '/bin/false', folder })).rejects.toThrow('ended with status 1');
  expect(await findRunningServer(folder, PASSWORD)).toBeUndefined();
});
