import { listSinkFiles, sinkSchema } from './sink-schema.js';

const EMAIL = {
  name: 'treasury',
  kind: 'email',
  host: 'mail.example.org',
  from: 'bridge@example.org',
  to: ['treasury@example.org'],
};
const SLACK = { name: 'desk', kind: 'slack', urlFile: 'slack-url' };
const TEAMS = { name: 'desk', kind: 'teams', url: 'https://flow.example.org/invoke?sig=a' };
const PAGERDUTY = { name: 'on-call', kind: 'pagerduty', routingKeyFile: 'key' };
const ALERTMANAGER = { name: 'alerts', kind: 'alertmanager', url: 'https://alerts.example.org/prefix' };

function problemsOf(sink: object): string[] {
  const result = sinkSchema.safeParse(sink);
  return (result.error?.issues ?? []).map(({ path, message }) => [...path, message].join(' '));
}

it.each<[string, object, string[]]>([
  ['a mail server with STARTTLS', EMAIL, []],
  [
    'a mail server with all keys',
    { ...EMAIL, port: 465, tls: 'implicit', username: 'bridge', passwordFile: 'password', caFile: 'ca' },
    ['password', 'ca'],
  ],
  ['a mail server on loopback without TLS', { ...EMAIL, host: '127.0.0.1', tls: 'none', port: 1025 }, []],
  ['Slack', SLACK, ['slack-url']],
  ['Teams', { ...TEAMS, maxPerMinute: 30 }, []],
  ['PagerDuty', PAGERDUTY, ['key']],
  ['Alertmanager', { ...ALERTMANAGER, bearerTokenFile: 'token', labels: { release: 'one' } }, ['token']],
  [
    'Alertmanager behind the proxy of a Kubernetes API server',
    {
      ...ALERTMANAGER,
      url: 'https://api.example.org/api/v1/namespaces/x/services/alertmanager:9093/proxy',
    },
    [],
  ],
  ['Alertmanager below /api/v2', { ...ALERTMANAGER, url: 'https://alerts.example.org/api/v2/prefix' }, []],
])('%s, with its files', (_, sink, files) => {
  expect(problemsOf(sink)).toEqual([]);
  expect(listSinkFiles(sinkSchema.parse(sink))).toEqual(files);
});

const MAIL = 'must be a mail address such as treasury@example.org';
const HTTPS = 'must be an address that starts with https://, or with http:// on loopback,';

it.each<[string, object, string]>([
  [
    'no TLS to another host',
    { ...EMAIL, tls: 'none' },
    'has tls: none, which only a server on loopback may have; use starttls or implicit',
  ],
  [
    'a user without a password',
    { ...EMAIL, username: 'bridge' },
    'must have both username and passwordFile, or neither',
  ],
  [
    'a password without a user',
    { ...EMAIL, passwordFile: 'p' },
    'must have both username and passwordFile, or neither',
  ],
  ['a sender in two lines', { ...EMAIL, from: 'bridge@example.org\r\nBcc: x@example.org' }, `from ${MAIL}`],
  ['a sender with a name', { ...EMAIL, from: 'Bridge <bridge@example.org>' }, `from ${MAIL}`],
  ['two addresses in one', { ...EMAIL, to: ['a@example.org,b@example.org'] }, `to 0 ${MAIL}`],
  ['an address with a comment', { ...EMAIL, to: ['a@example.org (b)'] }, `to 0 ${MAIL}`],
  [
    'a host with a port',
    { ...EMAIL, host: 'mail.example.org:25' },
    'host must be the name or address of a host, without a port',
  ],
  ['a chat without an address', { name: 'desk', kind: 'slack' }, 'must have either urlFile or url'],
  ['a chat with two addresses', { ...TEAMS, urlFile: 'url' }, 'must have either urlFile or url'],
  [
    'a chat without TLS',
    { ...TEAMS, url: 'http://flow.example.org' },
    `url ${HTTPS} without user, password and fragment`,
  ],
  [
    'an Alertmanager with a query',
    { ...ALERTMANAGER, url: 'https://alerts.example.org/?a=b' },
    `url ${HTTPS} without query and fragment`,
  ],
  ...['/api/v2', '/prefix/api/v2/', '/api/v2/alerts', '/api/v2/alerts/'].map(
    (path): [string, object, string] => [
      `an Alertmanager at ${path}`,
      { ...ALERTMANAGER, url: `https://alerts.example.org${path}` },
      'url must end before /api/v2, which the bridge adds; remove /api/v2 and what follows',
    ],
  ),
  [
    'a label of the bridge',
    { ...ALERTMANAGER, labels: { severity: 'critical' } },
    'labels severity is set by the bridge; choose another name',
  ],
  [
    'no name of a label',
    { ...ALERTMANAGER, labels: { 'a-b': 'c' } },
    'labels a-b is not the name of a label; it takes letters, digits and _',
  ],
  [
    'an Alertmanager with two ways of authorization',
    { ...ALERTMANAGER, url: 'https://user@alerts.example.org', bearerTokenFile: 'token' },
    'has a user in url and bearerTokenFile, but one way of authorization is allowed',
  ],
])('refuses %s', (_, sink, problem) => {
  expect(problemsOf(sink)).toEqual([problem]);
});
