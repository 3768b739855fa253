/** Helpers that start no other process. A test that imports only these runs with `--pure`. */
export { type ConnectProxy, startConnectProxy } from './connect-proxy.js';
export { type FaultHandler, type FaultyServer, startFaultyServer } from './faulty-server.js';
export { type CollectedSpan, type OtlpCollector, startOtlpCollector } from './otlp-collector.js';
export { MemoryBudgetStore } from './memory-budget-store.js';
export { createPkcs12 } from './pkcs12.js';
export { type Reply, type ScriptedServer, startScriptedServer } from './scripted-server.js';
export { startTestProxy, type TestProxy, withPort } from './test-proxy.js';
export { waitFor, waitForClosedPort } from './wait-for.js';
