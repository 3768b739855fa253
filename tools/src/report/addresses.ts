import { renderTable } from '@ssb/platform';
import type { Ports } from '../system/processes.js';

/** The URL without user and password. */
export function hideCredentials(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//…@');
}

/** The URL without credentials and query; a query can hold a key or a password. */
export function hideQuery(url: string, replacement = ''): string {
  return hideCredentials(url).replace(/\?.*/, replacement);
}

/** A table of the addresses of all services. It shows no credentials. */
export function renderAddresses(
  ports: Ports,
  { redisUrl, databaseUrl, webhookUrl }: Readonly<Record<'redisUrl' | 'databaseUrl' | 'webhookUrl', string>>,
  hasSimulator = true,
): string {
  const at = (port: number, scheme = 'http'): string => `${scheme}://127.0.0.1:${port}`;
  const management = '/health, /metrics';
  return renderTable(
    ['service', 'listens on', 'paths'],
    [
      ['token', at(ports.token, 'https'), '/oauth/v1/token, /.well-known/jwks.json'],
      ['token, admin API', at(ports['token-admin']), '/admin/v1/accounts'],
      ['reporting', at(ports.reporting, 'https'), '/api/v2/… (client certificate and bearer token)'],
      ['reporting, operator API', at(ports.operator), '/operator/v1/…'],
      ...(hasSimulator ? [['simulator', at(ports.simulator), management]] : []),
      ['broker', at(ports.broker), '/auth/login, /message, /channel, /health …'],
      ["publisher's gateway", at(ports['gateway-publisher']), '/api/v1/…, /events, /api/health'],
      ["subscriber's gateway", at(ports['gateway-subscriber']), '/api/v1/…, /events, /api/health'],
      ['poller', at(ports.poller), management],
      ['bus-publisher', at(ports['bus-publisher']), management],
      ['subscriber', at(ports.subscriber), management],
      [
        'api',
        at(ports.api),
        '/ (console), /v1/…, /openapi.json (token in secrets/api.token of the data folder)',
      ],
      ['token, management', at(ports['token-management']), management],
      ['reporting, management', at(ports['reporting-management']), management],
      ['broker, management', at(ports['broker-management']), management],
      ["publisher's gateway, management", at(ports['gateway-publisher-management']), management],
      ["subscriber's gateway, management", at(ports['gateway-subscriber-management']), management],
      ['api, management', at(ports['api-management']), management],
      ['webhook receiver', hideQuery(webhookUrl, '?…'), ''],
      ['Redis', hideCredentials(redisUrl), ''],
      ['PostgreSQL', hideQuery(databaseUrl), 'schemas subscriber, token, reporting'],
    ],
  );
}
