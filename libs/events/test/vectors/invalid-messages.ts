import { hashMessage, keccak256, type Signature, SigningKey, toUtf8Bytes } from 'ethers';
import {
  BRIDGE,
  channelOf,
  GATEWAY,
  OTHER_GATEWAY,
  RETIRED_GATEWAY,
  REVOKED_GATEWAY,
  SETTLEMENT,
  UNKNOWN_GATEWAY,
  type Party,
} from './parties.js';
import type { MessageChanges } from './make-message.js';
import { MARGIN, STATEMENT } from './valid.js';
import { refused, type Refusal, type Vector } from './vector.js';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const hex = (value: bigint): string => value.toString(16).padStart(64, '0');

const signed = (signature: NonNullable<MessageChanges['signature']>): MessageChanges => ({ signature });
const withV = (v: string): MessageChanges => signed(({ r, s }) => r + s.slice(2) + v);
const withR = (r: bigint): MessageChanges => signed(({ s }) => `0x${hex(r)}${s.slice(2)}1b`);
const sentBy = (sender: string): MessageChanges => ({ message: { sender } });
const by = (gateway: Party): MessageChanges => ({ gateway });
/** Changes the lowest bit of one byte. */
function flip(signature: string, at: number): string {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return `0x${bytes.toString('hex')}`;
}

/** A changed r that is still that of a point, so that the signature has a signer. */
function flippedR({ serialized }: Signature, payload: string): string {
  const candidates = Array.from({ length: 32 }, (_, at) => flip(serialized, at));
  const found = candidates.find((candidate) => {
    try {
      return SigningKey.recoverPublicKey(hashMessage(payload), candidate) !== '';
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error('No flipped bit leaves a signer');
  return found;
}

const ofText = (change: (payload: string) => string): MessageChanges =>
  signed((_, payload) => GATEWAY.key.sign(hashMessage(change(payload))).serialized);

const FORMATS: readonly Refusal[] = [
  ['an empty signature', 'signature', signed(() => '')],
  ['a signature without 0x', 'signature', signed(({ serialized }) => serialized.slice(2))],
  ['a signature with 0X', 'signature', signed(({ serialized }) => `0X${serialized.slice(2)}`)],
  ['a signature of 64 bytes, without v', 'signature', signed(({ r, s }) => r + s.slice(2))],
  [
    'a signature in the compact form of EIP-2098',
    'signature',
    signed(({ compactSerialized }) => compactSerialized),
  ],
  ['a signature of 66 bytes', 'signature', signed(({ serialized }) => `${serialized}00`)],
  ['a signature with a line feed at its end', 'signature', signed(({ serialized }) => `${serialized}\n`)],
  [
    'a signature that is not hexadecimal',
    'signature',
    signed(({ serialized }) => serialized.replace(/.$/, 'g')),
  ],
  [
    'a signature in Base64',
    'signature',
    signed(({ serialized }) => Buffer.from(serialized.slice(2), 'hex').toString('base64')),
  ],
  ['a signature with v 2', 'signature', withV('02')],
  ['a signature with v 26', 'signature', withV('1a')],
  ['a signature with v 29', 'signature', withV('1d')],
  ['a signature with v 37, as of EIP-155', 'signature', withV('25')],
  ['a signature with a high s', 'signature', signed(highS)],
  ['a signature with r 0', 'signature', withR(0n)],
  ['a signature with r of the order', 'signature', withR(ORDER)],
  ['a signature with r that is no point of the curve', 'signature', withR(5n)],
  ['a signature with s 0', 'signature', signed(({ r }) => `${r}${hex(0n)}1b`)],
  [
    'a payload with a lone surrogate, which has no UTF-8 form',
    'payload',
    { message: { payload: '{"a":"\ud800"}' } },
  ],
];

/** n − s with the other v: the second signature of the same payload. */
function highS({ r, s, yParity }: Signature): string {
  return `${r}${hex(ORDER - BigInt(s))}${yParity === 0 ? '1c' : '1b'}`;
}

const SIGNERS: readonly Refusal[] = [
  ['a flipped bit in r', 'signature', signed(flippedR)],
  ['a flipped bit in s', 'signature', signed(({ serialized }) => flip(serialized, 63))],
  [
    'the other v',
    'signature',
    signed(({ r, s, yParity }) => `${r}${s.slice(2)}${yParity === 0 ? '1c' : '1b'}`),
  ],
  ['a payload with one space more', 'payload', ofText((payload) => `${payload} `)],
  ['a payload with a changed figure', 'payload', ofText((payload) => payload.replace('-60000.5', '60000.5'))],
  [
    'the signature of the payload without its last character',
    'signature',
    ofText((payload) => payload.slice(0, -1)),
  ],
  [
    'the signature of the trimmed payload',
    'signature',
    { ...ofText((payload) => payload.trim()), text: (text) => `${text}\n` },
  ],
  ['the signature of the hash, without the prefix of EIP-191', 'signature', { scheme: 'keccak256' }],
  [
    'the signature of the hash as hexadecimal',
    'signature',
    ofText((payload) => keccak256(toUtf8Bytes(payload))),
  ],
  ['the sender of another gateway', 'sender', sentBy(OTHER_GATEWAY.did)],
  ['the signature of another gateway', 'signature', { gateway: OTHER_GATEWAY, ...sentBy(GATEWAY.did) }],
  ['an empty sender', 'sender', sentBy('')],
  ['a sender that is an address', 'sender', sentBy(GATEWAY.address)],
  ['a sender with a wrong checksum', 'sender', sentBy(wrongChecksum(GATEWAY.did))],
  ['a sender with a line feed at its end', 'sender', sentBy(`${GATEWAY.did}\n`)],
  ['a sender with a method in upper case', 'sender', sentBy(GATEWAY.did.replace('ethr', 'ETHR'))],
  ['a sender with a fragment', 'sender', sentBy(`${GATEWAY.did}#owner`)],
];

/** Another case of the first letter. */
function wrongChecksum(did: string): string {
  return did.replace(/0x([0-9]*)([a-fA-F])/, (_, digits: string, letter: string) => {
    const upper = letter.toUpperCase();
    return `0x${digits}${letter === upper ? letter.toLowerCase() : upper}`;
  });
}

const SENDERS: readonly Refusal[] = [
  ['an unknown gateway', 'sender', by(UNKNOWN_GATEWAY)],
  ['a gateway that is trusted on another channel only', 'sender', by(OTHER_GATEWAY)],
  ['a gateway that was retired', 'sender', by(RETIRED_GATEWAY)],
  ['a gateway that was revoked', 'sender', by(REVOKED_GATEWAY)],
  ['the bridge in place of the gateway', 'sender', by(BRIDGE)],
  ['the address of a trusted gateway with another method', 'sender', sentBy(`did:web:${GATEWAY.address}`)],
  ['a channel without trusted senders', 'fqcn', { message: { fqcn: channelOf('unknown') } }],
  ['a channel in another case', 'fqcn', { message: { fqcn: MARGIN.channel.toUpperCase() } }],
  ['a channel whose name objects inherit', 'fqcn', { message: { fqcn: 'constructor' } }],
];

const CHANNELS: readonly Refusal[] = [
  ['a message moved to another channel of the same senders', 'fqcn', { message: { fqcn: SETTLEMENT } }],
  ['an event signed for another channel', 'channel of the event', { event: { channel: SETTLEMENT } }],
  [
    'an event signed for the channel in another case',
    'channel of the event',
    { event: { channel: MARGIN.channel.toUpperCase() } },
  ],
];

const TOPICS: readonly Refusal[] = [
  ['a message moved to another topic', 'topic', { message: { topic: 'margin.restored.v1' } }],
  ['no topic', 'topic', { message: { topic: undefined } }],
  ['an empty topic', 'topic', { message: { topic: '' } }],
  ['a topic in another case', 'topic', { message: { topic: MARGIN.topic.toUpperCase() } }],
  ['an event signed for another topic', 'topic of the event', { event: { topic: 'default' } }],
];

const WITH_UNICODE: readonly Refusal[] = [
  [
    'the signature of the Latin-1 form',
    'signature',
    signed((_, payload) => GATEWAY.key.sign(hashMessage(Buffer.from(payload, 'latin1'))).serialized),
  ],
  [
    'the signature of the payload with another dash',
    'signature',
    ofText((payload) => payload.replace('–', '-')),
  ],
  [
    'the signature of the payload with the dash escaped',
    'signature',
    ofText((payload) => payload.replace('–', '\\u2013')),
  ],
];

export function invalidMessages(): Vector[] {
  return [
    ...refused('signature-format', MARGIN, FORMATS),
    ...refused('signer-mismatch', MARGIN, SIGNERS),
    ...refused('signer-mismatch', STATEMENT, WITH_UNICODE),
    ...refused('sender-not-allowed', MARGIN, SENDERS),
    ...refused('channel-mismatch', MARGIN, CHANNELS),
    ...refused('topic-mismatch', MARGIN, TOPICS),
  ];
}
