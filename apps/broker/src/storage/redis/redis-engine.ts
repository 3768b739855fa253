import { createHash } from 'node:crypto';
import { TimeoutError, withTimeout } from '@ssb/net';
import { EngineUnavailableError } from '../message-log.js';
import type { RedisConnection } from '@ssb/redis-queue/redis';

/** A script that Redis runs atomically. It is sent by its digest, and in full when Redis does not know it. */
export class LuaScript {
  private readonly digest: string;

  constructor(private readonly source: string) {
    this.digest = createHash('sha1').update(source).digest('hex');
  }

  async run(
    redis: RedisConnection,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    try {
      return await redis.evalsha(this.digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return redis.eval(this.source, keys.length, ...keys, ...args);
    }
  }
}

const WRITE_PROBE_LIFETIME_MS = 10_000;

/**
 * The command connection. While Redis is unavailable, a call waits for at most the timeout, then fails.
 * Commands are not queued during an outage, so that they do not flood Redis afterwards.
 */
export class RedisEngine {
  private waitingForReady: Promise<void> | undefined;

  constructor(
    private readonly redis: RedisConnection,
    private readonly timeoutMs: number,
  ) {}

  /** @throws EngineUnavailableError when Redis is unreachable, returns an error, or does not respond in time */
  async run<T>(work: (redis: RedisConnection) => Promise<T>): Promise<T> {
    if (this.redis.status !== 'ready') await (this.waitingForReady ??= this.waitUntilReady());
    try {
      return await withTimeout(work(this.redis), this.timeoutMs);
    } catch (error) {
      if (error instanceof EngineUnavailableError) throw error;
      if (error instanceof TimeoutError)
        throw this.unavailable(`Redis did not respond within ${this.timeoutMs} ms`);
      throw this.unavailable(error instanceof Error ? error.message : String(error), error);
    }
  }

  /** @throws EngineUnavailableError */
  runScript(
    script: LuaScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    return this.run((redis) => script.run(redis, keys, args));
  }

  /** Also succeeds when Redis has no free memory. @throws EngineUnavailableError */
  async ping(): Promise<void> {
    await this.run((redis) => redis.ping());
  }

  /** Writes a few bytes that expire, because Redis responds to a ping even without free memory. @throws EngineUnavailableError */
  async checkWrite(key: string): Promise<void> {
    await this.run((redis) => redis.set(key, '1', 'PX', WRITE_PROBE_LIFETIME_MS));
  }

  close(): void {
    this.redis.disconnect();
  }

  private waitUntilReady(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const stopWaiting = (): void => {
        clearTimeout(timer);
        this.redis.off('ready', onReady);
        this.waitingForReady = undefined;
      };
      const onReady = (): void => {
        stopWaiting();
        resolve();
      };
      const timer = setTimeout(() => {
        stopWaiting();
        reject(this.unavailable(`Redis has been unreachable for ${this.timeoutMs} ms or more`));
      }, this.timeoutMs);
      this.redis.once('ready', onReady);
    });
  }

  private unavailable(message: string, cause?: unknown): EngineUnavailableError {
    return new EngineUnavailableError(this.redis.status, message, { cause });
  }
}
