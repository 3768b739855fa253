import { Actor } from './support/actor.js';
import { Client, creator } from './support/client.js';
import { PublicGatewayClient } from './support/public-gateway-client.js';
import { AUDIENCE, ISSUER, startBroker, useBrokers, USER_ROLE } from './support/test-broker.js';

const OTHER_ROLE = 'feed.roles.messagebus.apps.bridge.iam.local';
const { redis, broker, other } = useBrokers();

describe('login', () => {
  it('accepts an identity token once, at any broker', async () => {
    const identityToken = new Actor().identityToken(AUDIENCE);
    const here = new Client(broker.url, ISSUER);
    const elsewhere = new Client(other.url, ISSUER);
    const answers = await Promise.all(
      [here, elsewhere, here].map((each) => each.call('POST', '/auth/login', { identityToken })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(answers.find(({ status }) => status === 401)?.body.err.code).toBe('BUS::LOGIN_FAILED');
  });

  it('accepts high s, as JOSE libraries sign, and the same jti once in either form', async () => {
    const actor = new Actor();
    const client = new Client(broker.url, actor);
    const { high, low } = actor.joseTwins(actor.claims(AUDIENCE), 'JWT');
    const answers = [];
    for (const identityToken of [high, low]) {
      answers.push(await client.call('POST', '/auth/login', { identityToken }));
    }
    expect(answers).toMatchObject([
      { status: 200, body: { did: actor.did } },
      { status: 401, body: { err: { additionalInformation: { reason: 'replayed' } } } },
    ]);
  });

  it('refuses a role decision, which has all the claims of an identity token', async () => {
    const decision = { did: ISSUER.did, role: USER_ROLE, decision: 'approve' };
    const lenient = await startBroker(redis.url, { DANGEROUSLY_ACCEPT_OLD_IDENTITY_TOKENS: 'true' });
    const tokens = [
      ISSUER.decision(AUDIENCE, decision),
      ISSUER.decision(AUDIENCE, { ...decision, exp: undefined }),
    ];
    for (const identityToken of tokens) {
      for (const { url } of [broker, lenient]) {
        const { status } = await new Client(url, ISSUER).call('POST', '/auth/login', { identityToken });
        expect(status).toBe(401);
      }
    }
    await lenient.close();
  });

  it('accepts a token of the old form only where that is allowed, and never an expired one', async () => {
    const lenient = await startBroker(redis.url, { DANGEROUSLY_ACCEPT_OLD_IDENTITY_TOKENS: 'true' });
    const actor = new Actor();
    const old = actor.jws({ iss: actor.did, claimData: {} });
    const fromPublicGateway = new PublicGatewayClient(broker.url, actor.wallet).identityToken();
    const expired = actor.identityToken(AUDIENCE, { iat: 1, exp: 2 });
    const status = async (url: string, identityToken: string) =>
      (await new Client(url, actor).call('POST', '/auth/login', { identityToken })).status;
    for (const token of [old, fromPublicGateway]) {
      expect([await status(broker.url, token), await status(lenient.url, token)]).toEqual([401, 200]);
      const decision = await new Client(lenient.url, actor).call('POST', '/role/decision', { token });
      expect([decision.status, decision.body.err.code]).toEqual([400, 'BUS::INVALID_REQUEST']);
    }
    expect(await status(lenient.url, expired)).toBe(401);
    await lenient.close();
  });

  it('answers 429 to an address with too many attempts', async () => {
    const busy = await startBroker(redis.url, { ATTEMPTS_PER_MINUTE: '2' });
    const client = new Client(busy.url, ISSUER);
    const statuses = [];
    for (let index = 0; index < 3; index += 1) {
      statuses.push((await client.call('POST', '/auth/login', { identityToken: 'x' })).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
    await busy.close();
  });
});

it('logs its DID and its signature implementations at the start', async () => {
  const logging = await startBroker(redis.url, { LOG_LEVEL: 'info' });
  const lines = logging.logged().split('\n').filter(Boolean);
  await logging.close();
  expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
    expect.objectContaining({
      did: expect.stringMatching(/^did:ethr:0x[0-9a-fA-F]{40}$/),
      curve: 'native',
      keccak: 'wasm',
    }),
  );
});

describe('roles', () => {
  it('are listed for the issuer only', async () => {
    const client = new Client(broker.url, new Actor());
    await client.login();
    await client.call('POST', '/role/claim', { role: OTHER_ROLE });
    const refused = await client.call('GET', '/role/claims');
    expect([refused.status, refused.body.err.code]).toEqual([403, 'BUS::FORBIDDEN']);
    const issuer = await creator(broker.url);
    const { body } = await issuer.call<{ did: string; role: string }[]>(
      'GET',
      '/role/claims?state=AWAITING_APPROVAL',
    );
    expect(body).toContainEqual(expect.objectContaining({ did: client.actor.did, role: OTHER_ROLE }));
  });

  it('are decided once by a decision with high s or its low form', async () => {
    const client = new Client(broker.url, new Actor());
    const claims = { did: client.actor.did, role: USER_ROLE, decision: 'approve' };
    const { high, low } = ISSUER.joseTwins({ ...ISSUER.claims(AUDIENCE), ...claims }, 'role-decision+jwt');
    const answers = [];
    for (const token of [high, low]) answers.push(await client.call('POST', '/role/decision', { token }));
    expect(answers).toMatchObject([
      { status: 200, body: { state: 'APPROVED' } },
      { status: 403, body: { err: { additionalInformation: { reason: 'replayed' } } } },
    ]);
  });

  const did = new Actor().did;
  const good = { did, role: USER_ROLE, decision: 'approve' };
  const notIssuer = new Actor();
  it.each([
    ['by another identity', notIssuer.decision(AUDIENCE, good), 403],
    ["in the issuer's name", notIssuer.decision(AUDIENCE, { ...good, iss: ISSUER.did }), 400],
    ['for another audience', ISSUER.decision('urn:other', good), 403],
    ['that has expired', ISSUER.decision(AUDIENCE, { ...good, iat: 1, exp: 2 }), 403],
    ['with a lifetime that is too long', ISSUER.decision(AUDIENCE, { ...good, exp: 9_999_999_999 }), 403],
    ['of an unknown kind', ISSUER.decision(AUDIENCE, { ...good, decision: 'maybe' }), 400],
    ['that is an identity token', ISSUER.identityToken(AUDIENCE, good), 400],
    ['without a type', ISSUER.identityToken(AUDIENCE, good, null), 400],
    ['without a subject', ISSUER.decision(AUDIENCE, { ...good, did: 'x' }), 400],
    ['that is not a token', 'x', 400],
  ])('are not changed by a decision %s', async (_, token, expected) => {
    const issuer = await creator(broker.url);
    expect((await issuer.call('POST', '/role/decision', { token })).status).toBe(expected);
    const { body } = await issuer.call<{ did: string }[]>('GET', '/role/claims');
    expect(body.filter((record) => record.did === did)).toEqual([]);
  });

  it('are changed once by each decision, and never by one older than the last', async () => {
    const client = new Client(broker.url, new Actor());
    const claims = { did: client.actor.did, role: USER_ROLE };
    const iat = Math.floor(Date.now() / 1000);
    const approve = ISSUER.decision(AUDIENCE, { ...claims, decision: 'approve', iat: iat - 10 });
    const late = ISSUER.decision(AUDIENCE, { ...claims, decision: 'approve', iat: iat - 5 });
    const revoke = ISSUER.decision(AUDIENCE, { ...claims, decision: 'revoke', iat });
    const statuses = [];
    for (const token of [approve, approve, revoke, late]) {
      statuses.push((await client.call('POST', '/role/decision', { token })).status);
    }
    expect(statuses).toEqual([200, 403, 200, 409]);
  });
});
