import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolesCommand } from '../src/roles/command/roles-command.js';
import type { Channel } from '../src/channels/channel.js';
import { Actor } from './support/actor.js';
import { Client } from './support/client.js';
import { AUDIENCE, startBroker, useBroker, USER_ROLE } from './support/test-broker.js';

/** A bus whose DIDs are not of `did:ethr`. */
const METHOD = 'example';
const issuer = new Actor(METHOD);
const FQCN = 'm.channels.messagebus.apps.bridge.iam.local';

let folder: string;
const { redis, broker } = useBroker({
  DID_METHOD: METHOD,
  ROLE_ISSUERS: issuer.did,
  CHANNEL_CREATORS: issuer.did,
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'did-method-'));
  writeFileSync(join(folder, 'key'), issuer.wallet.privateKey);
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

async function loggedIn(actor: Actor): Promise<Client> {
  const client = new Client(broker.url, actor);
  await client.login();
  return client;
}

async function roles(...args: string[]): Promise<string> {
  const shown: string[] = [];
  const key = ['--key-file', join(folder, 'key'), '--did-method', METHOD];
  await rolesCommand((text) => shown.push(text)).parseAsync(['--url', broker.url, ...key, ...args], {
    from: 'user',
  });
  return shown.join('\n');
}

const decide = (by: Actor, did: string) =>
  new Client(broker.url, by).call('POST', '/role/decision', {
    token: by.decision(AUDIENCE, { did, role: USER_ROLE, decision: 'approve' }),
  });

describe('a bus of another DID method', () => {
  it('accepts its members by a decision of its issuer, and their messages', async () => {
    const member = await loggedIn(new Actor(METHOD));
    const { did } = member.actor;
    expect(await roles('approve', did)).toBe(`${did}: ${USER_ROLE} is APPROVED.`);
    expect(await roles('list')).toContain(did);
    const channel = { fqcn: FQCN, publishers: [did], subscribers: [did] };
    const created = await (await loggedIn(issuer)).call<Channel>('POST', '/channel', channel);
    expect(created).toMatchObject({ status: 201, body: { createdBy: issuer.did } });
    expect((await member.post(FQCN, 'a')).status).toBe(201);
    expect((await member.read(FQCN)).body).toMatchObject([{ payload: 'a', sender: did }]);
  });

  it('refuses a login with another method, also with the same key', async () => {
    const identityToken = new Actor('ethr').identityToken(AUDIENCE);
    const client = new Client(broker.url, issuer);
    expect(await client.call('POST', '/auth/login', { identityToken })).toMatchObject({
      status: 401,
      body: { err: { code: 'BUS::LOGIN_FAILED', additionalInformation: { reason: 'another-method' } } },
    });
  });

  it("refuses its issuer's decision with another method, or about a DID of another method", async () => {
    const sameKey = Object.assign(new Actor('ethr'), { wallet: issuer.wallet });
    expect(sameKey.did).toBe(issuer.did.replace(METHOD, 'ethr'));
    expect(await decide(sameKey, new Actor(METHOD).did)).toMatchObject({
      status: 403,
      body: { err: { additionalInformation: { reason: 'not-an-issuer' } } },
    });
    expect(await decide(issuer, new Actor('ethr').did)).toMatchObject({
      status: 400,
      body: { err: { additionalInformation: { reason: 'subject-of-another-method' } } },
    });
  });

  it('has no members of another method on a channel', async () => {
    const { did } = new Actor('ethr');
    const client = await loggedIn(issuer);
    const refused = { status: 400, body: { err: { code: 'BUS::INVALID_REQUEST' } } };
    const fqcn = 'lists.channels.messagebus.apps.bridge.iam.local';
    expect((await client.call('POST', '/channel', { fqcn })).status).toBe(201);
    for (const list of ['admins', 'publishers', 'subscribers']) {
      expect(await client.call('POST', '/channel', { fqcn, [list]: [did] })).toMatchObject(refused);
      expect(await client.call('PATCH', '/channel', { fqcn, [list]: [did] })).toMatchObject(refused);
    }
  });

  it('has no document of a DID of another method', async () => {
    const client = await loggedIn(issuer);
    const { did } = new Actor('ethr');
    expect(await client.call('GET', `/did/${did}`)).toMatchObject({
      status: 404,
      body: { err: { code: 'BUS::NOT_FOUND', additionalInformation: { did } } },
    });
  });
});

it('does not start with an issuer or creator of another method', async () => {
  const { did } = new Actor('ethr');
  const start = startBroker(redis.url, { DID_METHOD: METHOD, ROLE_ISSUERS: did, CHANNEL_CREATORS: did });
  await expect(start).rejects.toThrow(
    `ROLE_ISSUERS contains ${did}, but DID_METHOD is ${METHOD}.\nCHANNEL_CREATORS contains ${did}`,
  );
});
