import { mayAnnounce } from '@ssb/events';
import { parseDid } from '@ssb/identity';
import type { OperatorConfig } from './schema.js';
import { findTrustedSenders, listTrustedSenders } from './trusted-senders.js';

const prudential = 'prudential.channels.bridge.apps.participant.iam.market';
const settlement = 'settlement.channels.bridge.apps.participant.iam.market';
const toDid = (digit: string) => parseDid(`did:ethr:0x${digit.repeat(40)}`);
const [gateway, one, other] = [toDid('1'), toDid('2'), toDid('3')];
const BREACHED = 'settlementbus.margin.breached.v1';
const HEARTBEAT = 'settlementbus.bridge.heartbeat.v1';

const margin = { warning: '2', breach: '1', hysteresis: '0' };
const config = {
  participants: ['ALPHA', 'BETA'].map((code) => ({ code, margin })),
  senders: [
    { channel: prudential, gateways: [gateway], origins: [one], participants: ['ALPHA'] },
    { channel: prudential, gateways: [gateway], origins: [other, one], participants: ['BETA'] },
    { channel: settlement, gateways: [gateway], origins: [other] },
  ],
} as Partial<OperatorConfig> as OperatorConfig;
const on = (channel: string) => findTrustedSenders(config, channel);
const fact = (participant: string, type = BREACHED) => ({ type, participant });

it('a channel that the file does not name has no trusted sender', () => {
  expect(on('other')).toEqual({ gateways: [], origins: [] });
});

it('the participants of one entry do not extend to the origins of another one', () => {
  expect(mayAnnounce(on(prudential), one, fact('ALPHA'))).toBe(true);
  expect(mayAnnounce(on(prudential), one, fact('BETA'))).toBe(true);
  expect(mayAnnounce(on(prudential), other, fact('BETA'))).toBe(true);
  expect(mayAnnounce(on(prudential), other, fact('ALPHA'))).toBe(false);
  expect(mayAnnounce(on(settlement), one, fact('ALPHA'))).toBe(false);
});

it('an entry without participants is for those that the file configures, and no others', () => {
  for (const code of ['ALPHA', 'BETA']) expect(mayAnnounce(on(settlement), other, fact(code))).toBe(true);
  for (const code of ['GAMMA', 'alpha', ''])
    expect(mayAnnounce(on(settlement), other, fact(code))).toBe(false);
});

it('every trusted origin may announce what concerns the whole bridge, and no other fact about all participants', () => {
  expect(mayAnnounce(on(prudential), other, fact('*', HEARTBEAT))).toBe(true);
  expect(mayAnnounce(on(prudential), other, fact('*'))).toBe(false);
  expect(mayAnnounce(on(settlement), one, fact('*', HEARTBEAT))).toBe(false);
  expect(mayAnnounce(on(prudential), other, fact('ALPHA', HEARTBEAT))).toBe(false);
});

it('an origin is compared without case', () => {
  const did = 'did:ethr:0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
  const senders = { origins: [{ did, participants: ['ALPHA'] }] };
  expect(mayAnnounce(senders, did.toLowerCase(), fact('ALPHA'))).toBe(true);
});

it('listTrustedSenders has those of all channels, each with its own participants', () => {
  expect(listTrustedSenders(config).origins).toEqual([
    { did: one, participants: ['ALPHA'] },
    { did: other, participants: ['BETA'] },
    { did: one, participants: ['BETA'] },
    { did: other, participants: ['ALPHA', 'BETA'] },
  ]);
});
