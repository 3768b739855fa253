// Writes bus-signatures.json beside this file with the ethers that is installed: node libs/identity/vectors/ethers/make.mjs
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { hashMessage, keccak256, SigningKey, toUtf8Bytes, version, Wallet } from 'ethers';

const hash = (text) => createHash('sha256').update(`bus signatures: ${text}`).digest('hex');

// The smallest key, the largest, and some between that any machine derives alike.
const keys = [
  '0000000000000000000000000000000000000000000000000000000000000001',
  'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140',
  ...['one', 'two', 'three', 'four'].map((name) => hash(`key ${name}`)),
];

// Lengths around what a digest takes in at once (136 bytes, 28 of them the prefix), other scripts, what JSON escapes, and what has no look.
const payloads = [
  '',
  'a',
  '{"amount":"-123456789012345.12345678"}',
  'line\nend\r\n\t"quoted" \\ back',
  'nul\u0000inside',
  'μέγα, 中文, עברית',
  '\u{1f602} outside the basic plane \u{10ffff}',
  'é and e\u0301 are two texts',
  '\ufeffwith a byte order mark',
  ...[107, 108, 109, 135, 136, 137, 1000, 17_000].map((length) => 'settlement '.repeat(2000).slice(0, length)),
];

const vectors = payloads.map((payload, at) => {
  const wallet = new Wallet(`0x${keys[at % keys.length]}`);
  const bare = keccak256(toUtf8Bytes(payload));
  return {
    key: wallet.privateKey.slice(2),
    publicKey: new SigningKey(wallet.privateKey).publicKey,
    address: wallet.address,
    payload,
    eip191: { digest: hashMessage(payload), signature: wallet.signMessageSync(payload) },
    keccak256: { digest: bare, signature: wallet.signingKey.sign(bare).serialized },
  };
});

writeFileSync(
  new URL('bus-signatures.json', import.meta.url),
  `${JSON.stringify({ ethers: version, vectors }, null, 2)}\n`,
);
