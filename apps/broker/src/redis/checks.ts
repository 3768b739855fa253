import type { Keys } from './keys.js';
import type { RedisEngine } from './redis-engine.js';

const SIGN_LIFE_MS = 10_000;

/** Asks for an answer, which one that has used its memory up gives as well. @throws EngineUnavailableError */
export async function checkAnswers(engine: RedisEngine): Promise<void> {
  await engine.run((redis) => redis.ping());
}

/**
 * Writes a few bytes, which go by themselves: a Redis that has used its memory up answers a ping and takes nothing.
 * @throws EngineUnavailableError
 */
export async function checkWrites(engine: RedisEngine, keys: Keys): Promise<void> {
  await engine.run((redis) => redis.set(keys.signOfLife, '1', 'PX', SIGN_LIFE_MS));
}
