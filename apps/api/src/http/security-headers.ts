import type { FastifyInstance } from 'fastify';
import type { Settings } from '../settings.js';

/**
 * The console has its scripts and styles in files. React and uPlot set styles of elements through the CSSOM, which the policy allows (CSP 3
 * §8). Sign-in navigates to the issuer, so no form leaves the origin.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Browsers ignore it over plain HTTP (RFC 6797 §8.1). */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

/** The headers of every response, for browsers. */
export function securityHeaders({
  TLS_CERT_FILE,
  CONSOLE_URL = '',
}: Settings): Readonly<Record<string, string>> {
  const hasTls = TLS_CERT_FILE !== undefined || CONSOLE_URL.startsWith('https:');
  return { ...HEADERS, ...(hasTls && { 'strict-transport-security': STRICT_TRANSPORT_SECURITY }) };
}

/** Adds the headers before anything else responds. A handler may replace them. */
export function addSecurityHeaders(server: FastifyInstance, settings: Settings): void {
  const headers = securityHeaders(settings);
  server.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(headers);
    done();
  });
}
