import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { EngineUnavailableError } from '../message-log.js';

/** A script that Redis runs as one step; sent by its digest, and in full when Redis does not know it (first time, or a restart). */
export class LuaScript {
  private readonly digest: string;

  constructor(private readonly source: string) {
    this.digest = createHash('sha1').update(source).digest('hex');
  }

  async run(redis: Redis, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return redis.eval(this.source, keys.length, ...keys, ...args);
    }
  }
}

const SIGN_LIFE_MS = 10_000;

/**
 * The command connection with bounded patience: a call waits through a short restart of Redis, and is refused when it takes longer.
 * Commands are not queued during an outage, so a long one does not end in a flood.
 */
export class RedisEngine {
  private waiting: Promise<void> | undefined;

  constructor(
    private readonly redis: Redis,
    private readonly patienceMs: number,
  ) {}

  /**
   * Runs commands.
   * @throws EngineUnavailableError when Redis is away, answers with an error, or does not answer in time
   */
  async run<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.redis.status !== 'ready') await (this.waiting ??= this.ready());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(this.unavailable(`Redis did not answer within ${this.patienceMs} ms`)),
        this.patienceMs,
      );
    });
    try {
      return await Promise.race([work(this.redis), late]);
    } catch (error) {
      if (error instanceof EngineUnavailableError) throw error;
      throw this.unavailable(error instanceof Error ? error.message : String(error), error);
    } finally {
      clearTimeout(timer);
    }
  }

  script(script: LuaScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.run((redis) => script.run(redis, keys, args));
  }

  /** Requests an answer, which a Redis without free memory gives as well. @throws EngineUnavailableError */
  async ping(): Promise<void> {
    await this.run((redis) => redis.ping());
  }

  /** Writes a few bytes that expire: a Redis without free memory answers a ping and takes nothing. @throws EngineUnavailableError */
  async check(key: string): Promise<void> {
    await this.run((redis) => redis.set(key, '1', 'PX', SIGN_LIFE_MS));
  }

  close(): void {
    this.redis.disconnect();
  }

  private ready(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.redis.off('ready', onReady);
        this.waiting = undefined;
      };
      const onReady = (): void => {
        settle();
        resolve();
      };
      const timer = setTimeout(() => {
        settle();
        reject(this.unavailable(`Redis has been away for ${this.patienceMs} ms or more`));
      }, this.patienceMs);
      this.redis.once('ready', onReady);
    });
  }

  private unavailable(message: string, cause?: unknown): EngineUnavailableError {
    return new EngineUnavailableError(this.redis.status, message, { cause });
  }
}
