import { didOfKey, generatePrivateKey } from '@ssb/identity';
import { verdictFingerprint } from './verdict-fingerprint.js';

const newDid = () => didOfKey(generatePrivateKey());

const margin = { warning: '2', breach: '1', hysteresis: '0' };
const CONFIG = {
  participants: [{ code: 'ALPHA', margin }],
  routes: [{ types: ['settlementbus.*'], channel: 'c', maxMessageBytes: 4096 }],
  senders: [{ channel: 'c', gateways: [newDid()], origins: [newDid()] }],
};

it('the fingerprint changes with the senders, the names of the participants and the signature scheme only', () => {
  const fingerprint = verdictFingerprint(CONFIG, 'eip191');
  expect(verdictFingerprint(structuredClone(CONFIG), 'eip191')).toBe(fingerprint);
  expect(verdictFingerprint(CONFIG, 'keccak256')).not.toBe(fingerprint);
  const senders = CONFIG.senders.map((sender) => ({ ...sender, origins: [newDid()] }));
  expect(verdictFingerprint({ ...CONFIG, senders }, 'eip191')).not.toBe(fingerprint);
  const participants = [{ code: 'ALPHA', margin: { ...margin, breach: '0' } }];
  expect(verdictFingerprint({ ...CONFIG, participants }, 'eip191')).toBe(fingerprint);
  const others = [...participants, { code: 'BETA', margin }];
  expect(verdictFingerprint({ ...CONFIG, participants: others }, 'eip191')).not.toBe(fingerprint);
});
