import { waitFor } from '@ssb/testing';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** A real broker whose bearer tokens live for four seconds: long enough for a busy machine to use one. */
let broker: RealBroker;
let gateway: RunningGateway;

beforeAll(async () => {
  broker = await startRealBroker({ TOKEN_LIFETIME_MS: '4000' });
  gateway = await startGateway(broker.url);
  await gateway.enrolNew(broker);
});

afterAll(async () => {
  await gateway?.stop();
  await broker?.stop();
});

function logins(): number {
  return gateway.logged().split('"logged in at the broker"').length - 1;
}

function connections(): number {
  return gateway.logged().split('"stream-connected"').length - 1;
}

describe('the session at the broker', () => {
  it('is opened anew, once, when many requests find it expired', async () => {
    await broker.tokensExpired();
    const before = logins();
    await Promise.all(Array.from({ length: 20 }, () => gateway.client.channels()));
    expect(logins() - before).toBe(1);
  });

  it('is opened anew when the stream finds it expired', async () => {
    const states: string[] = [];
    const payloads: string[] = [];
    const fqcn = await broker.createChannel();
    const stream = gateway.stream({
      clientId: 'expired',
      onMessages: (batch) => payloads.push(...batch.map(({ payload }) => payload)),
      onState: ({ state }) => states.push(state),
    });
    stream.start();
    try {
      await waitFor('connected', () => states.includes('connected') && connections() === 1);
      await broker.tokensExpired();
      await broker.kill();
      await broker.start();
      // The stream first: a request over HTTP would open the session in its place.
      await waitFor('the refusal', () => gateway.logged().includes('the upgrade was refused with 401'));
      await waitFor('connected again', () => connections() === 2);
      await gateway.client.sendMessage({ fqcn, topic: 'free', payload: '"after"' });
      await waitFor('delivered', () => payloads.includes('"after"'));
    } finally {
      await stream.stop();
    }
  });
});
