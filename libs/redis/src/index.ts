export { connectRedis, type ConnectOptions } from './connect.js';
export { checkDurability, UnsafeRedisError } from './durability.js';
export { findRedisProgram, REDIS_PROGRAMS } from './find-program.js';
export { PrivateRedisError, startPrivateRedis, type PrivateRedis } from './private-server.js';
export { startTestRedis, type TestRedis } from './test-server.js';
export { startTestNats, TestNatsError, type TestNats, type TestNatsOptions } from './test-nats.js';
export type { ThrowAwayServer } from './throw-away-server.js';
export { startTestLine, type TestLine } from './test-line.js';
