import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidTrustError, Trust } from './trust.js';

const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
const did = (digit: string): string => `did:ethr:0x${digit.repeat(40)}`;
const FILE = {
  version: 1,
  signatureScheme: 'eip191',
  channels: {
    [CHANNEL]: {
      gateways: [{ did: did('1') }, { did: did('2'), until: '2026-03-01T00:00:00Z' }],
      origins: [
        { did: did('3'), participants: ['ALPHA', 'BETA'], from: '2026-01-01T00:00:00.000Z' },
        { did: did('4'), participants: ['ALPHA'], revoked: '2026-03-01T00:00:00Z' },
      ],
    },
  },
};

describe('Trust', () => {
  const trust = Trust.fromJson(FILE);

  it('has the senders of a channel that are neither retired nor revoked', () => {
    expect(trust.signatureScheme).toBe('eip191');
    expect(trust.channels).toEqual([CHANNEL]);
    expect(trust.sendersOf(CHANNEL)).toEqual({
      gateways: [did('1')],
      origins: [{ did: did('3'), participants: ['ALPHA', 'BETA'] }],
    });
  });

  it('has every entry of a channel for evidence', () => {
    expect(trust.entriesOf(CHANNEL)).toEqual(FILE.channels[CHANNEL]);
  });

  it.each(['other', '', 'constructor', '__proto__'])('trusts nobody on the channel "%s"', (fqcn) => {
    expect(trust.sendersOf(fqcn)).toEqual({ gateways: [], origins: [] });
    expect(trust.entriesOf(fqcn)).toEqual({ gateways: [], origins: [] });
  });

  it('does not change with the value that it was made of', () => {
    const value = structuredClone(FILE);
    const copy = Trust.fromJson(value);
    value.channels[CHANNEL]?.gateways.push({ did: did('9') });
    expect(copy.entriesOf(CHANNEL).gateways).toHaveLength(2);
  });
});

describe('Trust.fromFile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trust-'));
  const file = join(folder, 'trust.json');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reads the file', () => {
    writeFileSync(file, JSON.stringify(FILE));
    expect(Trust.fromFile(file).channels).toEqual([CHANNEL]);
  });

  it('says that a file is not JSON, without its content', () => {
    writeFileSync(file, '{"secret');
    expect(() => Trust.fromFile(file)).toThrow(new InvalidTrustError('', 'is not JSON'));
  });

  it('names a file that does not exist', () => {
    expect(() => Trust.fromFile(join(folder, 'none.json'))).toThrow(/none\.json/);
  });
});

describe('a trust file with one defect is refused, with its place and what is allowed', () => {
  const gateway = (change: object) => ({
    ...FILE,
    channels: { [CHANNEL]: { gateways: [{ did: did('1'), ...change }], origins: [] } },
  });
  const origin = (change: object) => ({
    ...FILE,
    channels: {
      [CHANNEL]: { gateways: [], origins: [{ did: did('3'), participants: ['ALPHA'], ...change }] },
    },
  });
  const at = `/channels/${CHANNEL}`;

  it.each<[string, unknown, string]>([
    ['not an object', [], 'the trust file is wrong|the trust file must be object'],
    ['no version', { ...FILE, version: undefined }, 'the trust file lacks version'],
    ['another version', { ...FILE, version: 2 }, '/version of the trust file must be 1'],
    ['no signature scheme', { ...FILE, signatureScheme: undefined }, 'lacks signatureScheme'],
    [
      'an unknown signature scheme',
      { ...FILE, signatureScheme: 'rsa' },
      '/signatureScheme of the trust file must be eip191 or keccak256',
    ],
    ['no channels', { ...FILE, channels: undefined }, 'lacks channels'],
    [
      'an unknown member',
      { ...FILE, chanels: {} },
      'has the unknown member "chanels"; allowed are .*version, signatureScheme, channels',
    ],
    [
      'a channel without origins',
      { ...FILE, channels: { c: { gateways: [] } } },
      '/channels/c .*lacks origins',
    ],
    ['an entry without a DID', gateway({ did: undefined }), `${at}/gateways/0 .*lacks did`],
    [
      'a DID that is an address',
      gateway({ did: `0x${'1'.repeat(40)}` }),
      `${at}/gateways/0/did .*did:<method>`,
    ],
    [
      'a DID with a wrong checksum',
      gateway({ did: 'did:ethr:0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf' }),
      `${at}/gateways/0/did .*checksum`,
    ],
    [
      'a time without a zone',
      gateway({ from: '2026-03-01T00:00:00' }),
      `${at}/gateways/0/from .*2026-03-01T`,
    ],
    ['a time that ends in a line feed', gateway({ from: '2026-03-01T00:00:00Z\n' }), `${at}/gateways/0/from`],
    [
      'a month that does not exist',
      gateway({ until: '2026-13-01T00:00:00Z' }),
      `${at}/gateways/0/until .*valid time`,
    ],
    [
      'a day that does not exist',
      gateway({ until: '2026-02-30T00:00:00Z' }),
      `${at}/gateways/0/until .*valid time`,
    ],
    [
      'an end before the beginning',
      gateway({ from: '2026-03-01T00:00:00Z', until: '2026-02-01T00:00:00Z' }),
      `${at}/gateways/0/until .*before from`,
    ],
    ['no participants', origin({ participants: undefined }), `${at}/origins/0 .*lacks participants`],
    [
      'all participants',
      origin({ participants: ['*'] }),
      `${at}/origins/0/participants/0 .*does not stand for all`,
    ],
    ['an empty participant', origin({ participants: [''] }), `${at}/origins/0/participants/0 `],
  ])('%s', (_, value, message) => {
    const read = () => Trust.fromJson(JSON.parse(JSON.stringify(value)));
    expect(read).toThrow(InvalidTrustError);
    expect(read).toThrow(new RegExp(message));
  });
});
