import { addressOfKey } from '@ssb/identity';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** Document 002, Enrolment: `did:<method>:<address>`; the method is the bus's. */
const DID_METHOD = 'example';

let broker: RealBroker;
let gateway: RunningGateway;

beforeAll(async () => {
  broker = await startRealBroker({ DID_METHOD });
  gateway = await startGateway(broker.url, { DID_METHOD });
});

afterAll(async () => {
  await gateway?.stop();
  await broker?.stop();
});

it('enrols, sends and reads under the DID method of its bus', async () => {
  const { did, key } = await gateway.enrolNew(broker);
  expect(did).toBe(`did:${DID_METHOD}:${addressOfKey(key)}`);
  const fqcn = await broker.createChannel({ publishers: [did], subscribers: [did] });
  await gateway.client.sendMessage({ fqcn, topic: 'free', payload: '{}' });
  expect(await gateway.client.readMessages({ fqcn })).toMatchObject([{ payload: '{}', sender: did }]);
});

it('is not let in at a bus of another', async () => {
  const stranger = await startGateway(broker.url, { DID_METHOD: 'ethr' });
  try {
    await stranger.client.setIdentity('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
    const fqcn = await broker.createChannel();
    await expect(stranger.client.readMessages({ fqcn })).rejects.toMatchObject({ code: 'BUS::LOGIN_FAILED' });
  } finally {
    await stranger.stop();
  }
});
