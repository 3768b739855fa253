import { useBrokers } from '../support/test-broker.js';

/** A Redis and two brokers for all suites in this folder. */
export const { redis, broker, other } = useBrokers({ LOG_LEVEL: 'warn' });
