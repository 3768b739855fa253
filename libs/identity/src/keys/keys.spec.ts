import { format, inspect } from 'node:util';
import { addressOf, addressOfKey } from './address.js';
import {
  addressFromDid,
  didOf,
  didOfKey,
  didHasAddress,
  InvalidDidError,
  isDid,
  isDidMethod,
  methodOf,
  parseDid,
  isSameIdentity,
} from './did.js';
import {
  generatePrivateKey,
  InvalidPrivateKeyError,
  parsePrivateKey,
  type PrivateKey,
} from './private-key.js';

// Key and address from the web3.js documentation.
const HEX = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const ADDRESS = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';
const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';

describe('a private key', () => {
  it('is 64 hexadecimal characters below the order, with or without 0x', () => {
    for (const text of [HEX, `0x${HEX}`, `0X${HEX}`, HEX.toUpperCase()])
      expect(parsePrivateKey(text).toHex()).toBe(HEX);
    const last = `${ORDER.slice(0, -1)}0`;
    expect(parsePrivateKey(last).toHex()).toBe(last);
  });

  it.each([
    ['nothing', ''],
    ['a prefix alone', '0x'],
    ['one character too short', HEX.slice(1)],
    ['one character too long', `${HEX}0`],
    ['a character that is not a digit', `g${HEX.slice(1)}`],
    ['a line feed at the end', `${HEX.slice(1)}\n`],
    ['zero', '0'.repeat(64)],
    ["the curve's order", ORDER],
    ['two prefixes', `0x0x${HEX.slice(2)}`],
    ['the largest number', 'f'.repeat(64)],
  ])('is refused when it is %s', (_, text) => {
    expect(() => parsePrivateKey(text)).toThrow(InvalidPrivateKeyError);
  });

  it('is not contained in the error that refuses it', () => {
    const text = `${HEX.slice(0, 62)}zz`;
    const refuse = (): unknown => parsePrivateKey(text);
    expect(refuse).toThrow(InvalidPrivateKeyError);
    expect(refuse).not.toThrow(HEX.slice(0, 20));
  });

  it.each([
    ['String', (key: PrivateKey) => String(key)],
    ['JSON', (key: PrivateKey) => JSON.stringify({ key })],
    ['util.inspect', (key: PrivateKey) => inspect({ key }, { depth: 9, showHidden: true })],
    ['a template string', (key: PrivateKey) => `${key.toString()} ${[key].join()}`],
    ['util.format', (key: PrivateKey) => format('%s %j %o %O', key, key, key, key)],
    ['its own properties', (key: PrivateKey) => JSON.stringify(Object.entries(key))],
  ])('is not printed by %s', (_, print) => {
    const printed = print(parsePrivateKey(HEX));
    expect(printed).not.toMatch(/4c0883a6|76, ?8, ?131|4c 08 83/i);
  });

  it('does not change when a caller changes the returned bytes', () => {
    const key = parsePrivateKey(HEX);
    key.bytes.fill(0);
    key.publicKey.fill(0);
    expect(key.toHex()).toBe(HEX);
    expect(addressOfKey(key)).toBe(ADDRESS);
  });

  it('is different each time it is generated', () => {
    expect(generatePrivateKey().toHex()).not.toBe(generatePrivateKey().toHex());
  });
});

describe('an address', () => {
  it('is the published address of a published key', () => {
    expect(addressOfKey(parsePrivateKey(HEX))).toBe(ADDRESS);
  });

  it.each([
    ['a compressed key', '02'.padEnd(66, '1')],
    ['a key without its first byte', '1'.repeat(128)],
    ['a hybrid key', '06'.padEnd(130, '1')],
    ['nothing', ''],
  ])('is refused for %s', (_, publicKey) => {
    expect(() => addressOf(publicKey)).toThrow(RangeError);
  });

  it('has the checksum of EIP-55', () => {
    // The addresses in EIP-55.
    for (const address of [
      '0x52908400098527886E0F7030069857D2E4169EE7',
      '0xde709f2102306220921060314715629080e2fb77',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
      '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    ]) {
      expect(addressFromDid(`did:ethr:${address.toLowerCase()}`)).toBe(address);
      expect(parseDid(`did:ethr:${address}`)).toBe(`did:ethr:${address}`);
    }
  });
});

describe('a DID', () => {
  it('is the address after the method', () => {
    const key = parsePrivateKey(HEX);
    expect(didOfKey(key)).toBe(`did:ethr:${ADDRESS}`);
    expect(didOf(addressOfKey(key))).toBe(didOfKey(key));
  });

  it('contains the network of the options', () => {
    const address = addressOfKey(parsePrivateKey(HEX));
    expect(didOf(address, { network: 'volta' })).toBe(`did:ethr:volta:${ADDRESS}`);
    expect(didOf(address, { network: '0x12047' })).toBe(`did:ethr:0x12047:${ADDRESS}`);
    expect(addressFromDid(didOf(address, { network: 'n'.repeat(100) }))).toBe(ADDRESS);
    expect(methodOf(parseDid(`did:ethr:volta:${ADDRESS}`))).toBe('ethr');
  });

  it.each(['', 'vol:ta', 'vol ta', 'volta\n', 'n'.repeat(101)])('cannot have the network %j', (network) => {
    expect(() => didOf(addressOfKey(parsePrivateKey(HEX)), { network })).toThrow(RangeError);
  });

  // DID Core §3.1: method-char = %x61-7A / DIGIT.
  it.each(['example', 'ethrx', '3', 'm'.repeat(32)])('can have the method %s', (method) => {
    const key = parsePrivateKey(HEX);
    const did = didOfKey(key, { method });
    expect(did).toBe(`did:${method}:${ADDRESS}`);
    expect(didOf(addressOfKey(key), { method, network: 'volta' })).toBe(`did:${method}:volta:${ADDRESS}`);
    expect(parseDid(did)).toBe(did);
    expect([methodOf(did), addressFromDid(did), isDidMethod(method)]).toEqual([method, ADDRESS, true]);
  });

  it.each(['', 'Ethr', 'eth-r', 'eth:r', 'ethr\n', 'éthr', 'm'.repeat(33)])(
    'cannot have the method %j',
    (method) => {
      expect(isDidMethod(method)).toBe(false);
      expect(() => didOf(addressOfKey(parsePrivateKey(HEX)), { method })).toThrow(RangeError);
    },
  );

  it('has its address in any method and network', () => {
    const address = addressOfKey(parsePrivateKey(HEX));
    const other = addressOfKey(generatePrivateKey());
    for (const did of [`did:ethr:${ADDRESS.toLowerCase()}`, `did:example:volta:${ADDRESS}`]) {
      expect([didHasAddress(did, address), didHasAddress(did, other)]).toEqual([true, false]);
    }
    expect(didHasAddress(ADDRESS, address)).toBe(false);
  });

  it('has at most 255 characters', () => {
    const did = (length: number) => `did:ethr:${'n'.repeat(length - 52)}:${ADDRESS}`;
    expect(parseDid(did(255))).toHaveLength(255);
    expect(() => parseDid(did(256))).toThrow(InvalidDidError);
  });

  it.each([
    ['nothing', ''],
    ['an address alone', ADDRESS],
    ['no method', `did::${ADDRESS}`],
    ['another scheme', `urn:ethr:${ADDRESS}`],
    ['an upper-case scheme', `DID:ethr:${ADDRESS}`],
    ['an upper-case method', `did:ETHR:${ADDRESS}`],
    ['a method with a dash', `did:eth-r:${ADDRESS}`],
    ['a method of 33 characters', `did:${'m'.repeat(33)}:${ADDRESS}`],
    ['no 0x', `did:ethr:${ADDRESS.slice(2)}`],
    ['a short address', `did:ethr:${ADDRESS.slice(0, -1)}`],
    ['a long address', `did:ethr:${ADDRESS}0`],
    ['a public key', `did:ethr:0x02${'1'.repeat(64)}`],
    ['a fragment', `did:ethr:${ADDRESS}#controller`],
    ['a line feed', `did:ethr:${ADDRESS}\n`],
    ['an empty network', `did:ethr::${ADDRESS}`],
  ])('is refused with %s', (_, text) => {
    expect(() => parseDid(text)).toThrow(InvalidDidError);
    expect(() => addressFromDid(text)).toThrow(InvalidDidError);
    expect([isDid(text), isSameIdentity(text, text)]).toEqual([false, false]);
  });

  it.each([
    ['a letter in the other case', ADDRESS.replace('E', 'e')],
    ['another digit', ADDRESS.replace('2c75', '2c76')],
    ['two letters in the wrong case', ADDRESS.replace('C16a', 'c16A')],
  ])('is refused with %s (EIP-55)', (_, address) => {
    const did = `did:ethr:${address}`;
    expect(() => parseDid(did)).toThrow(expect.objectContaining({ reason: 'checksum' }));
    expect(() => addressFromDid(did)).toThrow(InvalidDidError);
    expect([isDid(did), isSameIdentity(did, did)]).toEqual([false, false]);
  });

  it.each([ADDRESS.toLowerCase(), `0x${ADDRESS.slice(2).toUpperCase()}`])(
    'has no checksum in one case: %s',
    (address) => {
      expect(parseDid(`did:ethr:${address}`)).toBe(`did:ethr:${address}`);
      expect(isSameIdentity(`did:ethr:${address}`, `did:ethr:${ADDRESS}`)).toBe(true);
    },
  );

  it.each([
    ['the same text', `did:ethr:${ADDRESS}`, true],
    ['a text without a checksum', `did:ethr:${ADDRESS.toLowerCase()}`, true],
    ['a network', `did:ethr:volta:${ADDRESS}`, true],
    ['the same address of another method', `did:example:${ADDRESS}`, false],
    ['another address', `did:ethr:${ADDRESS.toLowerCase().replace(/3$/, '4')}`, false],
    ['a text that is not a DID', ADDRESS, false],
  ])('is compared by identity with %s', (_, other, expected) => {
    expect(isSameIdentity(`did:ethr:${ADDRESS}`, other)).toBe(expected);
    expect(isSameIdentity(other, `did:ethr:${ADDRESS}`)).toBe(expected);
  });
});
