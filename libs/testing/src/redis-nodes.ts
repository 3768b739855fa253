import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ensurePassword,
  findRedisProgram,
  passwordFile,
  PrivateRedisError,
  startPrivateRedis,
  type PrivateRedis,
} from '@ssb/dev/redis-server';
import { Redis } from 'ioredis';

/** The program of every test server. @throws PrivateRedisError */
export function redisProgram(): string {
  const program = findRedisProgram(process.env['PATH'] ?? '');
  if (program === undefined)
    throw new PrivateRedisError('Neither redis-server nor valkey-server is on PATH.');
  return program;
}

/** Several servers with one password in one temporary folder. */
export class RedisNodes {
  readonly folder = mkdtempSync(join(tmpdir(), 'test-redis-'));
  readonly password = ensurePassword(this.folder);
  readonly passwordFile = passwordFile(this.folder);
  private readonly nodes: PrivateRedis[] = [];
  private started = 0;
  private readonly clients: Redis[] = [];

  /** @param users lines of an access control list */
  constructor(private readonly users: readonly string[] = []) {}

  async start(settings: Readonly<Record<string, string>>): Promise<PrivateRedis> {
    const folder = join(this.folder, String((this.started += 1)));
    mkdirSync(folder);
    writeFileSync(passwordFile(folder), this.password, { mode: 0o600 });
    const node = await startPrivateRedis({
      program: redisProgram(),
      folder,
      users: this.users,
      settings: { masterauth: this.password, ...settings },
      ownGroup: false,
    });
    this.nodes.push(node);
    return node;
  }

  /** A client of the administrator. */
  connect(port: number): Redis {
    const client = new Redis({
      port,
      password: this.password,
      maxRetriesPerRequest: null,
      // The default of two seconds delays the end of the tests after the server was killed.
      disconnectTimeout: 500,
    });
    client.on('error', () => undefined);
    this.clients.push(client);
    return client;
  }

  /** Ends all servers, also paused ones, and removes their data. */
  async stop(): Promise<void> {
    for (const client of this.clients) client.disconnect();
    await Promise.all(this.nodes.map((node) => node.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Servers of which one takes over when another one ends. */
export interface TestRedisGroup {
  /** The servers, and the file of the password of the user `default`: settings of an app. */
  readonly settings: Readonly<Record<string, string>>;
  /** Clients of all servers. */
  servers(): Redis[];
  /** A client of the master that holds the key. */
  masterOf(key: string): Promise<Redis>;
  /** SIGKILL of that master. */
  killMasterOf(key: string): Promise<void>;
  stop(): Promise<void>;
}
