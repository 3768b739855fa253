import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { startTestNats, type TestNats } from '@ssb/redis';
import { natsSettings as settings, quiet } from '../testing/nats-settings.js';
import { connectNats, type NatsSettings } from './connect-nats.js';

type KeyPair = ReturnType<typeof nkeys.createUser>;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nats-identification-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

async function reaches(url: string, more: Partial<NatsSettings> = {}): Promise<void> {
  const connection = await connectNats(settings(url, more), quiet);
  await connection.flush();
  await connection.close();
}

describe('a server that wants a token', () => {
  let nats: TestNats;

  beforeAll(async () => {
    nats = await startTestNats({ configuration: 'authorization { token: "s3cret" }' });
  });

  afterAll(() => nats.stop());

  it('lets in who has it in a file', () => reaches(nats.url, { NATS_TOKEN_FILE: file('token', 's3cret\n') }));

  it('lets in who has it in the address', () => reaches(nats.url.replace('//', '//s3cret@')));

  it('refuses another, and says which setting it was', async () => {
    const NATS_TOKEN_FILE = file('other-token', 'sesame');
    await expect(reaches(nats.url, { NATS_TOKEN_FILE })).rejects.toThrow(
      /^NATS_TOKEN_FILE: the server does not/,
    );
  });

  it('refuses who has none, and says what could be set', async () => {
    await expect(reaches(nats.url)).rejects.toThrow(
      /^NATS_URL: .*NATS_TOKEN_FILE, NATS_NKEY_FILE or NATS_CRED/,
    );
  });

  it('is reached again with a token that was exchanged in the file', async () => {
    const NATS_TOKEN_FILE = file('exchanged', 's3cret');
    const connection = await connectNats(settings(nats.url, { NATS_TOKEN_FILE }), quiet);
    const statuses = connection.status()[Symbol.asyncIterator]();
    writeFileSync(NATS_TOKEN_FILE, 'sesame');
    await nats.restart();
    // It is refused for as long as the file is wrong, and goes on trying.
    await statusOf(statuses, 'error');
    writeFileSync(NATS_TOKEN_FILE, 's3cret');
    await statusOf(statuses, 'reconnect');
    await connection.close();
  });
});

describe('a server that knows nkeys', () => {
  let nats: TestNats;
  const known = nkeys.createUser();

  beforeAll(async () => {
    const configuration = `authorization { users: [ { nkey: ${known.getPublicKey()} } ] }`;
    nats = await startTestNats({ configuration });
  });

  afterAll(() => nats.stop());

  it('lets in who has the seed', () =>
    reaches(nats.url, { NATS_NKEY_FILE: file('seed', `${seedOf(known)}\n`) }));

  it('refuses another seed, and says which setting it was', async () => {
    const NATS_NKEY_FILE = file('other-seed', seedOf(nkeys.createUser()));
    await expect(reaches(nats.url, { NATS_NKEY_FILE })).rejects.toThrow(
      /^NATS_NKEY_FILE: the server does not/,
    );
  });
});

describe('a server that trusts an operator', () => {
  let nats: TestNats;
  const operator = nkeys.createOperator();
  const account = nkeys.createAccount();
  const user = nkeys.createUser();

  beforeAll(async () => {
    const system = nkeys.createAccount();
    const systemToken = jwtOf(system, operator, { type: 'account', limits: UNLIMITED });
    const accountToken = jwtOf(account, operator, { type: 'account', limits: UNLIMITED });
    const lines = [
      `operator: ${jwtOf(operator, operator, { type: 'operator' })}`,
      'resolver: MEMORY',
      `system_account: ${system.getPublicKey()}`,
      `resolver_preload: { ${account.getPublicKey()}: ${accountToken}, ${system.getPublicKey()}: ${systemToken} }`,
    ];
    nats = await startTestNats({ configuration: lines.join('\n') });
  });

  afterAll(() => nats.stop());

  it('lets in who has credentials of it', () =>
    reaches(nats.url, { NATS_CREDENTIALS_FILE: file('good.creds', credentialsOf(user, account)) }));

  it('refuses credentials of another account, and says which setting it was', async () => {
    const NATS_CREDENTIALS_FILE = file('other.creds', credentialsOf(user, nkeys.createAccount()));
    await expect(reaches(nats.url, { NATS_CREDENTIALS_FILE })).rejects.toThrow(
      /^NATS_CREDENTIALS_FILE: the server does not/,
    );
  });
});

/** Nobody listens there: each of these is refused before anybody is asked. */
describe('refused without asking a server', () => {
  it.each(['NATS_TOKEN_FILE', 'NATS_NKEY_FILE', 'NATS_CREDENTIALS_FILE'] as const)(
    'a %s that is not there',
    async (setting) => {
      const absent = { [setting]: join(folder, 'absent') };
      await expect(reaches('nats://127.0.0.1:1', absent)).rejects.toThrow(
        new RegExp(`^${setting}: the file cannot be read`),
      );
    },
  );

  it.each([
    ['NATS_NKEY_FILE', 'no seed of an nkey'],
    ['NATS_CREDENTIALS_FILE', 'no JWT and seed'],
  ] as const)('a %s that holds something else', async (setting, reason) => {
    const odd = { [setting]: file('odd', 'something else') };
    await expect(reaches('nats://127.0.0.1:1', odd)).rejects.toThrow(`${setting}: the file holds ${reason}`);
  });

  it('two that say who the broker is', async () => {
    const NATS_TOKEN_FILE = file('second', 't');
    await expect(reaches('nats://user:password@127.0.0.1:1', { NATS_TOKEN_FILE })).rejects.toThrow(
      'NATS_TOKEN_FILE: NATS_URL says already who the broker is; set one of them',
    );
  });
});

const UNLIMITED = {
  subs: -1,
  data: -1,
  payload: -1,
  conn: -1,
  leaf: -1,
  imports: -1,
  exports: -1,
  wildcards: true,
};

/** A token of NATS's decentralised authentication (docs.nats.io, "JWTs"), version 2. */
function jwtOf(subject: KeyPair, issuer: KeyPair, nats: object): string {
  const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url');
  const claims = {
    jti: 'test',
    iat: Math.floor(Date.now() / 1000) - 60,
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: 'test',
    nats: { version: 2, ...nats },
  };
  const signed = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(claims)}`;
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`;
}

function credentialsOf(user: KeyPair, account: KeyPair): string {
  const token = jwtOf(user, account, { type: 'user', subs: -1, data: -1, payload: -1 });
  return [
    '-----BEGIN NATS USER JWT-----',
    token,
    '------END NATS USER JWT------',
    '',
    '-----BEGIN USER NKEY SEED-----',
    seedOf(user),
    '------END USER NKEY SEED------',
    '',
  ].join('\n');
}

function seedOf(pair: KeyPair): string {
  return Buffer.from(pair.getSeed()).toString();
}

async function statusOf(statuses: AsyncIterator<{ type: string }>, type: string): Promise<void> {
  for (;;) {
    const { value, done } = await statuses.next();
    if (done === true) throw new Error(`the connection ended before ${type}`);
    if (value.type === type) return;
  }
}
