import { generatePrivateKey } from '@ssb/identity';
import { startScriptedServer, type Reply, type ScriptedServer } from '@ssb/testing/in-process';
import { BrokerAdmin, InvalidBrokerResponseError } from './broker-admin.js';

const channel = {
  fqcn: 'c.channels.a.apps.o.iam.market',
  topics: [{ namespace: 'ours.v1', schema: '{}' }],
  publishers: [],
  subscribers: [],
};
const others = { namespace: 'others.v1', schema: '{}' };

let server: ScriptedServer;
let existing: unknown;
/** The next responses to a PATCH; after them it has the effect that it asks for. */
let patched: (() => Reply)[];

const json = (body: unknown): Reply => ({ body: JSON.stringify(body) });
const requests = (): string[] => server.received.map(({ method, url }) => `${method} ${url}`);
const ensure = () =>
  new BrokerAdmin({ baseUrl: server.url, key: generatePrivateKey() }).ensureChannel(channel);

/** Another administrator created the channel before. */
beforeEach(async () => {
  existing = { fqcn: channel.fqcn, topics: [others] };
  patched = [];
  server = await startScriptedServer();
  server.respond = ({ method, url, body }, count) => {
    if (url === '/auth/login')
      return json({ token: `token ${count}`, did: 'did:x', address: '0x', signature: '0x' });
    if (method === 'POST') return { status: 409, body: '{}' };
    if (method === 'GET') return json(existing);
    const next = patched.shift();
    if (next !== undefined) return next();
    existing = { ...(existing as object), ...(JSON.parse(body) as object) };
    return json(existing);
  };
});
afterEach(() => server.stop());

it.each([
  ['a topic without its schema', { fqcn: channel.fqcn, topics: [{ namespace: 'others.v1' }] }, /schema/],
  ['no topics', { fqcn: channel.fqcn }, /topics/],
  ['nothing', undefined, /expected object/],
])('changes no channel of which it reads %s', async (_, response, reason) => {
  existing = response;
  const failure: unknown = await ensure().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InvalidBrokerResponseError);
  expect((failure as Error).message).toContain(`GET /channel/${channel.fqcn}`);
  expect((failure as Error).message).toMatch(reason);
  expect(requests()).not.toContain('PATCH /channel');
});

it('reports the page of a proxy', async () => {
  server.respond = () => ({ body: '<html>' });
  await expect(ensure()).rejects.toThrow(
    'the broker sent an unexpected response to POST /auth/login: the body is not JSON',
  );
});

it('repeats a change that another client replaced, up to five times', async () => {
  const replace = (): Reply =>
    json((existing = { fqcn: channel.fqcn, topics: [{ ...others, namespace: 'x' }] }));
  patched = [replace];
  await expect(ensure()).resolves.toBe('updated');
  expect(existing).toMatchObject({ topics: [{ namespace: 'x' }, { namespace: 'ours.v1' }] });
  patched = Array<() => Reply>(6).fill(replace);
  existing = { fqcn: channel.fqcn, topics: [others] };
  await expect(ensure()).rejects.toThrow('another client changes the channel');
  expect(patched).toHaveLength(1);
});

it('logs in again once when the broker refuses its token', async () => {
  const refuse = (): Reply => ({ status: 401, body: '{}' });
  patched = [refuse];
  await expect(ensure()).resolves.toBe('updated');
  expect(requests().filter((each) => each === 'POST /auth/login')).toHaveLength(2);
  patched = [refuse, refuse, refuse];
  existing = { fqcn: channel.fqcn, topics: [others] };
  await expect(ensure()).rejects.toMatchObject({ name: 'BrokerAdminError', status: 401 });
  expect(patched).toHaveLength(1);
});
