import { didOfKey, generatePrivateKey } from '@ssb/identity';
import { verdictFingerprint } from './verdict-fingerprint.js';

const newDid = () => didOfKey(generatePrivateKey());

const CONFIG = {
  routes: [{ types: ['settlementbus.*'], channel: 'c', maxMessageBytes: 4096 }],
  senders: [{ channel: 'c', gateways: [newDid()], origins: [newDid()] }],
};

it('the fingerprint changes with the senders and with the signature scheme only', () => {
  const fingerprint = verdictFingerprint(CONFIG, 'eip191');
  expect(verdictFingerprint(structuredClone(CONFIG), 'eip191')).toBe(fingerprint);
  expect(verdictFingerprint(CONFIG, 'keccak256')).not.toBe(fingerprint);
  const senders = CONFIG.senders.map((sender) => ({ ...sender, origins: [newDid()] }));
  expect(verdictFingerprint({ ...CONFIG, senders }, 'eip191')).not.toBe(fingerprint);
});
