import { errors } from '@nats-io/transport-node';
import type { Identification } from './nats-identification.js';
import { NatsSettingError, type NatsSetting } from './nats-setting-error.js';
import { offersTls, type Probe } from './probe-server.js';

/** What the broker brings with it. */
export interface Brought {
  readonly identification: Identification | undefined;
  /** A setting asks for TLS. */
  readonly tlsAsked: boolean;
  readonly clientCertificate: boolean;
}

/** What is wrong, seen from how the server took the probe; undefined when nothing is. */
export function whyNotTaken({ greeting, tlsFailure }: Probe, brought: Brought): NatsSettingError | undefined {
  if (brought.tlsAsked && !offersTls(greeting))
    return new NatsSettingError(
      'NATS_URL',
      'the server has no TLS, which NATS_URL or a NATS_*_FILE asks for',
    );
  if (tlsFailure !== undefined) return ofTls(tlsFailure, greeting.tls_verify === true, brought);
  if (greeting.auth_required === true && brought.identification === undefined)
    return new NatsSettingError(
      'NATS_URL',
      'the server wants to know who we are: name user and password here, or set NATS_TOKEN_FILE, NATS_NKEY_FILE or NATS_CREDENTIALS_FILE',
    );
  return undefined;
}

/** The same of an error with which the client library gave up; undefined when the server is just away. */
export function whyNotConnected(error: unknown, { identification }: Brought): NatsSettingError | undefined {
  const refused =
    error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError;
  if (!refused) return undefined;
  return new NatsSettingError(
    identification?.setting ?? 'NATS_URL',
    `the server does not let the broker in (${error.message})`,
    { cause: error },
  );
}

function ofTls(
  failure: Error,
  wantsCertificate: boolean,
  { clientCertificate }: Brought,
): NatsSettingError | undefined {
  const code = 'code' in failure ? String(failure.code) : '';
  const refused = (setting: NatsSetting, reason: string): NatsSettingError =>
    new NatsSettingError(setting, reason, { cause: failure });
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return refused('NATS_URL', "the server's certificate is for another host");
  if (isOurRefusal(code))
    return refused('NATS_CA_FILE', `the server's certificate is not accepted (${code})`);
  if (wantsCertificate && !clientCertificate)
    return refused('NATS_CERTIFICATE_FILE', 'the server wants a client certificate');
  // It says why in an alert, or just ends the connection, which can overtake the alert.
  if (wantsCertificate)
    return refused('NATS_CERTIFICATE_FILE', 'the server does not accept this certificate');
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO')
    return refused('NATS_URL', `TLS with the server failed (${code})`);
  return undefined;
}

/** Whether it is we who refused (X509_verify_cert_error_string(3) as Node names its codes), rather than the server. */
function isOurRefusal(code: string): boolean {
  return /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|INVALID_PURPOSE|CRL_|HOSTNAME_MISMATCH)/.test(
    code,
  );
}
