import { connectRedis } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolesCommand } from '../../src/roles/command/roles-command.js';
import { claimRole, type ListedClaim } from '../../src/roles/role-state.js';
import { RedisKeys } from '../../src/storage/redis/redis-keys.js';
import { RedisEngine } from '../../src/storage/redis/redis-engine.js';
import { RoleRepository } from '../../src/storage/redis/role.repository.js';
import { Actor } from '../support/actor.js';
import { Client } from '../support/client.js';
import { ISSUER, startBroker, type TestBroker, USER_ROLE } from '../support/test-broker.js';
import { broker, redis } from './shared-brokers.js';

/** Every key can claim roles, so claims are limited, expire undecided, and are read in pages. */

async function loggedIn({ url } = broker, actor = new Actor()): Promise<Client> {
  const client = new Client(url, actor);
  await client.login();
  return client;
}

const claim = async (client: Client, role = USER_ROLE) =>
  (await client.call('POST', '/role/claim', { role })).status;
const numbered = (index: number) => `r${index}.roles.messagebus.apps.bridge.iam.local`;
const count = <T>(all: readonly T[], each: T) => all.filter((one) => one === each).length;

it('accepts 32 claims of one identity, also when it sends more at once', async () => {
  const client = await loggedIn();
  const statuses = await Promise.all(
    Array.from({ length: 40 }, (_, index) => claim(client, numbered(index))),
  );
  expect([count(statuses, 200), count(statuses, 429)]).toEqual([32, 8]);
  const { body } = await client.call<{ role: string }[]>('GET', '/role/claim');
  expect(body).toHaveLength(32);
  // A claim may be repeated.
  expect(await claim(client, body[0]?.role)).toBe(200);
});

describe('with a limit of three open claims', () => {
  const settings = { REDIS_PREFIX: 'few:', MAX_OPEN_CLAIMS: '3' };

  it('refuses one more, also at two brokers at the same instant, until one is decided', async () => {
    const two = await Promise.all([startBroker(redis.url, settings), startBroker(redis.url, settings)]);
    try {
      const clients = await Promise.all(Array.from({ length: 8 }, (_, index) => loggedIn(two[index % 2])));
      const statuses = await Promise.all(clients.map((client) => claim(client)));
      expect([count(statuses, 200), count(statuses, 429)]).toEqual([3, 5]);
      const [accepted, refused] = [clients[statuses.indexOf(200)], clients[statuses.indexOf(429)]];
      if (!accepted || !refused) throw new Error('too few clients');
      // A repeat is not counted as a claim; a decision frees a place.
      expect(await claim(accepted)).toBe(200);
      expect(await claim(refused)).toBe(429);
      await accepted.decide(USER_ROLE, 'approve');
      expect(await claim(refused)).toBe(200);
    } finally {
      await Promise.all(two.map((each) => each.close()));
    }
  });

  it('ends undecided claims, which frees their places', async () => {
    const shortLived = await startBroker(redis.url, {
      ...settings,
      REDIS_PREFIX: 'brief:',
      CLAIM_LIFETIME_MS: '1000',
    });
    try {
      const issuer = await loggedIn(shortLived, ISSUER);
      const clients = await Promise.all(Array.from({ length: 3 }, () => loggedIn(shortLived)));
      const [first] = clients;
      if (!first) throw new Error('no clients');
      await Promise.all(clients.map((client) => claim(client)));
      await waitFor('the end of all claims', async () => {
        const { body } = await issuer.call<unknown[]>('GET', '/role/claims');
        return body.length === 0;
      });
      expect((await first.call<unknown[]>('GET', '/role/claim')).body).toEqual([]);
      const late = await Promise.all(Array.from({ length: 3 }, () => loggedIn(shortLived)));
      expect(await Promise.all(late.map((client) => claim(client)))).toEqual([200, 200, 200]);
    } finally {
      await shortLived.close();
    }
  });
});

describe('pages of claims', () => {
  const PREFIX = 'paged:';
  const did = () => `did:ethr:0x${randomBytes(20).toString('hex')}`;
  const dids = Array.from({ length: 501 }, did).sort();
  let paged: TestBroker;

  beforeAll(async () => {
    paged = await startBroker(redis.url, { REDIS_PREFIX: PREFIX });
    const connection = connectRedis(redis.url, { name: 'claims' });
    const register = new RoleRepository(new RedisEngine(connection, 20_000), new RedisKeys(PREFIX));
    await Promise.all(
      dids.map((each) =>
        register.change(each.slice('did:ethr:'.length), USER_ROLE, (before) =>
          claimRole(before, each, USER_ROLE, new Date()),
        ),
      ),
    );
    connection.disconnect();
  });
  afterAll(() => paged.close());

  it('are linked by their Link headers (RFC 8288)', async () => {
    const { token } = await loggedIn(paged, ISSUER);
    const seen: string[][] = [];
    for (let path: string | undefined = '/role/claims?identities=200&state=AWAITING_APPROVAL'; path;) {
      const response = await fetch(paged.url + path, { headers: { authorization: `Bearer ${token}` } });
      seen.push(((await response.json()) as ListedClaim[]).map((each) => each.did));
      path = /<(.+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(seen.map((page) => page.length)).toEqual([200, 200, 101]);
    expect(seen.flat()).toEqual(dids);
  });

  it('are all read by the roles command', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'claims-'));
    try {
      writeFileSync(join(folder, 'key'), ISSUER.wallet.privateKey);
      const shown: string[] = [];
      const call = ['--url', paged.url, '--key-file', join(folder, 'key'), '--json', 'list'];
      await rolesCommand((text) => shown.push(text)).parseAsync(call, { from: 'user' });
      const listed = JSON.parse(shown.join('')) as ListedClaim[];
      expect(listed.map((each) => each.did)).toEqual(dids);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
