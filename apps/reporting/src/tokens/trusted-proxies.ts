import { BlockList, isIP, type Socket } from 'node:net';
import { readThumbprint } from '../domain/thumbprint.js';
import { clientCertificateOf } from './client-certificate.js';

/** A proxy that cannot be recognised by what the settings say of it. */
export class TrustedProxyError extends Error {
  override readonly name = 'TrustedProxyError';

  constructor(readonly entry: string) {
    super(
      `TRUSTED_PROXIES: ${JSON.stringify(entry)} is no address, no network (10.0.0.0/8) and no sha256:<fingerprint>.`,
    );
  }
}

/** The proxies whose word on who is calling is taken: by the address they connect from, or by their own client certificate. */
export class TrustedProxies {
  private readonly addresses = new BlockList();
  private readonly thumbprints = new Set<string>();
  private addressCount = 0;

  /** @throws TrustedProxyError */
  constructor(entries: readonly string[]) {
    for (const entry of entries) this.add(entry);
  }

  /** Whether any proxy is trusted at all. */
  get any(): boolean {
    return this.addressCount > 0 || this.thumbprints.size > 0;
  }

  /** Whether a connection is trusted for where it comes from, so that it needs no certificate. */
  trustsAddressOf({ remoteAddress = '' }: Socket): boolean {
    if (this.addressCount === 0) return false;
    const version = isIP(remoteAddress);
    return version !== 0 && this.addresses.check(remoteAddress, version === 4 ? 'ipv4' : 'ipv6');
  }

  trusts(socket: Socket): boolean {
    if (this.trustsAddressOf(socket)) return true;
    if (this.thumbprints.size === 0) return false;
    const certificate = clientCertificateOf(socket);
    return certificate !== undefined && this.thumbprints.has(certificate.thumbprint);
  }

  private add(entry: string): void {
    if (entry.startsWith('sha256:')) {
      const thumbprint = readThumbprint(entry.slice('sha256:'.length));
      if (thumbprint === undefined) throw new TrustedProxyError(entry);
      this.thumbprints.add(thumbprint);
      return;
    }
    const [address = '', prefix, ...rest] = entry.split('/');
    const version = isIP(address);
    const longest = version === 4 ? 32 : 128;
    const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (version === 0 || rest.length > 0 || !(bits <= longest)) throw new TrustedProxyError(entry);
    this.addresses.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6');
    this.addressCount++;
  }
}
