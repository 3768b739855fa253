import { hashMessage, keccak256, toUtf8Bytes } from 'ethers';
import type { MessageChanges } from './make-message.js';
import { GATEWAY } from './parties.js';
import { MARGIN, STATEMENT } from './valid.js';
import { accepted, refused, type Refusal, type Vector } from './vector.js';

const scheme = 'keccak256';

const SIGNERS: readonly (readonly [name: string, signature: NonNullable<MessageChanges['signature']>])[] = [
  [
    'the signature with the prefix of EIP-191',
    (_, payload) => GATEWAY.key.sign(hashMessage(payload)).serialized,
  ],
  [
    'the signature of the hash of the hash',
    (_, payload) => GATEWAY.key.sign(keccak256(keccak256(toUtf8Bytes(payload)))).serialized,
  ],
  ['the other v', ({ r, s, yParity }) => `${r}${s.slice(2)}${yParity === 0 ? '1c' : '1b'}`],
];

/** Messages of gateways that sign the hash of the payload. */
export function keccakVectors(): Vector[] {
  const refusals = SIGNERS.map(([name, signature]): Refusal => [name, 'signature', { scheme, signature }]);
  return [
    accepted('a breach', MARGIN, { scheme }),
    accepted('a statement with characters of several bytes', STATEMENT, { scheme }),
    accepted('a signature with v 0 or 1', MARGIN, {
      scheme,
      signature: ({ r, s, yParity }) => `${r}${s.slice(2)}0${yParity}`,
    }),
    ...refused('signer-mismatch', MARGIN, refusals),
  ];
}
