import { verifyProof } from '@ssb/events';
import { didOfKey, parsePrivateKey } from '@ssb/identity';
import { activateRing, ENCRYPTION_SECRET_FILE, KeyFolder, rotateRing, type KeyName } from '@ssb/keys';
import { waitFor } from '@ssb/testing';
import { join } from 'node:path';
import {
  breach,
  folder,
  gateway,
  lines,
  published,
  queue,
  sentFacts,
  setUpPublisherTests,
  start,
} from './support/running-publisher.js';

setUpPublisherTests();

const ROTATED: readonly KeyName[] = ['origin', 'gateway-publisher'];
const HOUR_MS = 3_600_000;

it('uses a rotated origin key and password when they are active, without a restart or a refused request', async () => {
  const keys = new KeyFolder(join(folder, 'keys'));
  await keys.create(new Date());
  const [password] = (await keys.read('gateway-publisher')).keys;
  gateway.password = password?.secret ?? '';
  const { url } = await start({
    GATEWAY_PASSWORD: '',
    GATEWAY_PASSWORD_FILE: keys.pathOf('gateway-publisher'),
    ORIGIN_KEY_FILE: keys.pathOf('origin'),
    ORIGIN_KEY_SECRET_FILE: join(keys.path, ENCRYPTION_SECRET_FILE),
    KEYS_RELOAD_INTERVAL_MS: '20',
  });
  const countReloads = (): number => lines.filter(({ msg }) => msg === 'keys reloaded').length;
  const publish = async (minute: number): Promise<void> => {
    await queue.enqueue([breach(minute)]);
    await waitFor('the message', () => published().length === minute);
  };
  await publish(1);

  await keys.change(ROTATED, (ring, generate) =>
    rotateRing(ring, { now: new Date(), activeInMs: HOUR_MS, overlapMs: HOUR_MS, secret: generate() }),
  );
  await waitFor('the new versions', () => countReloads() === 2);
  const [, next] = (await keys.read('gateway-publisher')).keys;
  gateway.nextPassword = next?.secret;
  await publish(2);
  expect(gateway.authorization).toBe(basic(password?.secret));

  await keys.change(ROTATED, (ring) => activateRing(ring, new Date(), 0));
  await waitFor('the active versions', () => countReloads() === 4);
  await publish(3);
  expect(gateway.authorization).toBe(basic(next?.secret));
  expect(gateway.refused).toBe(0);

  const dids = (await keys.read('origin')).keys.map(({ secret }) => didOfKey(parsePrivateKey(secret)));
  const origins = sentFacts().map(({ payload }) => {
    const verdict = verifyProof(JSON.parse(payload), dids);
    return verdict.ok ? verdict.origin : verdict.reason;
  });
  expect(origins).toEqual([dids[0], dids[0], dids[1]]);
  expect(lines.filter(({ msg }) => msg === 'origin key active')).toEqual([
    expect.objectContaining({ did: dids[0] }),
    expect.objectContaining({ did: dids[1], previous: dids[0] }),
  ]);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics.match(/^settlement_bridge_publisher_origin_info\{.*$/gm)).toEqual([
    `settlement_bridge_publisher_origin_info{did="${dids[1]}"} 1`,
  ]);
  const newest = [...metrics.matchAll(/^settlement_bridge_keys_newest_version\{file="(.*)"\} (\d+)$/gm)];
  expect(newest.map(([, file, version]) => [file, version]).sort()).toEqual([
    ['gateway-password', '2'],
    ['integrity', '1'],
    ['origin', '2'],
    ['transaction-ids', '1'],
  ]);
});

function basic(password: string | undefined): string {
  return `Basic ${Buffer.from(`bridge:${password}`).toString('base64')}`;
}
