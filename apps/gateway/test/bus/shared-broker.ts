import { startRealBroker, type RealBroker } from '../support/real-broker.js';

/** The broker of all suites in this folder. Its bundle takes a second of processor time to start. */
export let broker: RealBroker;

beforeAll(async () => {
  broker = await startRealBroker({ REDIS_TIMEOUT_MS: '4000' });
});

afterAll(() => broker.stop());
