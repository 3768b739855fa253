import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rename, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@ssb/dev/free-ports';
import { computeAddress } from 'ethers';
import { waitFor } from '@ssb/testing';
import { call, type CallResponse } from './support/http-call.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** Which keys are accepted, where they are stored, and that none is shown or logged. ethers computes the addresses. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const hex = (number: bigint) => number.toString(16).padStart(64, '0');
const IDENTITY = '/api/v1/config/identity';

const running: RunningGateway[] = [];
let folder: string;
let nowhere: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-identity-'));
  nowhere = `http://127.0.0.1:${await freePort()}`;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

async function start(overrides: Readonly<Record<string, string>> = {}): Promise<RunningGateway> {
  const gateway = await startGateway(nowhere, overrides);
  running.push(gateway);
  return gateway;
}

const setKey = (gateway: RunningGateway, privateKey: unknown): Promise<CallResponse> =>
  call(gateway, 'POST', IDENTITY, { privateKey });

async function addressOf(gateway: RunningGateway): Promise<unknown> {
  return ((await call(gateway, 'GET', IDENTITY)).body as { address?: unknown }).address;
}

it('reports a data folder that other users may open', async () => {
  const open = join(folder, 'open');
  mkdirSync(open);
  chmodSync(open, 0o750);
  const gateway = await start({ DATA_DIR: open });
  expect(gateway.logged()).toContain(
    `"path":"${open}","mode":"0750","msg":"data folder open to other users"`,
  );
});

describe('a key set over HTTP', () => {
  it('is refused unless it is a number from 1 to below the order of the curve, in 64 hexadecimal digits', async () => {
    const gateway = await start();
    const valid = [hex(1n), `0x${hex(2n)}`, `0X${hex(3n)}`, hex(ORDER - 1n), hex(ORDER - 2n).toUpperCase()];
    const invalid = [
      hex(0n),
      hex(ORDER),
      hex(ORDER + 1n),
      'f'.repeat(64),
      hex(1n).slice(1),
      `0${hex(1n)}`,
      hex(1n).repeat(2),
      `0x${hex(1n).slice(2)}`,
      `0x0x${hex(1n)}`,
      `${hex(1n).slice(1)}g`,
      ` ${hex(1n)}`,
      '',
    ];
    const responses: CallResponse[] = [];
    for (const key of valid) {
      const response = await setKey(gateway, key);
      expect(response.body).toMatchObject({ address: computeAddress(`0x${key.replace(/^0x/i, '')}`) });
      responses.push(response, await call(gateway, 'GET', IDENTITY));
    }
    for (const key of [...invalid, 1, null, [hex(1n)], { key: hex(1n) }]) {
      const response = await setKey(gateway, key);
      responses.push(response);
      expect(response).toMatchObject({ status: 400, body: { err: { code: 'ID::INVALID_PRIVATE_KEY' } } });
      if (typeof key !== 'string') continue;
      expect(response.text).toMatch(/64 hexadecimal characters, with or without 0x, between 1 and/);
    }
    // A refused key changes nothing.
    expect(await addressOf(gateway)).toBe(computeAddress(`0x${hex(ORDER - 2n)}`));
    const shownAndLogged = (gateway.logged() + responses.map(({ text }) => text).join()).toLowerCase();
    // With its leading zeros even the number one is unique.
    for (const key of [...valid, ...invalid.filter((each) => each.length >= 63)])
      expect(shownAndLogged).not.toContain(key.replace(/^0x/i, '').trim().toLowerCase());
  });

  it('is stored encrypted, for the owner alone, and is read with the same secret from a variable', async () => {
    const secret = 'a secret of more than thirty-two bytes';
    const gateway = await start({ IDENTITY_SECRET_FILE: '', IDENTITY_SECRET: secret });
    await setKey(gateway, hex(77n));
    const path = join(gateway.folder, 'data', 'identity.encrypted');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const encrypted = readFileSync(path);
    for (const form of [Buffer.from(hex(77n)), Buffer.from(hex(77n), 'hex')]) {
      expect(encrypted.includes(form)).toBe(false);
    }
    expect(readdirSync(join(gateway.folder, 'data'))).toEqual(['identity.encrypted']);
    await gateway.restart();
    expect(await addressOf(gateway)).toBe(computeAddress(`0x${hex(77n)}`));
    const another = { DATA_DIR: join(gateway.folder, 'data') };
    await expect(start(another)).rejects.toThrow(/with another secret/);
  });

  it.each([
    ['no secret', { IDENTITY_SECRET_FILE: '' }, /only one/],
    ['two secrets', { IDENTITY_SECRET: 'x'.repeat(40) }, /only one/],
    ['a short secret', { IDENTITY_SECRET_FILE: '', IDENTITY_SECRET: 'x'.repeat(31) }, /31 bytes/],
    ['a folder that is a file', { DATA_DIR: import.meta.filename }, /EEXIST/],
  ])('cannot be stored with %s: the gateway does not start', async (_name, overrides, message) => {
    await expect(start(overrides)).rejects.toThrow(message);
  });
});

describe('a key in a mounted file', () => {
  const mounted = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const settings = (path: string) => ({
    IDENTITY_SECRET_FILE: '',
    IDENTITY_KEY_FILE: path,
    FILES_RELOAD_INTERVAL_MS: '50',
  });

  it('is the identity, which no request changes', async () => {
    const gateway = await start(settings(mounted('fixed', `0x${hex(5n)}\n`)));
    const response = await setKey(gateway, hex(6n));
    expect(response).toMatchObject({
      status: 400,
      body: { err: { code: 'ID::INVALID_PRIVATE_KEY', reason: expect.stringMatching(/IDENTITY_KEY_FILE/) } },
    });
    expect(await addressOf(gateway)).toBe(computeAddress(`0x${hex(5n)}`));
    expect(readdirSync(gateway.folder)).toEqual(['secret']);
  });

  it('is read again when its link changes; a file without a key is refused and the old key stays', async () => {
    // Kubernetes mounts a secret as a link, which it replaces in one step.
    const link = join(folder, 'linked');
    symlinkSync(mounted('one', hex(1001n)), link);
    const changeLink = async (target: string) => {
      await symlink(target, `${link}.next`);
      await rename(`${link}.next`, link);
    };
    const gateway = await start(settings(link));
    await changeLink(mounted('broken', `${hex(1002n)}0`));
    await waitFor('the refusal', () => gateway.logged().includes('identity key file reload failed'));
    expect(await addressOf(gateway)).toBe(computeAddress(`0x${hex(1001n)}`));
    await changeLink(mounted('two', hex(1003n)));
    await waitFor('the new identity', async () => {
      return (await addressOf(gateway)) === computeAddress(`0x${hex(1003n)}`);
    });
    for (const number of [1001n, 1002n, 1003n]) expect(gateway.logged()).not.toContain(hex(number));
  });

  it.each([
    ['is missing', () => join(folder, 'nothing'), /ENOENT/],
    ['holds no key', () => mounted('garbage', 'a password'), /64 hexadecimal characters/],
  ])('that %s prevents the start', async (_name, path, message) => {
    await expect(start(settings(path()))).rejects.toThrow(message);
  });
});
