import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FixedKeys, type KeySource, parseKeyRing } from '@ssb/keys';
import { connectRedis } from '@ssb/redis-queue';
import { type EndedProcess, startTestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { runCommand } from './run-command.js';

const SECRET = 'a secret of more than thirty-two characters';

/** The commands of a bridge with its own Redis, configuration and integrity key. */
export interface BridgeCommands {
  readonly url: string;
  readonly redis: Redis;
  readonly keys: KeySource;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<EndedProcess>;
  stop(): Promise<void>;
}

/** @param config the configuration file of the operator */
export async function prepareCommands(config: string): Promise<BridgeCommands> {
  const server = await startTestRedis();
  const folder = mkdtempSync(join(tmpdir(), 'busbridge-'));
  writeFileSync(join(folder, 'integrity.keys'), SECRET);
  writeFileSync(join(folder, 'bridge.yaml'), config);
  const redis = connectRedis(server.url, { name: 'busbridge-spec' });
  const environment = {
    REDIS_URL: server.url,
    CONFIG_FILE: join(folder, 'bridge.yaml'),
    INTEGRITY_KEYS_FILE: join(folder, 'integrity.keys'),
  };
  return {
    url: server.url,
    redis,
    keys: new FixedKeys(parseKeyRing(SECRET)),
    folder,
    environment,
    run: (args, more) => runCommand(args, { ...environment, ...more }),
    stop: async () => {
      redis.disconnect();
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
