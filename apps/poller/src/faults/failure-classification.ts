import type { ClientCertificate } from '@ssb/net';
import type { AlertReason } from '@ssb/events';
import {
  NoResponseError,
  ReportingForbiddenError,
  ReportingUnavailableError,
  TokenRefusedError,
  TokenUnavailableError,
  type ConnectionEnd,
} from '@ssb/market';
import { hasUnusableBody, isUnusableResponse } from '../polls/poll-failures.js';

/** The faults that one failed request can show. */
export type FailureReason = Extract<
  AlertReason,
  'certificate-expired' | 'certificate-refused' | 'token-refused' | 'operator-response-unusable'
>;

/** The connections of one interface to one server. */
export interface Connection {
  /** Whether it uses TLS. */
  readonly secure: boolean;
  /** Absent when none is configured. */
  readonly certificate: ClientCertificate | undefined;
}

export interface FailureContext {
  readonly participant: string;
  readonly reporting: Connection;
  readonly token: Connection;
  /** Polls in a row whose connection was closed without a response, this one included. */
  readonly closedConnections: number;
  readonly now: Date;
}

export interface ClassifiedFailure {
  readonly reason: FailureReason;
  /** Which server shows it. */
  readonly server: 'reporting' | 'token';
  /** One sentence, without payload and secrets. */
  readonly detail: string;
}

/** A single closed connection is more often a restart of the server than a refused certificate. */
export const MIN_CLOSED_CONNECTIONS = 2;

/** Statuses of an HTTP server that reads the certificate itself: nginx sends 400, or internally 495 and 496. */
const CERTIFICATE_STATUSES: ReadonlySet<number> = new Set([495, 496]);

/** TLS alerts about the certificate of the client (RFC 8446 §6.2), in the words of OpenSSL. */
const CERTIFICATE_ALERT =
  /^(handshake failure|(bad|unsupported) certificate|certificate \w+|unknown ca|access denied)$/;

/** The fault that a failed request shows; undefined for a failure that may pass by itself, such as a timeout. */
export function classifyFailure(error: unknown, context: FailureContext): ClassifiedFailure | undefined {
  const { reporting, token, participant } = context;
  if (error instanceof TokenRefusedError)
    return { reason: 'token-refused', server: 'token', detail: error.message };
  if (error instanceof TokenUnavailableError)
    return error.status === 200 || hasUnusableBody(error)
      ? { reason: 'operator-response-unusable', server: 'token', detail: error.message }
      : classifyRefusedCertificate('token', error.status, error, token, context);
  if (error instanceof ReportingForbiddenError) {
    const detail = `${error.message}; ${describeCertificate(reporting.certificate, context.now)}`;
    const reason = reasonOfForbidden(error.status, reporting, participant, context.now);
    return { reason, server: 'reporting', detail };
  }
  if (isUnusableResponse(error))
    return { reason: 'operator-response-unusable', server: 'reporting', detail: describeFailure(error) };
  if (error instanceof ReportingUnavailableError)
    return classifyRefusedCertificate('reporting', error.status, error, reporting, context);
  return undefined;
}

/** One sentence about a failure, with the reason of a missing response. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  return error.cause instanceof NoResponseError ? `${error.message}: ${error.cause.message}` : error.message;
}

/** Whether the server closed the connection without a response. */
export function isClosedConnection(error: unknown): boolean {
  return connectionEnd(error)?.kind === 'closed';
}

/** `client.crt (PART1) expired at 2026-03-02T00:00:00.000Z`. */
export function describeExpiry({ file, commonName, expiresAt }: ClientCertificate, now: Date): string {
  const verb = expiresAt <= now ? 'expired' : 'expires';
  return `${file} (${commonName ?? 'no common name'}) ${verb} at ${expiresAt.toISOString()}`;
}

export function isExpired({ secure, certificate }: Connection, now: Date): boolean {
  return secure && certificate !== undefined && certificate.expiresAt <= now;
}

function classifyRefusedCertificate(
  server: ClassifiedFailure['server'],
  status: number | undefined,
  error: Error,
  connection: Connection,
  { closedConnections, now }: FailureContext,
): ClassifiedFailure | undefined {
  if (!connection.secure) return undefined;
  const expired = isExpired(connection, now);
  const how = describeRefusal(
    status,
    connectionEnd(error),
    expired || closedConnections >= MIN_CLOSED_CONNECTIONS,
  );
  // A 400 says nothing by itself, but nginx sends it for an expired certificate.
  const sentence = how ?? (status === 400 && expired ? 'responds 400' : undefined);
  if (sentence === undefined) return undefined;
  return {
    reason: expired ? 'certificate-expired' : 'certificate-refused',
    server,
    detail: `${server === 'token' ? 'the token service' : 'the operator'} ${sentence}; ${describeCertificate(connection.certificate, now)}`,
  };
}

function describeRefusal(
  status: number | undefined,
  end: ConnectionEnd | undefined,
  isLikely: boolean,
): string | undefined {
  if (status !== undefined && CERTIFICATE_STATUSES.has(status)) return `responds ${status}`;
  if (end?.kind === 'tls-alert' && CERTIFICATE_ALERT.test(end.alert))
    return `refuses the TLS handshake (${end.alert})`;
  return end?.kind === 'closed' && isLikely ? 'closes the connection without a response' : undefined;
}

/** The operator derives the participant from the certificate (document 000), so one of another participant gives no access either. */
function reasonOfForbidden(
  status: number,
  reporting: Connection,
  participant: string,
  now: Date,
): FailureReason {
  if (status !== 403 || reporting.certificate === undefined) return 'token-refused';
  if (isExpired(reporting, now)) return 'certificate-expired';
  return reporting.certificate.commonName === participant ? 'token-refused' : 'certificate-refused';
}

function describeCertificate(certificate: ClientCertificate | undefined, now: Date): string {
  if (certificate === undefined) return 'no client certificate is configured';
  return `client certificate ${describeExpiry(certificate, now)}`;
}

function connectionEnd(error: unknown): ConnectionEnd | undefined {
  return error instanceof Error && error.cause instanceof NoResponseError ? error.cause.end : undefined;
}
