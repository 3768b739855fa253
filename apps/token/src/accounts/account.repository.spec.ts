import { Database } from '@ssb/postgres';
import type { SecretHash } from '@ssb/platform';
import { SCHEMA } from '../database/migrations.js';
import { parseScopes } from '../domain/scopes.js';
import { createTokenDatabase, type TokenDatabase } from '../../test/support/token-database.js';
import { AccountRepository, type NewAccount } from './account.repository.js';

const hash = (text: string): SecretHash => ({
  algorithm: 'scrypt',
  cost: 16_384,
  blockSize: 8,
  parallelization: 1,
  salt: Buffer.from('a salt of 16 bytes').toString('base64'),
  hash: Buffer.from(text.padEnd(32)).toString('base64'),
});
const account = (clientId: string, secret = 'first'): NewAccount => ({
  clientId,
  scopes: parseScopes('A|P|R B|P|CR'),
  bound: false,
  secret: hash(secret),
});

describe('AccountRepository', () => {
  let server: TokenDatabase;
  let database: Database;
  let accounts: AccountRepository;

  beforeAll(async () => {
    server = await createTokenDatabase();
    database = new Database({ url: server.url, schema: SCHEMA });
    accounts = new AccountRepository(database);
  });
  afterAll(async () => {
    await database.close();
    await server.close();
  });
  beforeEach(async () => {
    await server.query('TRUNCATE token.account');
  });

  it('finds no account by another client id, special characters included', async () => {
    await accounts.add(account('part1'));
    for (const name of ['PART1', 'part1 ', "'; DROP TABLE account; --", 'a\0b', ''])
      expect(await accounts.find(name)).toBeUndefined();
  });

  it('replaces a whole account, but leaves it disabled', async () => {
    await accounts.add(account('part1'));
    await accounts.rotate('part1', hash('second'), 60);
    await accounts.setDisabled('part1', true);
    await accounts.put({ ...account('part1', 'third'), scopes: parseScopes('C|P|D'), bound: true });
    expect(await accounts.find('part1')).toMatchObject({
      scopes: parseScopes('C|P|D'),
      secrets: [hash('third')],
      bound: true,
      disabled: true,
    });
  });

  it('keeps the previous secret until its grace period ends', async () => {
    await accounts.add(account('part1'));
    expect(await accounts.rotate('part1', hash('second'), 3_600)).toBe(true);
    expect((await accounts.find('part1'))?.secrets).toEqual([hash('second'), hash('first')]);
    await database.query(`UPDATE account SET previous_until = now() - interval '1 second'`);
    expect((await accounts.find('part1'))?.secrets).toEqual([hash('second')]);
    expect(await accounts.rotate('part1', hash('third'), 0)).toBe(true);
    expect((await accounts.find('part1'))?.secrets).toEqual([hash('third')]);
  });

  it('lists accounts in pages, ordered by client id', async () => {
    const names = ['b', 'B', 'a', '~', ' x'];
    for (const name of names) await accounts.add(account(name));
    const first = await accounts.list('', 3);
    const second = await accounts.list(first.next ?? '', 3);
    const listed = [...first.accounts, ...second.accounts].map(({ clientId }) => clientId);
    expect(listed).toEqual([' x', 'B', 'a', 'b', '~']);
    expect(second.next).toBeUndefined();
  });

  it('lists accounts without secrets, even if a secret is unreadable', async () => {
    await accounts.add(account('part1'));
    await database.query(`UPDATE account SET secret = 'unreadable'`);
    const [listed] = (await accounts.list('', 1)).accounts;
    expect(listed).toMatchObject({ clientId: 'part1' });
    expect(listed).not.toHaveProperty('secrets');
  });
});
