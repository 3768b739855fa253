import { addressOfKey } from '@ssb/identity';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** Document 002, Enrolment: `did:<method>:<address>`, with the method of the bus. */
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
  const { did, key } = await gateway.enrolNewIdentity(broker);
  expect(did).toBe(`did:${DID_METHOD}:${addressOfKey(key)}`);
  const fqcn = await broker.createChannel({ publishers: [did], subscribers: [did] });
  await gateway.client.sendMessage({ fqcn, topic: 'free', payload: '{}' });
  expect(await gateway.client.readMessages({ fqcn })).toMatchObject([{ payload: '{}', sender: did }]);
});

it('is refused by a bus of another DID method', async () => {
  const other = await startGateway(broker.url, { DID_METHOD: 'ethr' });
  try {
    await other.client.setIdentity('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
    const fqcn = await broker.createChannel();
    await expect(other.client.readMessages({ fqcn })).rejects.toMatchObject({ code: 'BUS::LOGIN_FAILED' });
  } finally {
    await other.stop();
  }
});
