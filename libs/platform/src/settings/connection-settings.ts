import { NoProxyList } from '@ssb/net';
import { z } from 'zod';
import { milliseconds, networks, optional, refuse, splitList, text } from './schemas.js';
import { defineSettings, type SettingDefinition } from './settings.js';

const pemFile = (): z.ZodType<string | undefined> => optional(text('the path of a PEM file'));
const optionalFile = (what: string): z.ZodType<string | undefined> => optional(text(what));

type FileSetting = SettingDefinition<string | undefined>;
type CertificateSettings<P extends string> = {
  readonly [K in `${P}_${'CERT_FILE' | 'KEY_FILE' | 'PFX_FILE' | 'PFX_PASSWORD_FILE'}`]: FileSetting;
};
type ClientTlsSettings<P extends string> = CertificateSettings<P> & {
  readonly [K in `${P}_CA_FILE`]: FileSetting;
};

/** The settings of a server or client that reads its certificates from files. */
export const tlsReloadSettings = defineSettings({
  TLS_RELOAD_INTERVAL_MS: {
    schema: milliseconds({ min: 10, max: 3_600_000 }),
    default: '10000',
    doc: 'How often certificate, key and CA files, MANAGEMENT_TOKEN_FILE and, in the poller, the account and secret files of participants are read; changes take effect without a restart.',
  },
});

/**
 * The settings of a client certificate, in one of two forms.
 * @param server for the docs
 */
export function clientCertificateSettings<P extends string>(
  prefix: P,
  server: string,
): CertificateSettings<P> {
  return {
    [`${prefix}_CERT_FILE`]: {
      schema: pemFile(),
      doc: `Client certificate (PEM, with its chain) for ${server}; set it with ${prefix}_KEY_FILE.`,
    },
    [`${prefix}_KEY_FILE`]: { schema: pemFile(), doc: 'Private key of that certificate (PEM).' },
    [`${prefix}_PFX_FILE`]: {
      schema: optionalFile('the path of a PKCS#12 file'),
      doc: `Client certificate and key (PKCS#12) for ${server}; in place of ${prefix}_CERT_FILE and ${prefix}_KEY_FILE.`,
    },
    [`${prefix}_PFX_PASSWORD_FILE`]: {
      schema: optionalFile('the path of a file'),
      doc: `File with the password of ${prefix}_PFX_FILE; unset for an empty password.`,
    },
  } as unknown as CertificateSettings<P>;
}

/**
 * The settings of authority and client certificate.
 * @param server for the docs
 */
export function clientTlsSettings<P extends string>(prefix: P, server: string): ClientTlsSettings<P> {
  return {
    [`${prefix}_CA_FILE`]: {
      schema: pemFile(),
      doc: `Certificate authorities of ${server} (PEM); the system's when unset.`,
    },
    ...clientCertificateSettings(prefix, server),
  } as unknown as ClientTlsSettings<P>;
}

/** The settings of an app of the bridge, which opens connections to other services. */
export const outgoingConnectionSettings = defineSettings({
  HTTPS_PROXY: {
    schema: optional(proxyUrl()),
    doc: 'Proxy (http://, with user and password if it needs them) for https and wss connections; loopback is never proxied. Also read: https_proxy.',
    alias: 'https_proxy',
    secret: true,
  },
  NO_PROXY: {
    schema: optional(noProxyList()),
    doc: 'Hosts that are connected to without the proxy. A name includes its subdomains; networks match addresses only. Also read: no_proxy.',
    alias: 'no_proxy',
  },
  ...clientTlsSettings('WEBHOOK', 'the webhooks'),
  WEBHOOK_ALLOWED_NETWORKS: {
    schema: optional(networks()),
    doc: 'Networks that webhooks and the other sinks may be in, mail servers included; the address of each connection is checked. Any when unset. Not with a proxy.',
  },
  ...tlsReloadSettings,
});

function proxyUrl(): z.ZodType<string> {
  return z
    .string()
    .refine((value) => URL.canParse(value) && /^http:\/\/[^/?#]+\/?$/.test(value) && isProxy(new URL(value)))
    .describe(
      'an address such as http://proxy.example:3128 or http://user:password@proxy.example:3128 (special characters percent-encoded)',
    );
}

/** REST and WebSocket treat a user without a password differently. */
function isProxy({ hostname, username, password }: URL): boolean {
  if (hostname === '' || (username === '') !== (password === '')) return false;
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function noProxyList(): z.ZodType<NoProxyList> {
  return z
    .string()
    .transform((value, context) => NoProxyList.parse(splitList(value)) ?? refuse(context))
    .describe('hosts, domains, addresses and networks, separated by commas; or *');
}
