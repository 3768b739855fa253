import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@ssb/free-ports';
import { findRedisProgram, startPrivateRedis } from './private-server.js';
import { findRunningServer, terminateProcess, writeServerFile } from './running-server.js';

const program = findRedisProgram(process.env['PATH'] ?? '') ?? 'redis-server';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'running-server-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a private server that a killed starter left', () => {
  it('is found and taken over', async () => {
    const first = await startPrivateRedis({ program, folder });
    expect(await findRunningServer(folder)).toEqual({ pid: first.pid, port: first.port });
    const next = await startPrivateRedis({ program, folder });
    expect([next.pid, next.port]).toEqual([first.pid, first.port]);
    await next.stop();
    expect(await findRunningServer(folder)).toBeUndefined();
  });

  it('is found while it is still starting', async () => {
    const port = await freePort();
    const child = spawn(program, [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--save',
      '',
    ]);
    const pid = child.pid ?? 0;
    writeServerFile(folder, { pid, port });
    try {
      expect(await findRunningServer(folder)).toEqual({ pid, port });
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
      expect(await findRunningServer(folder)).toBeUndefined();
    } finally {
      await another.stop();
    }
  });
});

it('reports why a server did not start, and leaves no record of it', async () => {
  await expect(startPrivateRedis({ program: '/bin/false', folder })).rejects.toThrow('ended with status 1');
  expect(await findRunningServer(folder)).toBeUndefined();
});

it('waits until a process has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  const ended = once(child, 'exit');
  await terminateProcess(child.pid ?? 0, 'SIGTERM');
  expect(await ended).toEqual([null, 'SIGTERM']);
});
