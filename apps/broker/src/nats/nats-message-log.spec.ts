import { connect } from '@nats-io/transport-node';
import { createLogger } from '@ssb/platform';
import { startTestNats } from '@ssb/redis';
import { describeMessageLog } from '../ports/message-log.conformance.js';
import { openNatsLog } from './open-nats-log.js';

const DUPLICATE_WINDOW_MS = 300;
const quiet = createLogger({ name: 'test', level: 'silent', format: 'json' });

async function openLog(url: string, patienceMs = 3_000) {
  const connection = await connect({ servers: url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  const options = {
    prefix: 'test',
    patienceMs,
    replicas: 1,
    duplicateWindowMs: DUPLICATE_WINDOW_MS,
    positionLifeMs: 3_600_000,
    now: () => new Date(),
  };
  return openNatsLog(connection, options, quiet);
}

describeMessageLog(
  'NATS JetStream',
  async () => {
    const nats = await startTestNats();
    const [one, other] = await Promise.all([openLog(nats.url), openLog(nats.url)]);
    return {
      one: one.log,
      other: other.log,
      close: async () => {
        await Promise.all([one.close(), other.close()]);
        await nats.stop();
      },
    };
  },
  { duplicateWindowMs: DUPLICATE_WINDOW_MS },
);
