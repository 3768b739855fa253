import { waitFor } from '@ssb/testing';
import { enrolment, GATEWAY_DID } from './support/fake-gateway.js';
import {
  breach,
  CHANNEL,
  deadLetters,
  gateway,
  lines,
  OPERATIONS_CHANNEL,
  queue,
  redis,
  refusal,
  setUpPublisherTests,
  start,
  type Line,
} from './support/running-publisher.js';

setUpPublisherTests();

const OPERATIONS = { fqcn: OPERATIONS_CHANNEL };

const faultLines = (msg: string): Line[] => lines.filter((line) => line['msg'] === msg);

interface Health {
  readonly status: string;
  readonly checks: Record<string, unknown>;
  readonly faults: { readonly reason: string }[];
}

const health = async (url: string): Promise<Health> =>
  (await (await fetch(`${url}/health`)).json()) as Health;
const isReady = async (url: string): Promise<boolean> => (await fetch(`${url}/health/ready`)).ok;
const faultReasons = async (url: string): Promise<string[]> =>
  (await health(url)).faults.map(({ reason }) => reason);

describe('readiness', () => {
  it('is ready with Redis, gateway and progress, and not without the gateway', async () => {
    const { url } = await start();
    await waitFor('readiness', () => isReady(url));
    expect(await health(url)).toEqual({
      status: 'ok',
      checks: { redis: { status: 'up' }, gateway: { status: 'up' }, progress: { status: 'up' } },
      faults: [],
    });
    await gateway.stop();
    await waitFor('the fault', async () => (await faultReasons(url)).includes('gateway-unreachable'));
    expect(await health(url)).toMatchObject({
      status: 'error',
      checks: {
        gateway: { status: 'down', message: expect.stringContaining('no response from the gateway') },
      },
    });
    // A restart would not bring the gateway back.
    const live = await (await fetch(`${url}/health/live`)).json();
    expect(live).toEqual({ status: 'ok', checks: { progress: { status: 'up' } } });
    await gateway.start();
    await waitFor('readiness', () => isReady(url));
    expect(await faultReasons(url)).toEqual([]);
  });

  it.each<[string, () => void, () => void, string, RegExp]>([
    [
      'the password is wrong',
      () => (gateway.password = 'another'),
      () => (gateway.password = 'password'),
      'gateway-credentials-refused',
      /^The gateway refuses the user or password \(401 REQ::UNAUTHENTICATED\)\.$/,
    ],
    [
      'the gateway is not enrolled',
      () => (gateway.enrolment = { status: 200, body: enrolment(false) }),
      () => (gateway.enrolment = { status: 200, body: enrolment(true) }),
      'gateway-not-enrolled',
      /is not enrolled: its user role is AWAITING_APPROVAL/,
    ],
    [
      'the gateway has no identity',
      () => (gateway.enrolment = refusal(400, 'ID::NO_PRIVATE_KEY')),
      () => (gateway.enrolment = { status: 200, body: enrolment(true) }),
      'gateway-not-enrolled',
      /has no identity/,
    ],
    [
      'a channel is missing',
      () => (gateway.channels = [OPERATIONS]),
      () => (gateway.channels = [OPERATIONS, { fqcn: CHANNEL }]),
      'channel-not-permitted',
      /does not list the channel prudential/,
    ],
    [
      'others may publish on the channel',
      () =>
        (gateway.channels = [OPERATIONS, { fqcn: CHANNEL, publishers: [`did:ethr:0x${'b'.repeat(40)}`] }]),
      () => (gateway.channels = [OPERATIONS, { fqcn: CHANNEL, publishers: [GATEWAY_DID] }]),
      'channel-not-permitted',
      /do not include the gateway's identity/,
    ],
  ])('is not ready while %s, logs it once, and recovers', async (_, breakIt, repair, reason, message) => {
    breakIt();
    const { url } = await start();
    await waitFor('the fault', async () => (await faultReasons(url)).includes(reason));
    const { accessRequests } = gateway;
    await waitFor('further checks', () => gateway.accessRequests >= accessRequests + 3);
    const { status, checks } = await health(url);
    expect([status, checks['gateway']]).toEqual([
      'error',
      { status: 'down', message: expect.stringMatching(message) },
    ]);
    expect(faultLines('fault reported')).toEqual([
      expect.objectContaining({ reason, participant: '*', detail: expect.stringMatching(message) }),
    ]);
    repair();
    await waitFor('readiness', () => isReady(url));
    expect(await faultReasons(url)).toEqual([]);
    expect(faultLines('fault ended')).toEqual([expect.objectContaining({ reason })]);
  });

  it('checks the gateway at once after a refused message', async () => {
    const { url } = await start({ GATEWAY_CHECK_INTERVAL_MS: '3600000' });
    await waitFor('readiness', () => isReady(url));
    gateway.password = 'another';
    await queue.enqueue([breach(1)]);
    await waitFor('the fault', async () => (await faultReasons(url)).includes('gateway-credentials-refused'));
    expect(await deadLetters.count()).toBe(0);
  });

  it('is not ready while Redis refuses writes', async () => {
    const { url } = await start();
    await waitFor('readiness', () => isReady(url));
    await redis.config('SET', 'min-replicas-to-write', '1');
    try {
      expect((await health(url)).checks['redis']).toEqual({
        status: 'down',
        message: expect.stringContaining('Redis refuses writes: NOREPLICAS'),
      });
    } finally {
      await redis.config('SET', 'min-replicas-to-write', '0');
    }
    await waitFor('readiness', () => isReady(url));
  });
});
