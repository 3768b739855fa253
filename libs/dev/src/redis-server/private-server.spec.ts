import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { findRedisProgram, startPrivateRedis, type PrivateRedis } from './private-server.js';

const program = findRedisProgram(process.env['PATH'] ?? '') ?? 'redis-server';

describe('a private Redis', () => {
  let folder: string;
  let server: PrivateRedis;
  let redis: Redis;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'private-redis-'));
    server = await startPrivateRedis({ program, folder, ownGroup: false });
    redis = new Redis(server.url, { retryStrategy: () => 20 });
    // Each kill breaks the connection; the client reconnects.
    redis.on('error', () => undefined);
  });

  afterAll(async () => {
    await redis.quit();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  /** Waits for the next second of the server's clock, when a server with `everysec` would write. */
  const nextSecond = async (): Promise<void> => {
    const [second] = await redis.time();
    while ((await redis.time())[0] === second) await pause(5);
  };

  it('requires a password that only its owner can read', async () => {
    const password = readFileSync(server.passwordFile, 'utf8');
    expect(password).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(server.passwordFile).mode & 0o777).toBe(0o600);
    const client = new Redis({ port: server.port, lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => undefined);
    await client.connect().catch(() => undefined);
    await expect(client.get('list')).rejects.toThrow();
    client.disconnect();
  });

  it('has files that only its owner can read', () => {
    const files = join(folder, 'appendonlydir');
    const modes = (): Set<number> =>
      new Set(readdirSync(files).map((name) => statSync(join(files, name)).mode & 0o777));
    expect(modes()).toEqual(new Set([0o600]));
    expect(statSync(files).mode & 0o777).toBe(0o700);
  });

  it('shows no password in arguments or environment, and gets no secret of its starter', async () => {
    const other = mkdtempSync(join(tmpdir(), 'private-redis-'));
    // Redis overwrites its arguments in the process list once it runs.
    const recorder = join(other, 'recorder');
    const script = `#!/bin/sh\n{ echo "$@"; env; } > '${other}/started'\nexec '${program}' "$@"\n`;
    writeFileSync(recorder, script, { mode: 0o700 });
    process.env['WEBHOOK_SECRET'] = 'a secret of the starter';
    const recorded = await startPrivateRedis({ program: recorder, folder: other, ownGroup: false });
    delete process.env['WEBHOOK_SECRET'];
    await recorded.stop();
    const started = readFileSync(join(other, 'started'), 'utf8');
    expect(started).toContain(`--dir ${other}`);
    expect(started).not.toContain(readFileSync(recorded.passwordFile, 'utf8'));
    expect(started).not.toContain('a secret of the starter');
    rmSync(other, { recursive: true });
  });

  it('signals no process after its end', async () => {
    const other = mkdtempSync(join(tmpdir(), 'private-redis-'));
    let onEnded: (pid: number) => void = () => undefined;
    const ended = new Promise<number>((resolve) => (onEnded = resolve));
    const observer = { onRunning: () => undefined, onEnded };
    const stopped = await startPrivateRedis({ program, folder: other, ownGroup: false, observer });
    process.kill(stopped.pid, 'SIGKILL');
    expect(await ended).toBe(stopped.pid);
    const kill = jest.spyOn(process, 'kill');
    await stopped.stop();
    expect(kill).not.toHaveBeenCalled();
    kill.mockRestore();
    rmSync(other, { recursive: true });
  });

  it('keeps acknowledged writes through a kill just after them', async () => {
    await nextSecond();
    for (const text of ['first', 'just after']) await redis.rpush('list', text);
    await server.kill();
    await server.start();
    expect(await redis.lrange('list', 0, -1)).toEqual(['first', 'just after']);
  });
});
