import { X509Certificate } from 'node:crypto';
import { createAuthority } from '@ssb/dev/certificates';
import { checkServerIdentity } from './server-identity.js';

it('compares names and addresses with those of the certificate, IPv6 with and without brackets', async () => {
  const authority = await createAuthority({ name: 'Private authority', now: new Date() });
  const hosts = ['a.example', '192.0.2.10', '2001:db8::10'];
  const { cert } = await authority.issue({ commonName: 'gateway', hosts });
  const certificate = new X509Certificate(cert).toLegacyObject();
  for (const host of [...hosts, '[2001:db8::10]', '2001:DB8:0:0::10'])
    expect([host, checkServerIdentity(host, certificate)]).toEqual([host, undefined]);
  for (const host of ['b.example', '192.0.2.11', '2001:db8::11', '[::1]'])
    expect(checkServerIdentity(host, certificate)).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});
