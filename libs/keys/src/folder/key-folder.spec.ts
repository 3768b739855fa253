import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePasswordHash, verifySecret } from '@ssb/platform';
import type { KeyRing } from '../domain/key-ring.js';
import { retireRing, rotateRing, type RingChange } from '../domain/rotation.js';
import { KEY_NAMES } from '../names.js';
import { KeyFolder, KeyFolderError } from './key-folder.js';

let parent: string;
let folder: KeyFolder;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'key-folder-'));
  folder = new KeyFolder(join(parent, 'keys'));
});
afterEach(() => rmSync(parent, { recursive: true }));

const rotateIn =
  (activeInMs: number, overlapMs = 3_600_000) =>
  (ring: KeyRing, generate: () => string): RingChange =>
    rotateRing(ring, { now: new Date(), activeInMs, overlapMs, secret: generate() });

/** Passwords in their order, of which the gateway has a hash. */
async function acceptedPasswords(side: string): Promise<string[]> {
  const file = join(folder.path, `gateway-${side}.users.json`);
  const { users } = JSON.parse(readFileSync(file, 'utf8')) as {
    users: { name: string; passwordHashes: string[]; rights: string[] }[];
  };
  expect(users).toEqual([expect.objectContaining({ name: 'bridge', rights: ['messages'] })]);
  const { keys } = await folder.read(side === 'publisher' ? 'gateway-publisher' : 'gateway-subscriber');
  const accepted: string[] = [];
  for (const hash of users[0]?.passwordHashes ?? [])
    for (const { secret } of keys)
      if (await verifySecret(secret, parsePasswordHash('bridge', hash))) accepted.push(secret);
  expect(accepted).toHaveLength(users[0]?.passwordHashes.length ?? NaN);
  return accepted;
}

describe('a folder of keys', () => {
  it('is created for its owner alone, whatever the modes, and existing files stay', async () => {
    const created = await folder.create(new Date());
    expect(readdirSync(folder.path).sort()).toEqual(created.sort());
    expect(created).toHaveLength(8);
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    for (const name of created) expect(statSync(join(folder.path, name)).mode & 0o777).toBe(0o600);
    const contents = created.map((name) => readFileSync(join(folder.path, name), 'utf8'));
    rmSync(join(folder.path, 'integrity.keys'));
    expect(await folder.create(new Date())).toEqual(['integrity.keys']);
    expect(created.map((name) => readFileSync(join(folder.path, name), 'utf8'))).not.toEqual(contents);
    created.forEach((name, index) => {
      if (name !== 'integrity.keys')
        expect(readFileSync(join(folder.path, name), 'utf8')).toBe(contents[index]);
    });
    expect(folder.findOpenPaths()).toEqual([]);
    chmodSync(join(folder.path, 'origin.key'), 0o640);
    expect(folder.findOpenPaths()).toEqual([{ path: join(folder.path, 'origin.key'), mode: '0640' }]);
  });

  it('adds a version to every key, and the hash of a new password before it is active', async () => {
    await folder.create(new Date());
    const before = await folder.read('gateway-publisher');
    await folder.change(KEY_NAMES, rotateIn(60_000));
    for (const { versions } of await folder.report(new Date()))
      expect(versions.map(({ state }) => state)).toEqual(['active', 'pending']);
    const { keys } = await folder.read('gateway-publisher');
    expect(await acceptedPasswords('publisher')).toEqual(keys.map(({ secret }) => secret));
    expect(keys[0]).toEqual(before.keys[0]);
  });

  it('drops a retired password and its hash', async () => {
    await folder.create(new Date(Date.now() - 60_000));
    await folder.change(['gateway-subscriber'], rotateIn(0));
    const { keys } = await folder.read('gateway-subscriber');
    await folder.change(['gateway-subscriber'], (ring) => retireRing(ring, new Date(), 0));
    expect(await acceptedPasswords('subscriber')).toEqual([keys[1]?.secret]);
  });

  it('uses a password from another source, and gives the gateway its hash', async () => {
    await folder.create(new Date());
    writeFileSync(join(folder.path, 'gateway-publisher.password'), 'plain and short');
    rmSync(join(folder.path, 'gateway-publisher.users.json'));
    await folder.create(new Date());
    expect(await acceptedPasswords('publisher')).toEqual(['plain and short']);
    await folder.change(['gateway-publisher'], rotateIn(60_000));
    expect((await acceptedPasswords('publisher'))[0]).toBe('plain and short');
  });

  it('adds a new password to users that exist, among which it knows its own by name', async () => {
    await folder.create(new Date());
    const usersPath = join(folder.path, 'gateway-publisher.users.json');
    const [former] = (JSON.parse(readFileSync(usersPath, 'utf8')) as { users: object[] }).users;
    const other = { ...former, name: 'admin', rights: ['config'] };
    const plain = { name: 'bridge', rights: ['messages'], password: 'plain' };
    for (const users of [[former, other], [plain, other], [other]]) {
      writeFileSync(usersPath, JSON.stringify({ users }));
      rmSync(folder.pathOf('gateway-publisher'));
      expect(await folder.create(new Date())).toEqual([
        'gateway-publisher.password',
        'gateway-publisher.users.json',
      ]);
      const [password] = (await folder.read('gateway-publisher')).keys;
      const [bridge, ...others] = (
        JSON.parse(readFileSync(usersPath, 'utf8')) as { users: { name: string; passwordHashes: string[] }[] }
      ).users;
      expect([bridge?.name, bridge?.passwordHashes.length]).toEqual(['bridge', users.length]);
      const hash = parsePasswordHash('bridge', bridge?.passwordHashes.at(-1) ?? '');
      expect(await verifySecret(password?.secret ?? '', hash)).toBe(true);
      expect(others).toEqual([other]);
    }
    writeFileSync(usersPath, JSON.stringify({ users: [other] }));
    await expect(folder.change(['gateway-publisher'], rotateIn(60_000))).rejects.toThrow(
      'has no user bridge',
    );
  });

  it('creates nothing beside an origin key without the secret that encrypts it', async () => {
    await folder.create(new Date());
    rmSync(join(folder.path, 'encryption.secret'));
    rmSync(folder.pathOf('integrity'));
    const before = readdirSync(folder.path);
    await expect(folder.create(new Date())).rejects.toThrow(/origin\.key exists, but .*encryption\.secret/);
    expect(readdirSync(folder.path)).toEqual(before);
  });

  it('changes none of the named keys when one is refused', async () => {
    await folder.create(new Date());
    rmSync(folder.pathOf('integrity'));
    await folder.change(['origin'], rotateIn(60_000));
    const refused = folder.change(['transaction-ids', 'origin', 'integrity'], rotateIn(60_000));
    await expect(refused).rejects.toThrow(KeyFolderError);
    await expect(refused).rejects.toMatchObject({
      problems: [
        expect.stringMatching(/^origin: version 2 is not active before .*"busbridge keys activate"\.$/),
        expect.stringMatching(/^integrity: .* does not exist; run "busbridge keys create"\.$/),
      ],
    });
    expect((await folder.read('transaction-ids')).keys).toHaveLength(1);
  });

  it('loses none of two changes at the same time', async () => {
    await folder.create(new Date(Date.now() - 60_000));
    const other = new KeyFolder(folder.path);
    const rotate = rotateIn(0, 0);
    await Promise.all([folder.change(['integrity'], rotate), other.change(['integrity'], rotate)]);
    expect((await folder.read('integrity')).keys.at(-1)?.version).toBe(3);
  });
});
