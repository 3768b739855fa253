import { parseSubjectLines } from './distinguished-name.js';
import { parseParticipantMap, participantMapped, ParticipantMapError } from './participant-map.js';

/** SHA-256 of nothing, in the two forms that a fingerprint is written in. */
const HEX = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const BASE64URL = '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU';
const COLONS = (HEX.toUpperCase().match(/../g) ?? []).join(':');

const certificate = { thumbprint: BASE64URL, names: { subject: parseSubjectLines('O=Genco\nCN=client-7') } };

describe('participantMapped', () => {
  it.each<[string, object]>([
    ['by its fingerprint in hexadecimal', { byFingerprint: { [HEX]: 'WPGENCO' } }],
    ['by its fingerprint with colons', { byFingerprint: { [COLONS]: 'WPGENCO' } }],
    ['by its fingerprint in base64url', { byFingerprint: { [BASE64URL]: 'WPGENCO' } }],
    ['by its subject', { bySubject: { 'O=Genco, CN=client-7': 'WPGENCO' } }],
    [
      'by its fingerprint before its subject',
      { byFingerprint: { [HEX]: 'WPGENCO' }, bySubject: { 'O=Genco, CN=client-7': 'OTHER' } },
    ],
  ])('knows a certificate %s', (_how, map) => {
    expect(participantMapped(parseParticipantMap(JSON.stringify(map)), certificate)).toBe('WPGENCO');
  });

  it.each<[string, object]>([
    ['of an empty map', {}],
    ['of another fingerprint', { byFingerprint: { [HEX.replace('e', 'f')]: 'WPGENCO' } }],
    ['of another order of names', { bySubject: { 'CN=client-7, O=Genco': 'WPGENCO' } }],
  ])('does not know a certificate %s', (_how, map) => {
    expect(participantMapped(parseParticipantMap(JSON.stringify(map)), certificate)).toBeUndefined();
  });
});

it.each([
  ['', 'no JSON object'],
  ['[]', 'no JSON object'],
  ['{"bySubjects":{}}', 'There is no part "bySubjects"'],
  ['{"byFingerprint":[]}', 'byFingerprint is no JSON object'],
  ['{"byFingerprint":{"abc":"WPGENCO"}}', 'byFingerprint "abc" cannot be read'],
  ['{"bySubject":{"Genco":"WPGENCO"}}', 'bySubject "Genco" cannot be read'],
  ['{"bySubject":{"CN=a":7}}', 'no participant code'],
  [`{"byFingerprint":{"${HEX}":"A","${COLONS}":"B"}}`, 'is there twice'],
])('refuses the map %s', (text, problem) => {
  expect(() => parseParticipantMap(text)).toThrow(ParticipantMapError);
  expect(() => parseParticipantMap(text)).toThrow(problem);
});
