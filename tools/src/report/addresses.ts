import { withoutCredentials } from '../redis/reach-redis.js';
import { renderTable } from '@ssb/platform';
import type { Ports } from '../system/processes.js';

/** Where each service listens, as a table for people. Credentials in addresses are not shown. Pure. */
export function addresses(
  ports: Ports,
  { redisUrl, databaseUrl, webhookUrl }: Readonly<Record<'redisUrl' | 'databaseUrl' | 'webhookUrl', string>>,
  simulates = true,
): string {
  const at = (port: number, scheme = 'http'): string => `${scheme}://127.0.0.1:${port}`;
  return renderTable(
    ['service', 'listens on', 'look at'],
    [
      ['token', at(ports.token, 'https'), '/oauth/v1/token, /.well-known/jwks.json'],
      ['token, admin door', at(ports['token-admin']), '/admin/v1/accounts'],
      ['reporting', at(ports.reporting, 'https'), '/api/v2/… (client certificate and bearer token)'],
      ["reporting, operator's door", at(ports.operator), '/operator/v1/…, /health/ready, /metrics'],
      ...(simulates ? [['simulator', at(ports.simulator), '/health/ready, /metrics']] : []),
      ['broker', at(ports.broker), '/health, /metrics'],
      ["publisher's gateway", at(ports['gateway-publisher']), '/api/v1/…, /events, /api/health'],
      ["subscriber's gateway", at(ports['gateway-subscriber']), '/api/v1/…, /events, /api/health'],
      ['poller', at(ports.poller), '/health/ready, /metrics'],
      ['bus-publisher', at(ports['bus-publisher']), '/health/ready, /metrics'],
      ['subscriber', at(ports.subscriber), '/health/ready, /metrics'],
      // A webhook's query is where its receiver may want a key.
      ['webhook receiver', withoutCredentials(webhookUrl).replace(/\?.*/, '?…'), ''],
      ['Redis', withoutCredentials(redisUrl), ''],
      [
        'PostgreSQL',
        withoutCredentials(databaseUrl).replace(/\?.*/, ''),
        'schemas subscriber, token, reporting',
      ],
    ],
  );
}
