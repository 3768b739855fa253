export { type ConnectProxy, startConnectProxy } from './connect-proxy.js';
export { type FaultHandler, type FaultyServer, startFaultyServer } from './faulty-server.js';
export { type CollectedSpan, type OtlpCollector, startOtlpCollector } from './otlp-collector.js';
export {
  type PublicGateway,
  type PublicGatewayOptions,
  type PublicGatewayRequest,
  startPublicGateway,
} from './public-gateway/public-gateway.js';
export { type EndedProcess, runToEnd } from './run-process.js';
export { type Reply, type ScriptedServer, startScriptedServer } from './scripted-server.js';
export { createTestDatabase, type TestDatabase } from './test-database.js';
export { startTestNats, type TestNats, TestNatsError, type TestNatsOptions } from './test-nats.js';
export { startTestProxy, type TestProxy, withPort } from './test-proxy.js';
export { startTestRedis, type TestRedis } from './test-redis.js';
export { startTestCluster, type TestClusterOptions } from './test-redis-cluster.js';
export { startTestSentinels } from './test-sentinels.js';
export type { TestRedisGroup } from './redis-nodes.js';
export type { TestServer } from './test-server.js';
export { waitFor, waitForClosedPort } from './wait-for.js';
