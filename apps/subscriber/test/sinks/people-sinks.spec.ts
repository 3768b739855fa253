import { readFileSync } from 'node:fs';
import { MAX_DIGEST_EVENTS } from '@ssb/events';
import { describeMessage } from '../../src/deliveries/content/describe-message.js';
import { renderSlack } from '../../src/deliveries/sinks/chat/slack-sink.js';
import { renderTeams } from '../../src/deliveries/sinks/chat/teams-sink.js';
import { describeAlertSink } from './alert-sink.conformance.js';
import { emailAdapter } from './email-adapter.js';
import { httpAdapter } from './http-adapter.js';
import { readAlerts, readCard, readIncident, readSlackMessage } from '@ssb/testing/sinks';

const KEY = '0123456789abcdef0123456789abcdef';
const NAME = { name: 'treasury' };

/** Control characters and those that change the direction of text are shown as escapes. */
const ESCAPES = { '\r': '\\r', '\n': '\\n', '\u0007': '\\u0007', '\u202e': '\\u202e' };
const shows = (text: string): string =>
  Object.entries(ESCAPES).reduce((shown, [from, to]) => shown.replaceAll(from, to), text);

const slack = httpAdapter({
  kind: 'slack',
  files: (url) => ({ address: `${url}/services/T0/B0/secret-of-slack` }),
  config: () => ({ ...NAME, kind: 'slack', urlFile: 'address' }),
  shows,
  read: (_, body) => readSlackMessage(body),
});

const teams = httpAdapter({
  kind: 'teams',
  files: (url) => ({ address: `${url}/workflows/1/triggers/manual/paths/invoke?sig=secret-of-teams` }),
  config: () => ({ ...NAME, kind: 'teams', urlFile: 'address' }),
  shows,
  read: (_, body) => readCard(body),
});

const pagerduty = httpAdapter({
  kind: 'pagerduty',
  files: () => ({ key: KEY }),
  config: (url) => ({ ...NAME, kind: 'pagerduty', url: `${url}/v2/enqueue`, routingKeyFile: 'key' }),
  read: (_, body) => readIncident(body, KEY),
});

const alertmanager = httpAdapter({
  kind: 'alertmanager',
  files: () => ({ token: 'token-of-alertmanager' }),
  config: (url) => ({ ...NAME, kind: 'alertmanager', url: `${url}/`, bearerTokenFile: 'token' }),
  read: ({ headers, url }, body) => {
    expect([url, headers.authorization]).toEqual(['/api/v2/alerts', 'Bearer token-of-alertmanager']);
    return readAlerts(body);
  },
});

[slack, teams, pagerduty, alertmanager, emailAdapter(shows)].forEach(describeAlertSink);

it('the largest digest is within the limits of Slack and Teams, with every event', () => {
  const example = new URL(
    '../../../../../libs/events/examples/settlementbus.invoice.adjusted.v1.json',
    import.meta.url,
  );
  const events = Array.from(
    { length: MAX_DIGEST_EVENTS },
    () => JSON.parse(readFileSync(example, 'utf8')) as object,
  );
  const text = JSON.stringify({ type: 'settlementbus.delivery.digest.v1', data: { sink: 'a', events } });
  const digest = { eventId: 'x', kind: 'notice', severity: 'info', marks: [], problemId: null } as const;
  const message = describeMessage({ ...digest, subject: 'sink/a', text });
  const last = `${MAX_DIGEST_EVENTS}. ALPHA: Invoice adjusted`;
  const slackText = JSON.stringify(renderSlack(message));
  const teamsText = JSON.stringify(renderTeams(message, 'Default'));
  // They refuse what the vendor would refuse.
  readSlackMessage(slackText);
  readCard(teamsText);
  for (const shown of [slackText, teamsText]) expect(shown).toContain(last);
});
