import { waitFor } from '@ssb/testing';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** A real broker whose bearer tokens live for four seconds, which is long enough on a busy machine. */
let broker: RealBroker;
let gateway: RunningGateway;

beforeAll(async () => {
  broker = await startRealBroker({ TOKEN_LIFETIME_MS: '4000' });
  gateway = await startGateway(broker.url);
  await gateway.enrolNewIdentity(broker);
});

afterAll(async () => {
  await gateway?.stop();
  await broker?.stop();
});

function countLogins(): number {
  return gateway.logged().split('"broker login succeeded"').length - 1;
}

function countConnections(): number {
  return gateway.logged().split('"broker stream connected"').length - 1;
}

describe('the session at the broker', () => {
  it('is renewed once when many requests find it expired', async () => {
    await broker.waitForTokenExpiry();
    const before = countLogins();
    await Promise.all(Array.from({ length: 20 }, () => gateway.client.channels()));
    expect(countLogins() - before).toBe(1);
  });

  it('is renewed when the stream finds it expired', async () => {
    const states: string[] = [];
    const payloads: string[] = [];
    const fqcn = await broker.createChannel();
    const stream = gateway.stream({
      delivery: { mode: 'acknowledged', clientId: 'expired' },
      onMessages: (batch) => payloads.push(...batch.map(({ payload }) => payload)),
      onState: ({ state }) => states.push(state),
    });
    stream.start();
    try {
      await waitFor('connected', () => states.includes('connected') && countConnections() === 1);
      await broker.waitForTokenExpiry();
      await broker.kill();
      await broker.start();
      // Before any HTTP request, which would renew the session instead of the stream.
      await waitFor('the refusal', () => gateway.logged().includes('the upgrade was refused with 401'));
      await waitFor('connected again', () => countConnections() === 2);
      await gateway.client.sendMessage({ fqcn, topic: 'free', payload: '"after"' });
      await waitFor('delivered', () => payloads.includes('"after"'));
    } finally {
      await stream.stop();
    }
  });
});
