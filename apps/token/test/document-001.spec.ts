import { decodeJwt } from 'jose';
import { type RunningApp, startTokenApp } from './support/running-app.js';

/** One test per numbered sentence and table of document 001, in the order of the document. */
const SECRET = 'the password of the account';
const HELD = 'METERING|PART1|R METERING|PART2|R PRUDENTIAL|PART1|CRUD SETTLEMENT|PART2|CR';
let app: RunningApp;

beforeAll(async () => {
  app = await startTokenApp();
  await app.addAccount({ clientId: 'account', secret: SECRET, scopes: HELD });
});

afterAll(async () => {
  await app.stop();
});

interface Granted {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
}

function requestToken(parameters: Record<string, string>, omitted?: string): Promise<Response> {
  const form = new URLSearchParams({
    client_id: 'account',
    client_secret: SECRET,
    grant_type: 'client_credentials',
    ...parameters,
  });
  if (omitted !== undefined) form.delete(omitted);
  return fetch(`${app.url}/oauth/v1/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
}

async function grant(scope?: string): Promise<Granted> {
  const response = await requestToken(scope === undefined ? {} : { scope });
  expect(response.status).toBe(200);
  return (await response.json()) as Granted;
}

const sorted = (scope: string): string[] => scope.split(' ').sort();

describe('what the service does: a token represents', () => {
  it('1. a registered OAuth client', async () => {
    expect(decodeJwt((await grant()).access_token)).toMatchObject({ client_id: 'account' });
    expect((await requestToken({ client_id: 'unknown' })).status).toBe(401);
  });

  it('2. a specific account: its username is the client_id and its password the client_secret', async () => {
    expect(decodeJwt((await grant()).access_token).sub).toBe('account');
    expect((await requestToken({ client_secret: 'another password' })).status).toBe(401);
  });

  it('3. the participant identifiers and permissions assigned to that account', async () => {
    const { scope } = decodeJwt<{ scope: string }>((await grant()).access_token);
    expect(sorted(scope)).toEqual(sorted(HELD));
  });
});

describe('POST /oauth/v1/token', () => {
  it.each([
    ['client_id', 401],
    ['client_secret', 401],
    ['grant_type', 400],
  ])('requires %s', async (name, status) => {
    expect((await requestToken({}, name)).status).toBe(status);
  });

  it('refuses another grant_type than client_credentials', async () => {
    const response = await requestToken({ grant_type: 'password' });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'unsupported_grant_type' },
    ]);
  });

  it('responds 200 with exactly the four fields, of which expires_in is the lifetime of the token', async () => {
    const token = await grant();
    expect(token).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      scope: expect.any(String),
    });
    const { iat = 0, exp = 0 } = decodeJwt(token.access_token);
    expect(exp - iat).toBe(token.expires_in);
    for (const scope of token.scope.split(' ')) expect(scope).toMatch(/^[^|]+\|[^|]+\|C?R?U?D?$/);
  });
});

describe('scopes', () => {
  it('1. a scope stands for one entity, one participant identifier and a permission set', async () => {
    await app.addAccount({ clientId: 'split', secret: SECRET, scopes: 'A|PART1|R A|PART1|C' });
    const response = await requestToken({ client_id: 'split' });
    expect(((await response.json()) as Granted).scope).toBe('A|PART1|CR');
  });

  it('2. permissions are letters of C, R, U, D; a scope may be requested in full or as an entity alone', async () => {
    expect((await grant('PRUDENTIAL|PART1|CRUD')).scope).toBe('PRUDENTIAL|PART1|CRUD');
    expect((await grant('PRUDENTIAL')).scope).toBe('PRUDENTIAL|PART1|CRUD');
    expect((await requestToken({ scope: 'PRUDENTIAL|PART1|X' })).status).toBe(400);
  });

  it('3. scopes determine what the token may be used with: it carries them', async () => {
    const token = await grant('SETTLEMENT');
    expect(decodeJwt<{ scope: string }>(token.access_token).scope).toBe(token.scope);
  });

  it('4. only what is allocated to the account can appear in a token', async () => {
    expect((await grant('SETTLEMENT|PART2|CRUD BIDDING')).scope).toBe('SETTLEMENT|PART2|CR');
    const refused = await requestToken({ scope: 'BIDDING' });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: 'invalid_scope' }]);
  });

  it('5. with scope supplied, the token is limited to it', async () => {
    expect((await grant('PRUDENTIAL|PART1|R')).scope).toBe('PRUDENTIAL|PART1|R');
  });

  it('6. with scope omitted, the token contains every scope', async () => {
    expect(sorted((await grant()).scope)).toEqual(sorted(HELD));
  });

  it('7. all matching scopes across all identifiers are returned, never one identifier alone', async () => {
    expect(sorted((await grant('METERING')).scope)).toEqual(['METERING|PART1|R', 'METERING|PART2|R']);
    expect(sorted((await grant('METERING|PART1|R')).scope)).toEqual(['METERING|PART1|R', 'METERING|PART2|R']);
  });

  it('8. an entity held with read permission alone is carried with read permission alone', async () => {
    const everything = (await grant('METERING|PART1|CRUD')).scope;
    expect(sorted(everything)).toEqual(['METERING|PART1|R', 'METERING|PART2|R']);
    expect((await requestToken({ scope: 'METERING|PART1|C' })).status).toBe(400);
  });
});
