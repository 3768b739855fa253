import { didDocument, type DidDocument, type RoleClaim } from '@ssb/bus';
import { Actor } from '../support/actor.js';
import { Client } from '../support/client.js';
import { AUDIENCE, ISSUER, USER_ROLE } from '../support/test-broker.js';
import { broker, other } from './shared-brokers.js';

async function loggedIn(url = broker.url): Promise<Client> {
  const client = new Client(url, new Actor());
  await client.login();
  return client;
}

/** An approved client, with the approval from its own claims. */
async function approved(): Promise<{ client: Client; token: string }> {
  const client = await loggedIn();
  await client.decide(USER_ROLE, 'approve');
  const { body } = await client.call<RoleClaim[]>('GET', '/role/claim');
  return { client, token: body[0]?.token ?? '' };
}

const document = async (client: Client, did: string) =>
  (await client.call<DidDocument>('GET', `/did/${did}`)).body;
const services = async (client: Client) => (await document(client, client.actor.did)).service;
const add = (client: Client, token: string) => client.call<DidDocument>('POST', '/did/claim', { token });

describe('a DID document', () => {
  it('has the key of the address, and no roles before one was added', async () => {
    const client = await loggedIn();
    const { did, wallet } = client.actor;
    const shown = await document(client, did);
    expect(didDocument.parse(shown)).toEqual({
      '@context': [
        'https://www.w3.org/ns/did/v1',
        'https://w3id.org/security/suites/secp256k1recovery-2020/v2',
      ],
      id: did,
      verificationMethod: [
        {
          id: `${did}#controller`,
          type: 'EcdsaSecp256k1RecoveryMethod2020',
          controller: did,
          blockchainAccountId: `eip155:1:${wallet.address}`,
        },
      ],
      authentication: [`${did}#controller`],
      assertionMethod: [`${did}#controller`],
      service: [],
    });
  });

  it('takes an approved role of its subject once, and shows it at every broker', async () => {
    const { client, token } = await approved();
    const response = await add(client, token);
    await add(client, token);
    const { did } = client.actor;
    const issuedAt = (
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { iat: number }
    ).iat;
    const service = {
      id: `${did}#${USER_ROLE}`,
      type: 'RoleClaim',
      serviceEndpoint: { role: USER_ROLE, issuer: ISSUER.did, issuedAt, token },
    };
    expect([response.status, response.body.service]).toEqual([200, [service]]);
    const reader = await loggedIn(other.url);
    expect((await document(reader, did)).service).toEqual([service]);
    const claims = await client.call<RoleClaim[]>('GET', '/role/claim');
    expect(claims.body).toEqual([{ role: USER_ROLE, state: 'APPROVED', token, inDocument: true }]);
  });

  it('loses a revoked role, and refuses the old approval of it', async () => {
    const { client, token } = await approved();
    await add(client, token);
    await client.decide(USER_ROLE, 'revoke');
    expect(await services(client)).toEqual([]);
    const again = await add(client, token);
    expect([again.status, again.body.err.code]).toEqual([409, 'BUS::STALE_DECISION']);
    await client.decide(USER_ROLE, 'approve');
    expect((await add(client, token)).status).toBe(409);
    expect(await services(client)).toEqual([]);
  });

  it('refuses what is not the approval of its subject by an issuer, with the reason', async () => {
    const { client, token } = await approved();
    const { did } = client.actor;
    const forged = new Actor();
    const approve = { did, role: USER_ROLE, decision: 'approve' };
    for (const [reason, status, refused] of [
      ['not-the-subject', 403, ISSUER.decision(AUDIENCE, { ...approve, did: forged.did })],
      ['not-an-issuer', 403, forged.decision(AUDIENCE, approve)],
      ['not-an-approval', 403, ISSUER.decision(AUDIENCE, { ...approve, decision: 'reject' })],
      ['wrong-audience', 403, ISSUER.decision('urn:other', approve)],
      ['signature', 400, `${token.slice(0, -8)}AAAAAAAA`],
      ['wrong-type', 400, ISSUER.identityToken(AUDIENCE)],
      ['no-issuer', 400, 'x'],
    ] as const) {
      const response = await add(client, refused);
      expect([response.status, response.body.err.additionalInformation]).toEqual([status, { reason }]);
    }
    // Signed, but never sent to the broker as a decision.
    expect((await add(client, ISSUER.decision(AUDIENCE, approve))).status).toBe(409);
    expect(await services(client)).toEqual([]);
  });
});
