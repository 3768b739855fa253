import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, readSettings } from '@ssb/platform';
import { cheapHash } from '../../test/support/password-hashes.js';
import { definition } from '../settings.js';
import { UserDirectory } from './user-directory.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-users-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the gateway does not start, and shows no password, when', () => {
  const written = (content: string) => {
    const path = join(folder, 'users.yaml');
    writeFileSync(path, content);
    return { USERS_FILE: path };
  };
  const file = (...users: string[]) => written(`users:\n${users.map((each) => `  - ${each}\n`).join('')}`);
  const valid = '{ name: both, password: hidden-word, rights: [config] }';
  const basic = { BASIC_AUTH_USERNAME: 'both', BASIC_AUTH_PASSWORD: 'hidden-word' };
  const weak = cheapHash('a').replace('10', '9');

  it.each<[string, () => Record<string, string>, RegExp]>([
    ['there are no users', () => ({}), /has no users/],
    ['a user has no password', () => ({ BASIC_AUTH_USERNAME: 'a' }), /requires exactly one/],
    ['there is no file', () => ({ USERS_FILE: join(folder, 'none') }), /cannot be read \(ENOENT\)/],
    ['it is not YAML', () => file('{ name: a, password: "hidden-word'), /not YAML \(\w+ at line \d+\)/],
    ['it is not a list', () => written('users: hidden-word'), /users /],
    ['a field is unknown', () => file('{ name: a, pasword: hidden-word, rights: [config] }'), /users\.0/],
    ['a right is unknown', () => file('{ name: a, password: hidden-word, rights: [all] }'), /rights\.0/],
    [
      'a user has more than three passwords',
      () => file('{ name: a, passwordHashes: [a, b, c, hidden-word], rights: [config] }'),
      /users\.0\.passwordHashes/,
    ],
    ['a user has no rights', () => file('{ name: a, password: hidden-word, rights: [] }'), /one or more of/],
    ['a password is missing', () => file('{ name: a, rights: [config] }'), /either password or passwordHash/],
    [
      'a hash is malformed',
      () => file('{ name: a, passwordHash: hidden-word, rights: [config] }'),
      /user a is refused: it is not a scrypt hash/,
    ],
    [
      'a hash costs too little',
      () => file(`{ name: a, passwordHash: "${weak}", rights: [config] }`),
      /not a scrypt hash/,
    ],
    [
      'a name has a colon',
      () => file('{ name: "a:b", password: hidden-word, rights: [config] }'),
      /without a colon/,
    ],
    ['a name is repeated', () => file(valid, valid), /twice/],
    [
      'a name is in the file and in the settings',
      () => ({ ...basic, ...file(valid) }),
      /is also a user of USERS_FILE/,
    ],
  ])('%s', async (_name, environment, message) => {
    const log = createLogger({ name: 'test', level: 'silent', format: 'json' });
    const directory = new UserDirectory(readSettings(definition, environment()), log, () => undefined);
    const error: unknown = await directory.open().catch((reason: unknown) => reason);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('hidden-word');
  });
});
