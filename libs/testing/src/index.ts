export * from './in-process.js';
export {
  type PublicGateway,
  type PublicGatewayOptions,
  startPublicGateway,
} from './public-gateway/public-gateway.js';
export { type EndedProcess, runToEnd } from './run-process.js';
export { createTestDatabase, type TestDatabase } from './test-database.js';
export { startTestNats, type TestNats } from './test-nats.js';
export { startTestRedis, type TestRedis } from './test-redis.js';
export { signatureOf, startTestS3, type TestS3 } from './test-s3.js';
export { startTestCluster } from './test-redis-cluster.js';
export { startTestSentinels, type TestSentinels } from './test-sentinels.js';
export type { TestRedisGroup } from './redis-nodes.js';
export type { TestServer } from './test-server.js';
