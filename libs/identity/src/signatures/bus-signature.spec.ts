import { Signature } from 'ethers';
import { addressOfKey, publicKeyOf } from '../keys/address.js';
import { didOfKey } from '../keys/did.js';
import { generatePrivateKey, parsePrivateKey } from '../keys/private-key.js';
import { recoverSigner, signMessage, verifyMessage } from './bus-signature.js';

const KEY = parsePrivateKey('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
const DID = didOfKey(KEY);
const ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

it('makes the signature in the web3.js documentation', () => {
  expect(signMessage('Some data', KEY)).toBe(
    '0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c',
  );
});

describe('the signer', () => {
  it.each(['1b', '1c'])('is recovered with v 27 and 28, and with 0 and 1 (%s)', (v) => {
    const { payload, signature } = signedWith(v);
    const other = v === '1b' ? '00' : '01';
    const expected = { ok: true, address: addressOfKey(KEY), publicKey: publicKeyOf(KEY) };
    expect(recoverSigner(payload, signature)).toEqual(expected);
    expect(recoverSigner(payload, signature.slice(0, -2) + other)).toEqual(expected);
    expect(recoverSigner(payload, `0x${signature.slice(2).toUpperCase()}`)).toEqual(expected);
  });

  it('is different with the other v and with the other scheme', () => {
    const { payload, signature } = signedWith('1b');
    expect(verifyMessage(payload, `${signature.slice(0, -2)}1c`, DID)).toMatchObject({ ok: false });
    expect(verifyMessage(payload, signature, DID, 'keccak256')).toMatchObject({ ok: false });
  });

  it('matches a DID in lower case and a DID with a network', () => {
    const signature = signMessage('x', KEY);
    expect(verifyMessage('x', signature, DID.toLowerCase()).ok).toBe(true);
    expect(verifyMessage('x', signature, DID.replace('ethr:', 'ethr:volta:')).ok).toBe(true);
  });

  it('matches a DID of any method and is returned with that method', () => {
    const [did, signature] = [didOfKey(KEY, { method: 'example' }), signMessage('x', KEY)];
    expect(verifyMessage('x', signature, did)).toMatchObject({ ok: true, signer: did });
    const other = generatePrivateKey();
    const signer = didOfKey(other, { method: 'example' });
    expect(verifyMessage('x', signMessage('x', other), did)).toMatchObject({ ok: false, signer });
  });

  it('is returned when it is not the expected one', () => {
    const other = generatePrivateKey();
    expect(verifyMessage('x', signMessage('x', other), DID)).toEqual({
      ok: false,
      reason: 'signer-mismatch',
      signer: didOfKey(other),
      publicKey: publicKeyOf(other),
    });
  });
});

describe('a signature of the wrong form', () => {
  const right = signMessage('x', KEY);
  it.each([
    ['nothing', ''],
    ['a prefix alone', '0x'],
    ['no prefix', right.slice(2)],
    ['one byte too short', right.slice(0, -2)],
    ['one byte too long', `${right}00`],
    ['half a byte too long', `${right}0`],
    ['a character that is not a digit', right.replace(/^0x./, '0xg')],
    ['a line feed', `${right}\n`],
    ['v 2', `${right.slice(0, -2)}02`],
    ['v 26', `${right.slice(0, -2)}1a`],
    ['v 29', `${right.slice(0, -2)}1d`],
    ['v 37, of a transaction (EIP-155)', `${right.slice(0, -2)}25`],
  ])('is malformed: %s', (_, signature) => {
    expect(recoverSigner('x', signature)).toEqual({ ok: false, reason: 'malformed-signature' });
    expect(verifyMessage('x', signature, DID)).toEqual({ ok: false, reason: 'signature-format' });
  });

  it('is unrecoverable with high s, which other verifiers accept', () => {
    const { r, s, v } = Signature.from(right);
    const high = `0x${(ORDER - BigInt(s)).toString(16).padStart(64, '0')}`;
    const twin = `${r}${high.slice(2)}${v === 27 ? '1c' : '1b'}`;
    expect(recoverSigner('x', twin)).toEqual({ ok: false, reason: 'unrecoverable' });
    expect(verifyMessage('x', twin, DID)).toEqual({ ok: false, reason: 'signature-format' });
  });

  it('is unrecoverable with r and s of zero', () => {
    expect(recoverSigner('x', `0x${'0'.repeat(128)}1b`)).toEqual({ ok: false, reason: 'unrecoverable' });
  });

  it('is not checked when the DID is invalid', () => {
    expect(verifyMessage('x', right, 'did:ethr:unknown')).toEqual({ ok: false, reason: 'did-format' });
  });
});

/** A payload whose signature by the key ends in this v. */
function signedWith(v: string): { payload: string; signature: string } {
  for (let n = 0; ; n += 1) {
    const signature = signMessage(`payload ${n}`, KEY);
    if (signature.endsWith(v)) return { payload: `payload ${n}`, signature };
  }
}
