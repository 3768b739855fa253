import { X509Certificate } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { checkServerIdentity as checkByNode, type ConnectionOptions, type PeerCertificate } from 'node:tls';

/** As `checkServerIdentity` of Node, which accepts no IPv6 address from Node 24.17 on (nodejs/node#64144). */
export function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const address = host.replace(/^\[|\]$/g, '');
  if (!isIPv6(address)) return checkByNode(host, certificate);
  if (new X509Certificate(certificate.raw).checkIP(address) !== undefined) return undefined;
  return Object.assign(
    new Error(
      `Hostname/IP does not match certificate's altnames: IP: ${address} is not in the cert's list: ${certificate.subjectaltname}`,
    ),
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  );
}

/** Checks the certificate behind a proxy. Node would compare the certificate of an IP address with the host of the proxy. */
export function checkIdentityOf({ hostname }: URL): Pick<ConnectionOptions, 'checkServerIdentity'> {
  return { checkServerIdentity: (_, certificate) => checkServerIdentity(hostname, certificate) };
}
