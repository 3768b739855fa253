import { X509Certificate } from 'node:crypto';
import { createAuthority, type Authority } from '@ssb/dev/certificates';
import { thumbprintOf } from '../../test/support/running-reporting.js';
import { identifyCaller } from './client-certificates.js';

let authority: Authority;

beforeAll(async () => {
  authority = await createAuthority({ name: 'Test authority', now: new Date() });
});

it.each([
  ['CN=WPGENCO', 'WPGENCO'],
  ['C=AU, O=Genco, OU=WPOU, CN=WPGENCO', 'WPGENCO'],
  ['CN=A\\, B \\+ C', 'A, B + C'],
  ['CN=Ærø', 'Ærø'],
])('identifies the participant of the subject %s', async (subject, participant) => {
  const issued = await authority.issue({ subject });
  expect(identifyCaller(new X509Certificate(issued.cert))).toEqual({
    ok: true,
    participant,
    thumbprint: thumbprintOf(issued),
  });
});

it.each([
  ['has no common name', 'O=WPGENCO'],
  ['has two', 'CN=WPGENCO, CN=OTHER'],
  ['has a code of 61 characters', `CN=${'A'.repeat(61)}`],
  ['has a line break in it', 'CN=A\\0ACN=B'],
  ['begins with a blank', 'CN=\\ A'],
])('identifies no participant where the subject %s', async (_what, subject) => {
  const { cert } = await authority.issue({ subject });
  const verdict = identifyCaller(new X509Certificate(cert));
  expect(verdict).toMatchObject({ ok: false, reason: 'certificate-without-participant' });
});

it('requires a certificate', () => {
  expect(identifyCaller(undefined)).toMatchObject({ ok: false, reason: 'certificate-missing' });
});
