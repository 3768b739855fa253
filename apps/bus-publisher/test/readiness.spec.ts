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
      version: expect.any(String),
      certificates: [],
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

  it('is not ready while the gateway refuses access, logs it once, and recovers', async () => {
    const permit = (...publishers: string[]) =>
      (gateway.channels = [OPERATIONS, { fqcn: CHANNEL, publishers }]);
    const steps: [string, () => void, () => void, RegExp][] = [
      [
        'gateway-credentials-refused',
        () => (gateway.password = 'another'),
        () => (gateway.password = 'password'),
        /^The gateway refuses the user or password \(401 REQ::UNAUTHENTICATED\)\.$/,
      ],
      [
        'gateway-not-enrolled',
        () => (gateway.enrolment = refusal(400, 'ID::NO_PRIVATE_KEY')),
        () => (gateway.enrolment = { status: 200, body: enrolment(true) }),
        /has no identity/,
      ],
      [
        'channel-not-permitted',
        () => permit(`did:ethr:0x${'b'.repeat(40)}`),
        () => permit(GATEWAY_DID),
        /do not include the gateway's identity/,
      ],
    ];
    const { url } = await start();
    for (const [reason, breakIt, repair, message] of steps) {
      breakIt();
      await waitFor(reason, async () => (await faultReasons(url)).includes(reason));
      const { accessRequests } = gateway;
      await waitFor('further checks', () => gateway.accessRequests >= accessRequests + 3);
      const { status, checks } = await health(url);
      expect([status, checks['gateway']]).toEqual([
        'error',
        { status: 'down', message: expect.stringMatching(message) },
      ]);
      repair();
      await waitFor('readiness', () => isReady(url));
      expect(await faultReasons(url)).toEqual([]);
    }
    const expected = steps.map(([reason, , , message]) => [reason, '*', expect.stringMatching(message)]);
    const reported = faultLines('fault reported');
    expect(reported.map(({ reason, participant, detail }) => [reason, participant, detail])).toEqual(
      expected,
    );
    expect(faultLines('fault ended').map(({ reason }) => reason)).toEqual(steps.map(([reason]) => reason));
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
