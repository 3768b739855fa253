import { Actor } from '../support/actor.js';
import { Client, creator } from '../support/client.js';
import { PublicGatewayClient } from '../support/public-gateway-client.js';
import { AUDIENCE, ISSUER, startBroker, type TestBroker, USER_ROLE } from '../support/test-broker.js';
import { broker, other, redis } from './shared-brokers.js';

describe('identities', () => {
  /** Accepts identity tokens of the old form. */
  let lenient: TestBroker;

  beforeAll(async () => {
    lenient = await startBroker(redis.url, {
      DANGEROUSLY_ACCEPT_OLD_IDENTITY_TOKENS: 'true',
      LOG_LEVEL: 'info',
    });
  });

  afterAll(() => lenient?.close());

  describe('login', () => {
    it('accepts an identity token once, at any broker', async () => {
      const identityToken = new Actor().identityToken(AUDIENCE);
      const here = new Client(broker.url, ISSUER);
      const elsewhere = new Client(other.url, ISSUER);
      const responses = await Promise.all(
        [here, elsewhere, here].map((each) => each.call('POST', '/auth/login', { identityToken })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
      expect(responses.find(({ status }) => status === 401)?.body.err.code).toBe('BUS::LOGIN_FAILED');
    });

    it('accepts high s, as JOSE libraries sign, and the same jti once in either form', async () => {
      const actor = new Actor();
      const client = new Client(broker.url, actor);
      const { high, low } = actor.joseTwins(actor.claims(AUDIENCE), 'JWT');
      const responses = [];
      for (const identityToken of [high, low]) {
        responses.push(await client.call('POST', '/auth/login', { identityToken }));
      }
      expect(responses).toMatchObject([
        { status: 200, body: { did: actor.did } },
        { status: 401, body: { err: { additionalInformation: { reason: 'replayed' } } } },
      ]);
    });

    it('refuses a role decision, which has all the claims of an identity token', async () => {
      const decision = { did: ISSUER.did, role: USER_ROLE, decision: 'approve' };
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
    });

    it('accepts a token of the old form only where that is allowed, and never an expired one', async () => {
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
    });
  });

  it('logs its DID and its signature implementations at the start', () => {
    const lines = lenient.logged().split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({
        did: expect.stringMatching(/^did:ethr:0x[0-9a-fA-F]{40}$/),
        curve: 'native',
        keccak: 'wasm',
      }),
    );
  });

  describe('roles', () => {
    it('are decided once by a decision with high s or its low form', async () => {
      const client = new Client(broker.url, new Actor());
      const claims = { did: client.actor.did, role: USER_ROLE, decision: 'approve' };
      const { high, low } = ISSUER.joseTwins({ ...ISSUER.claims(AUDIENCE), ...claims }, 'role-decision+jwt');
      const responses = [];
      for (const token of [high, low]) responses.push(await client.call('POST', '/role/decision', { token }));
      expect(responses).toMatchObject([
        { status: 200, body: { state: 'APPROVED' } },
        { status: 403, body: { err: { additionalInformation: { reason: 'replayed' } } } },
      ]);
    });

    it('are not changed by a decision that is not signed, addressed and stated as one', async () => {
      const did = new Actor().did;
      const good = { did, role: USER_ROLE, decision: 'approve' };
      const notIssuer = new Actor();
      const issuer = await creator(broker.url);
      const outcomes: Record<string, number> = {};
      for (const [name, token] of Object.entries({
        'by another identity': notIssuer.decision(AUDIENCE, good),
        "in the issuer's name": notIssuer.decision(AUDIENCE, { ...good, iss: ISSUER.did }),
        'for another audience': ISSUER.decision('urn:other', good),
        'that has expired': ISSUER.decision(AUDIENCE, { ...good, iat: 1, exp: 2 }),
        'with a lifetime that is too long': ISSUER.decision(AUDIENCE, { ...good, exp: 9_999_999_999 }),
        'of an unknown kind': ISSUER.decision(AUDIENCE, { ...good, decision: 'maybe' }),
        'that is an identity token': ISSUER.identityToken(AUDIENCE, good),
        'without a type': ISSUER.identityToken(AUDIENCE, good, null),
        'without a subject': ISSUER.decision(AUDIENCE, { ...good, did: 'x' }),
        'that is not a token': 'x',
      }))
        outcomes[name] = (await issuer.call('POST', '/role/decision', { token })).status;
      expect(outcomes).toEqual({
        'by another identity': 403,
        "in the issuer's name": 400,
        'for another audience': 403,
        'that has expired': 403,
        'with a lifetime that is too long': 403,
        'of an unknown kind': 400,
        'that is an identity token': 400,
        'without a type': 400,
        'without a subject': 400,
        'that is not a token': 400,
      });
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
});
