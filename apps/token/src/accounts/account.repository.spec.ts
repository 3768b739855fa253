import { Database } from '@ssb/database';
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

describe('accounts', () => {
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

  it('are found as they were added', async () => {
    expect(await accounts.add(account('part1'))).toBe(true);
    expect(await accounts.find('part1')).toEqual({
      clientId: 'part1',
      scopes: parseScopes('A|P|R B|P|CR'),
      secrets: [hash('first')],
      previousSecretUntil: undefined,
      bound: false,
      disabled: false,
      createdAt: expect.any(Date),
      changedAt: expect.any(Date),
    });
  });

  it('are not found under another name, an awkward one included', async () => {
    await accounts.add(account('part1'));
    for (const name of ['PART1', 'part1 ', "'; DROP TABLE account; --", 'a\0b', ''])
      expect(await accounts.find(name)).toBeUndefined();
  });

  it('are added once, however many try', async () => {
    const outcomes = await Promise.all(
      ['a', 'b', 'c'].map((secret) => accounts.add(account('part1', secret))),
    );
    expect(outcomes.filter(Boolean)).toHaveLength(1);
  });

  it('are replaced as a whole, but for what only enabling undoes', async () => {
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

  it('have a new secret after a rotation, and the old one beside it while its grace lasts', async () => {
    await accounts.add(account('part1'));
    expect(await accounts.rotate('part1', hash('second'), 3_600)).toBe(true);
    expect((await accounts.find('part1'))?.secrets).toEqual([hash('second'), hash('first')]);
    await database.query(`UPDATE account SET previous_until = now() - interval '1 second'`);
    expect((await accounts.find('part1'))?.secrets).toEqual([hash('second')]);
    expect(await accounts.rotate('part1', hash('third'), 0)).toBe(true);
    expect((await accounts.find('part1'))?.secrets).toEqual([hash('third')]);
  });

  it('are disabled and enabled, again and again', async () => {
    await accounts.add(account('part1'));
    for (const disabled of [true, true, false, false]) {
      expect(await accounts.setDisabled('part1', disabled)).toBe(true);
      expect((await accounts.find('part1'))?.disabled).toBe(disabled);
    }
  });

  it('cannot be changed when they are not there', async () => {
    expect(await accounts.rotate('nobody', hash('x'), 0)).toBe(false);
    expect(await accounts.setDisabled('nobody', true)).toBe(false);
  });

  it('are listed by name in pages', async () => {
    const names = ['b', 'B', 'a', '~', ' x'];
    for (const name of names) await accounts.add(account(name));
    const first = await accounts.list('', 3);
    const second = await accounts.list(first.next ?? '', 3);
    const listed = [...first.accounts, ...second.accounts].map(({ clientId }) => clientId);
    expect(listed).toEqual([' x', 'B', 'a', 'b', '~']);
    expect(second.next).toBeUndefined();
  });

  it('are listed without their secrets, also one whose secret is unreadable', async () => {
    await accounts.add(account('part1'));
    await database.query(`UPDATE account SET secret = 'unreadable'`);
    const [listed] = (await accounts.list('', 1)).accounts;
    expect(listed).toMatchObject({ clientId: 'part1' });
    expect(listed).not.toHaveProperty('secrets');
  });
});
