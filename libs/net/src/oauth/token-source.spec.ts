import { createAuthority } from '@ssb/dev/certificates';
import { type ScriptedServer, startScriptedServer } from '@ssb/testing/in-process';
import { inspect } from 'node:util';
import { TokenRefusedError, TokenUnavailableError } from './token-errors.js';
import { TokenSource, type TokenSourceOptions } from './token-source.js';

let server: ScriptedServer;
let source: TokenSource;
let clock: number;

beforeEach(async () => {
  clock = 1_000_000;
  server = await startScriptedServer();
  server.respond = (_, count) => ({
    body: `{"access_token":"token-${count}","expires_in":3600,"scope":"A|P|R"}`,
  });
  source = open();
});

afterEach(async () => {
  await source.close();
  await server.stop();
});

function open(options: Partial<TokenSourceOptions> = {}): TokenSource {
  return new TokenSource({
    authUrl: server.url,
    clientId: 'part 1',
    clientSecret: 's&cret:%',
    now: () => clock,
    ...options,
  });
}

const invalidClient = { status: 401, body: '{"error":"invalid_client","error_description":"no"}' };
const fails = { status: 503, headers: { 'retry-after': '7' } };

describe('TokenSource', () => {
  it('uses renewed credentials at once, and ends a refusal of the previous ones', async () => {
    server.respond = ({ body }) =>
      body.includes('renewed') ? { body: '{"access_token":"b","expires_in":3600}' } : invalidClient;
    await expect(source.token()).rejects.toThrow(TokenRefusedError);
    source.renewCredentials({ clientId: 'part 1', clientSecret: 'renewed' });
    expect((await source.token()).value).toBe('b');
  });

  it('sends the request of document 001 with the credentials in the form', async () => {
    await source.close();
    source = open({ scope: 'PRUDENTIAL SETTLEMENT' });
    expect(await source.token()).toEqual({
      value: 'token-1',
      scope: 'A|P|R',
      obtainedAt: 1_000_000,
      expiresAt: 4_600_000,
    });
    const [request] = server.received;
    expect(request).toMatchObject({ method: 'POST', url: '/oauth/v1/token' });
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(request?.headers.authorization).toBeUndefined();
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'part 1',
      client_secret: 's&cret:%',
      scope: 'PRUDENTIAL SETTLEMENT',
    });
  });

  it('sends form-encoded credentials by HTTP Basic', async () => {
    await source.close();
    source = open({ clientAuthentication: 'basic' });
    await source.token();
    const [request] = server.received;
    expect(request?.body).toBe('grant_type=client_credentials');
    const encoded = request?.headers.authorization?.replace('Basic ', '') ?? '';
    expect(Buffer.from(encoded, 'base64').toString()).toBe('part+1:s%26cret%3A%25');
  });

  it('sends one request for concurrent callers, and the next a minute before the token ends', async () => {
    const tokens = await Promise.all([source.token(), source.token(), source.token()]);
    clock += 3_539_000;
    tokens.push(await source.token());
    expect(new Set(tokens.map(({ value }) => value))).toEqual(new Set(['token-1']));
    expect(server.received).toHaveLength(1);
    clock += 1_000;
    expect((await source.token()).value).toBe('token-2');
  });

  it.each([
    ['is down', fails, TokenUnavailableError],
    ['refuses it', invalidClient, TokenRefusedError],
  ])(
    'uses the current token while the service %s, with a pause between requests',
    async (_, reply, error) => {
      await source.token();
      server.respond = () => reply;
      clock += 3_540_000;
      expect((await source.token()).value).toBe('token-1');
      clock += 4_999;
      expect((await source.token()).value).toBe('token-1');
      expect(server.received).toHaveLength(2);
      clock += 1;
      expect((await source.token()).value).toBe('token-1');
      expect(server.received).toHaveLength(3);
      clock += 60_000;
      await expect(source.token()).rejects.toThrow(error);
    },
  );

  it('replaces a refused token once for all callers', async () => {
    const refused = await source.token();
    const [a, b] = await Promise.all([source.replaceToken(refused), source.replaceToken(refused)]);
    const later = await source.replaceToken(refused);
    expect([a.value, b.value, later.value]).toEqual(['token-2', 'token-2', 'token-2']);
    expect(server.received).toHaveLength(2);
  });

  it('reports the clock of the server', async () => {
    await source.close();
    const remoteTimes: number[] = [];
    source = open({ onClockReading: ({ remoteTime }) => void remoteTimes.push(remoteTime) });
    server.respond = () => ({ ...fails, headers: { date: 'Sun, 06 Nov 1994 08:49:37 GMT' } });
    await expect(source.token()).rejects.toThrow(TokenUnavailableError);
    expect(remoteTimes).toEqual([784_111_777_000]);
  });

  it('shows neither its secret nor its token when printed', async () => {
    await source.token();
    const printed = inspect(source, { depth: 10 }) + JSON.stringify(source);
    expect(printed).not.toContain('s&cret');
    expect(printed).not.toContain('token-1');
  });

  it('pauses after a refusal, longer each time, and says until when', async () => {
    server.respond = () => invalidClient;
    const fetch = (): Promise<unknown> => source.token().catch((thrown: unknown) => thrown);
    const first = await fetch();
    expect(first).toBeInstanceOf(TokenRefusedError);
    expect(first).toMatchObject({ status: 401, code: 'invalid_client', description: 'no' });
    expect(first).toMatchObject({ nextAttemptAt: new Date(clock + 5_000) });
    expect((first as Error).message).toContain('no attempt before 1970-01-01T00:16:45.000Z');
    clock += 4_999;
    expect(await Promise.all([fetch(), fetch(), fetch()])).toEqual([first, first, first]);
    expect(server.received).toHaveLength(1);
    clock += 1;
    const [second] = await Promise.all([fetch(), fetch(), fetch()]);
    expect(second).toMatchObject({ nextAttemptAt: new Date(clock + 10_000) });
    expect(server.received).toHaveLength(2);
    clock += 10_000;
    server.respond = () => ({ body: '{"access_token":"t"}' });
    expect(await fetch()).toMatchObject({ value: 't' });
    server.respond = () => invalidClient;
    clock += 300_000;
    expect(await fetch()).toMatchObject({ nextAttemptAt: new Date(clock + 5_000) });
  });

  it('sends a request when the clock was set back before a refusal', async () => {
    server.respond = (_, count) => (count === 1 ? invalidClient : { body: '{"access_token":"t"}' });
    await expect(source.token()).rejects.toThrow(TokenRefusedError);
    clock -= 3_600_000;
    expect((await source.token()).value).toBe('t');
  });

  it.each([
    ['a failing service', fails, { status: 503, retryAfterMs: 7_000 }],
    ['too many requests', { status: 429 }, { status: 429, retryAfterMs: undefined }],
    ['a request timeout', { status: 408 }, { status: 408 }],
    ['a response without a token', { body: '{}' }, { status: 200 }],
    ['a token of another type', { body: '{"access_token":"t","token_type":"DPoP"}' }, { status: 200 }],
  ])('throws TokenUnavailableError for %s', async (_, reply, fields) => {
    server.respond = () => reply;
    const error: unknown = await source.token().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TokenUnavailableError);
    expect(error).toMatchObject(fields);
  });
});

describe('a renewed certificate', () => {
  let bound: ScriptedServer;
  let own: TokenSource;
  let renew: () => Promise<void>;

  beforeEach(async () => {
    const authority = await createAuthority({ name: 'Test CA', now: new Date() });
    const tls = { requestCert: true, rejectUnauthorized: true };
    const issue = async (commonName: string) => ({
      ca: authority.cert,
      ...(await authority.issue({ commonName, hosts: ['127.0.0.1'] })),
    });
    bound = await startScriptedServer({ ...(await issue('token')), ...tls });
    bound.respond = (_, count) => ({ body: `{"access_token":"token-${count}","expires_in":3600}` });
    own = open({ authUrl: bound.url, tls: await issue('PART1') });
    const next = await issue('PART2');
    renew = () => own.renewTls(next);
  });

  afterEach(async () => {
    await own.close();
    await bound.stop();
  });

  const callers = () => bound.received.map(({ caller }) => caller);

  it('is used for new connections, and the token of the old certificate is dropped', async () => {
    await own.token();
    await renew();
    expect((await own.token()).value).toBe('token-2');
    expect(callers()).toEqual(['PART1', 'PART2']);
  });

  it('ends a refusal of the old certificate, a pending one included', async () => {
    let refuse = (): void => undefined;
    const requested = new Promise<void>((resolve) => {
      bound.respond = ({ caller }, count) => {
        if (caller === 'PART2') return { body: `{"access_token":"token-${count}","expires_in":3600}` };
        if (count === 1) return invalidClient;
        resolve();
        return new Promise((release) => (refuse = () => release(invalidClient)));
      };
    });
    await expect(own.token()).rejects.toThrow(TokenRefusedError);
    clock += 5_000;
    const late = own.token().catch((thrown: unknown) => thrown);
    await requested;
    const renewed = renew();
    refuse();
    expect(await late).toBeInstanceOf(TokenRefusedError);
    await renewed;
    expect((await own.token()).value).toBe('token-3');
  });

  it('does not delay earlier callers, and their token is not stored', async () => {
    let respond = (): void => undefined;
    const requested = new Promise<void>((resolve) => {
      bound.respond = (_, count) => {
        const reply = { body: `{"access_token":"token-${count}","expires_in":3600}` };
        if (count > 1) return reply;
        resolve();
        return new Promise((release) => (respond = () => release(reply)));
      };
    });
    const early = own.token();
    await requested;
    const renewed = renew();
    expect((await own.token()).value).toBe('token-2');
    respond();
    expect((await early).value).toBe('token-1');
    await renewed;
    expect((await own.token()).value).toBe('token-2');
    expect(callers()).toEqual(['PART1', 'PART2']);
  });
});
