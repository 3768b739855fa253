import { writeEncryptedFile } from '@ssb/platform';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolesCommand } from '../../src/roles/command/roles-command.js';
import { Actor } from '../support/actor.js';
import { Client } from '../support/client.js';
import { ISSUER, USER_ROLE } from '../support/test-broker.js';
import { TestStream } from '../support/test-stream.js';
import { broker } from './shared-brokers.js';

describe('roles by command', () => {
  const OTHER_ROLE = 'feed.roles.messagebus.apps.bridge.iam.local';
  const SECRET = 'a secret of at least thirty-two bytes';

  let folder: string;
  let keyFile: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'roles-command-'));
    keyFile = join(folder, 'issuer.key');
    writeFileSync(keyFile, ISSUER.wallet.privateKey);
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(
    args: readonly string[],
    key: readonly string[] = ['--key-file', keyFile],
  ): Promise<string> {
    const shown: string[] = [];
    const program = rolesCommand((line) => shown.push(line)).exitOverride();
    for (const command of [program, ...program.commands]) {
      command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    }
    await program.parseAsync(['--url', broker.url, ...key, ...args], { from: 'user' });
    return shown.join('\n');
  }

  async function claimant(role = USER_ROLE): Promise<Client> {
    const client = new Client(broker.url, new Actor());
    await client.login();
    await client.call('POST', '/role/claim', { role });
    return client;
  }

  describe('the roles command', () => {
    it('approves a claim, notifies the waiting gateway, lists the claim, and revokes the role', async () => {
      const client = await claimant();
      const { did } = client.actor;
      const stream = await TestStream.open(broker.url, client.token);
      expect(await run(['approve', did])).toBe(`${did}: ${USER_ROLE} is APPROVED.`);
      expect(await stream.next('claim', 2)).toMatchObject({ role: USER_ROLE, state: 'APPROVED' });
      await stream.close();
      const row = new RegExp(`^${did} +${USER_ROLE} +APPROVED +\\S+Z +${ISSUER.did} +no$`, 'm');
      expect(await run(['list'])).toMatch(row);
      expect(await run(['revoke', did])).toBe(`${did}: ${USER_ROLE} is NO_CLAIM.`);
    });

    it('rejects an undecided claim, and not a held role', async () => {
      const client = await claimant(OTHER_ROLE);
      const { did } = client.actor;
      const reject = ['reject', did, '--role', OTHER_ROLE];
      expect(await run(reject)).toBe(`${did}: ${OTHER_ROLE} is NO_CLAIM.`);
      await run(['approve', did, '--role', OTHER_ROLE]);
      expect(await run(reject)).toBe(`${did}: ${OTHER_ROLE} is APPROVED.`);
    });

    it('lists in JSON, by state, without the signed tokens', async () => {
      const [waiting, held] = await Promise.all([claimant(OTHER_ROLE), claimant(OTHER_ROLE)]);
      await run(['approve', held.actor.did, '--role', OTHER_ROLE]);
      const listed = JSON.parse(await run(['--json', 'list', '--state', 'AWAITING_APPROVAL'])) as {
        did: string;
      }[];
      expect(listed.map(({ did }) => did)).not.toContain(held.actor.did);
      expect(listed).toContainEqual({
        did: waiting.actor.did,
        role: OTHER_ROLE,
        state: 'AWAITING_APPROVAL',
        since: expect.stringMatching(/Z$/),
        decidedAt: 0,
        inDocument: false,
      });
      expect(await run(['list', '--state', 'NOT_WANTED'])).toBe('There are no such claims.');
    });

    it('reads an encrypted key', async () => {
      const encrypted = join(folder, 'encrypted.key');
      const secret = join(folder, 'secret');
      writeFileSync(secret, SECRET);
      await writeEncryptedFile(encrypted, Buffer.from(ISSUER.wallet.privateKey), Buffer.from(SECRET));
      const { did } = new Actor();
      const key = ['--key-file', encrypted, '--secret-file', secret];
      expect(await run(['approve', did], key)).toContain('APPROVED');
      await expect(run(['approve', did], ['--key-file', encrypted])).rejects.toThrow('needs --secret-file');
    });

    it('changes nothing with a key that is not an issuer’s', async () => {
      const otherKey = join(folder, 'other.key');
      const { did, wallet } = new Actor();
      writeFileSync(otherKey, wallet.privateKey);
      const key = ['--key-file', otherKey];
      await expect(run(['approve', did], key)).rejects.toThrow('BUS::FORBIDDEN');
      await expect(run(['list'], key)).rejects.toThrow('BUS::FORBIDDEN');
    });
  });
});
