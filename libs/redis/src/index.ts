export {
  AuthenticatedHash,
  type DiscardedValue,
  type DiscardReason,
  type Fence,
  type HashLimits,
  type HashReading,
  type VerifiedValue,
} from './authenticated-hash.js';
export { connectRedis, type ConnectOptions } from './connect.js';
export { onConnectionError, watchServer } from './connection-events.js';
export { type RedisConnection, RedisSettingsError, type RedisSettings, settingOf } from './servers.js';
export {
  explainConnectionError,
  type RedisConnectionError,
  RedisDatabaseError,
  RedisPermissionError,
  RedisRefusedError,
  RedisTlsError,
  RedisUnavailableError,
} from './connection-errors.js';
export { checkDurability, UnsafeRedisError } from './durability.js';
export { requireDatabase } from './require-database.js';
export { readRedisMemory, type RedisMemory } from './memory.js';
export { RedisNotWritableError, requireWritableRedis } from './writable.js';
export { readRedisClock } from './redis-clock.js';
export { isWrongTypeError } from './wrong-type.js';
