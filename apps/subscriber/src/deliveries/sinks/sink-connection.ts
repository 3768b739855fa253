import type { ClientConnection, TlsMaterial } from '@ssb/net';

/** A connection with certificates of its own in place of those of another one. Its client certificate replaces the other as a whole. */
export function withOwnTls(base: ClientConnection, own: ClientConnection | undefined): ClientConnection {
  if (own === undefined) return base;
  let merged: { readonly from: readonly unknown[]; readonly tls: TlsMaterial } | undefined;
  return {
    proxy: base.proxy,
    allowedNetworks: base.allowedNetworks,
    get tls() {
      const [ofBase, ofSink] = [base.tls, own.tls];
      // Another object means another content.
      if (merged === undefined || merged.from[0] !== ofBase || merged.from[1] !== ofSink)
        merged = { from: [ofBase, ofSink], tls: merge(ofBase, ofSink) };
      return merged.tls;
    },
  };
}

function merge(base: TlsMaterial = {}, own: TlsMaterial = {}): TlsMaterial {
  const hasCertificate = own.cert !== undefined || own.pfx !== undefined;
  return hasCertificate ? { ...(base.ca !== undefined && { ca: base.ca }), ...own } : { ...base, ...own };
}
