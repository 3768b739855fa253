import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess, findLeftServer, writeNote } from './adopt-server.js';
import { freePort } from '@ssb/free-ports';
import { findRedisProgram } from './find-program.js';
import { startPrivateRedis } from './private-server.js';

const program = findRedisProgram(process.env['PATH'] ?? '') ?? 'redis-server';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adopt-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a private server that a killed starter left', () => {
  it('is found again, and taken over instead of started a second time on the same file', async () => {
    const left = await startPrivateRedis({ program, folder });
    expect(await findLeftServer(folder)).toEqual({ pid: left.pid, port: left.port });
    const next = await startPrivateRedis({ program, folder });
    expect([next.pid, next.port]).toEqual([left.pid, left.port]);
    await next.stop();
    expect(await findLeftServer(folder)).toBeUndefined();
  });

  it('is found also while it is only just starting', async () => {
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
    writeNote(folder, { pid, port });
    try {
      expect(await findLeftServer(folder)).toEqual({ pid, port });
    } finally {
      await endProcess(pid, 'SIGTERM');
    }
  });

  it('is not mistaken for a server of another folder', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    const theirs = await startPrivateRedis({ program, folder: other });
    try {
      writeNote(folder, { pid: theirs.pid, port: theirs.port });
      expect(await findLeftServer(folder)).toBeUndefined();
    } finally {
      await theirs.stop();
    }
  });
});

it('tells why a server did not start, and leaves no note of it', async () => {
  await expect(startPrivateRedis({ program: '/bin/false', folder })).rejects.toThrow('ended with status 1');
  expect(await findLeftServer(folder)).toBeUndefined();
});

it('waits until a process has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  const ended = once(child, 'exit');
  await endProcess(child.pid ?? 0, 'SIGTERM');
  expect(await ended).toEqual([null, 'SIGTERM']);
});
