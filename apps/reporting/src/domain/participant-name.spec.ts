import { parseAlternativeNames } from './alternative-names.js';
import { parseSubjectLines } from './distinguished-name.js';
import { participantNamed, type NamePlace } from './participant-name.js';

const names = {
  subject: parseSubjectLines('C=AU\nO=Genco\nOU=WPOU\nserialNumber=WPSERIAL\nCN=WPGENCO'),
  alternative: parseAlternativeNames(
    'DNS:wpdns.clients.example, DNS:other.example, URI:urn:market:WPURI, URI:"urn:market:a, b\\"", IP Address:127.0.0.1',
  ),
};

it.each<[NamePlace, string, string]>([
  ['subject.CN', '{code}', 'WPGENCO'],
  ['subject.O', '{code}', 'Genco'],
  ['subject.OU', '{code}', 'WPOU'],
  ['subject.serialNumber', '{code}', 'WPSERIAL'],
  ['subject.serialNumber', 'WP{code}', 'SERIAL'],
  ['san.dns', '{code}.clients.example', 'wpdns'],
  ['san.uri', 'urn:market:WP{code}', 'URI'],
  ['san.uri', 'urn:market:{code}"', 'a, b'],
])('reads from %s as %s: %s', (place, form, code) => {
  expect(participantNamed(names, place, form)).toBe(code);
});

it.each<[NamePlace, string, string]>([
  ['san.dns', '{code}', 'there are two'],
  ['san.uri', 'urn:other:{code}', 'none has the form'],
  ['subject.CN', '{code}WPGENCO', 'nothing is left of it'],
  ['map-only', '{code}', 'only the map counts'],
])('reads nobody from %s as %s: %s', (place, form) => {
  expect(participantNamed(names, place, form)).toBeUndefined();
});

it.each(['A\u0000B', 'A\nB', ' A', 'A ', 'A'.repeat(61), ''])('takes %j for no participant code', (value) => {
  const subject = [{ type: 'CN', value }];
  expect(
    participantNamed({ subject, alternative: { dns: [], uri: [] } }, 'subject.CN', '{code}'),
  ).toBeUndefined();
});
