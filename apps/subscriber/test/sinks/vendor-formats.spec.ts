import { readdirSync, readFileSync } from 'node:fs';
import { describeMessage } from '../../src/deliveries/content/describe-message.js';
import type { SinkMessage } from '../../src/deliveries/sinks/alert-sink.js';
import { renderSlack } from '../../src/deliveries/sinks/chat/slack-sink.js';
import { renderTeams } from '../../src/deliveries/sinks/chat/teams-sink.js';
import { actionOf, renderPagerDuty } from '../../src/deliveries/sinks/pagerduty-sink.js';
import { pendingDelivery } from '../support/pending-delivery.js';
import { readCard, readIncident, readSlackMessage } from '@ssb/testing/sinks';

const EXAMPLES = new URL('../../../../../libs/events/examples/', import.meta.url);
const CONSOLE = 'https://console.example.org/bridge';
const ROUTING_KEY = '0123456789abcdef0123456789abcdef';
type Event = Record<string, unknown> & { data: Record<string, unknown> };
const examples = readdirSync(EXAMPLES).map(
  (file) => JSON.parse(readFileSync(new URL(file, EXAMPLES), 'utf8')) as Event,
);

/** The message of an event with every text replaced. */
function messageOf(event: Event, replace = (text: string) => text): SinkMessage {
  const data = Object.entries(event.data).map(([name, value]) => [
    name,
    typeof value === 'string' ? replace(value) : value,
  ]);
  const text = JSON.stringify({ ...event, data: Object.fromEntries(data) as object });
  return pendingDelivery({ type: event.type as SinkMessage['type'], marks: ['late', 'clockSkew'], text });
}

it.each<[string, (text: string) => string]>([
  ['as published', (text) => text],
  ['with long texts', () => '合'.repeat(1_000)],
  ['that mention and link', () => '<!channel> <@U1> <https://a.example|b> @here [a](https://a.example) &lt;'],
  ['without texts', () => ''],
])('every vendor takes each example %s', (_, replace) => {
  for (const event of examples) {
    const message = messageOf(event, replace);
    const described = describeMessage(message, CONSOLE);
    expect(new Set(described.figures.map(({ label }) => label)).size).toBe(described.figures.length);
    const read = [
      readSlackMessage(JSON.stringify(renderSlack(described))),
      readCard(JSON.stringify(renderTeams(described, 'Attention'))),
      readIncident(JSON.stringify(renderPagerDuty(message, 'trigger', ROUTING_KEY, CONSOLE)), ROUTING_KEY),
    ];
    expect(new Set(read.map(({ id }) => id))).toEqual(new Set(['e1']));
  }
});

it('every vendor takes the name of a person and long lists', () => {
  const person = { at: '2026-03-02T02:20:00.000Z', by: '<!channel> *joe*', comment: '合'.repeat(600) };
  const one = { rule: 'line-items', path: '合'.repeat(200), expected: '1', stated: '2' };
  const event = examples.find(({ type }) => type === 'settlementbus.invoice.discrepancy.v1');
  const problem = {
    kind: 'invoice-discrepancy',
    since: person.at,
    worsened: 1,
    acknowledged: person,
    closed: person,
  };
  const data = { problem, event: { ...event, data: { discrepancies: Array(100).fill(one), count: 100 } } };
  const text = JSON.stringify({ type: 'settlementbus.delivery.closed.v1', data });
  const described = describeMessage(pendingDelivery({ text }), CONSOLE);
  expect(readSlackMessage(JSON.stringify(renderSlack(described))).id).toBe('e1');
  expect(readCard(JSON.stringify(renderTeams(described, 'Attention'))).id).toBe('e1');
});

it.each<[Partial<SinkMessage>, string | undefined]>([
  [{ kind: 'alert' }, 'trigger'],
  [{ kind: 'reminder' }, 'trigger'],
  [{ kind: 'escalation' }, 'trigger'],
  [{ kind: 'test', problemState: null }, 'trigger'],
  [{ kind: 'notice', problemState: 'acknowledged' }, 'acknowledge'],
  [{ kind: 'notice', problemState: 'closed' }, 'resolve'],
  [{ kind: 'resolved', problemState: 'resolved' }, 'resolve'],
  [{ kind: 'notice', problemState: null }, undefined],
])('PagerDuty: %j has the action %s', (change, action) => {
  expect(actionOf(pendingDelivery(change))).toBe(action);
});
